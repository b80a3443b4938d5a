"""Arms whose poses never determine their joints: they are not searched for steps, and it is said at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import arm, forward
from symoro.errors import NotApplicable, TargetError
from symoro.models.geometric.inverse import closed
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

Array = np.ndarray[Any, Any]
#: Arms, and the joints that can move while the pose stays.
ARMS = {
    "four parallel axes": (
        arm("four_parallel", (0, 90, 0, 0, 0, 90), (0, 0.1, 0.4, 0.3, 0.2, 0), (0.3, 0, 0, 0, 0.1, 0.1)), (2, 3, 4, 5)
    ),
    "two joints on one axis": (
        arm("one_axis", (0, 0, 90, 20, 70, 90), (0, 0, 0.4, 0.3, 0.1, 0.2), (0.3, 0.2, 0.1, 0.2, 0.3, 0.1)), (1, 2)
    ),
    "two parallel slides": (
        arm("slides", (0, 0, 90, 90), (0, 0.2, 0.3, 0.2), (0, 0, 0.1, 0.1), "PPRR"), (1, 2)
    ),
    "planar with four": (arm("planar4", (0, 0, 0, 0), (0, 0.5, 0.4, 0.3), (0, 0, 0, 0), "RRRR"), (1, 2, 3, 4)),
}  # fmt: skip
CASES = pytest.mark.parametrize(("robot", "moving"), ARMS.values(), ids=ARMS)


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: Any, **__: Any) -> None:
        raise AssertionError("the equations are searched for steps")

    monkeypatch.setattr(closed, "StepSearch", search)


@CASES
def test_no_steps_are_searched(robot: Robot, moving: tuple[int, ...], no_search: None) -> None:
    joints = ", ".join(f"q{j}" for j in moving)
    with pytest.raises(NotApplicable, match=f"no pose determines the joints: {joints} can move while it stays"):
        symoro.inverse_geometry(robot, method="paul")


@CASES
def test_the_joints_that_are_named_move_while_the_pose_stays(robot: Robot, moving: tuple[int, ...]) -> None:
    """By the Jacobian of differences of NumPy products: its null space has these joints, and no others."""
    for q in np.random.default_rng(4).uniform(-2, 2, (5, len(robot.joints))):
        steps = 1e-6 * np.eye(len(q))
        J = np.array([(forward(robot, q + h) - forward(robot, q - h))[:3].ravel() / 2e-6 for h in steps]).T
        _, s, Vt = np.linalg.svd(J)
        null = Vt[s < 1e-7 * s[0]]
        assert len(null) == 1
        assert tuple(np.flatnonzero(np.abs(null).max(0) > 1e-7) + 1) == moving


@pytest.mark.parametrize("method", ["auto", "general"])
@CASES
def test_members_of_the_continuum_have_the_pose(robot: Robot, moving: tuple[int, ...], method: str) -> None:
    ik = symoro.inverse_geometry(robot, method=method)
    assert f"Every pose leaves {', '.join(f'q{j}' for j in moving)} free" in str(ik.derivation)
    q = np.random.default_rng(3).uniform(-2.5, 2.5, (40 if method == "auto" else 5, len(robot.joints)))
    f, T = ik.compile(), forward(robot, q)
    s = f(T)
    assert (s.status == symoro.Status.CONTINUUM).all()
    assert (s.free == np.isin(range(1, len(robot.joints) + 1), moving)).all()
    assert np.abs(forward(robot, s.q[s.valid]) - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-9
    near = f(T[:5], nearest=q[:5])
    away = (near.q[:, 0] - q[:5] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(np.where([j.prismatic for j in robot.joints], near.q[:, 0] - q[:5], away)).max() < 1e-6


def test_far_poses_of_an_undetermined_arm_are_unreachable_and_no_poses_invalid() -> None:
    f = symoro.inverse_geometry(ARMS["planar with four"][0]).compile()
    T = np.array([np.eye(4), np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])])
    T[0, 0, 3], T[1, 0, 3] = 9.0, np.nan
    s = f(T)
    assert list(map(str, s.status)) == ["unreachable", "invalid", "invalid"]
    assert not s.valid.any()
    assert not s.free.any()
    assert s.distance[0] > 1
    assert f(T[:0]).q.shape == (0, 1, 4)


def test_an_undetermined_arm_with_limits() -> None:
    robot, _ = ARMS["four parallel axes"]
    narrow = {3: Limits(as_value("0.9"), as_value("1.0")), 5: Limits(as_value("-1.2"), as_value("-0.8"))}
    limited = replace(robot, joints=tuple(replace(j, limits=narrow.get(j.index, j.limits)) for j in robot.joints))
    f, T = symoro.inverse_geometry(limited).compile(), forward(robot, np.array([0.3, 0.4, 0.95, -0.3, -1.0, 0.2]))
    s = f(T, limits=True)
    assert s.valid.any()
    assert ((s.q[s.valid][:, 2] >= 0.9 - 1e-12) & (s.q[s.valid][:, 2] <= 1 + 1e-12)).all()
    assert ((s.q[s.valid][:, 4] >= -1.2 - 1e-12) & (s.q[s.valid][:, 4] <= -0.8 + 1e-12)).all()
    assert np.abs(forward(robot, s.q[s.valid]) - T).max() < 1e-9


def test_code_of_an_undetermined_arm_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="give one of the joints 1, 2 by redundant"):
        symoro.inverse_geometry(ARMS["two joints on one axis"][0]).emit("c", tmp_path)


@CASES
def test_with_a_free_joint_given_the_pose_determines_the_others(robot: Robot, moving: tuple[int, ...]) -> None:
    joint = moving[-1]
    f = symoro.inverse_geometry(robot, redundant={joint: "given"}).compile()
    rng = np.random.default_rng(2)
    q = rng.uniform(-1.5, 1.5, (5, len(robot.joints)))
    s = f(forward(robot, q), q[:, [joint - 1]])
    assert (s.status == symoro.Status.COMPLETE).all()
    away = (s.q - q[:, None] + np.pi) % (2 * np.pi) - np.pi
    assert np.where(s.valid, np.abs(away).max(-1), np.inf).min(-1).max() < 1e-7


def test_four_slides_and_tasks_are_refused_too() -> None:
    robot = arm("gantry4", (0, 90, 90, 30), (0, 0, 0, 0.1), (0, 90, 0, 0), "PPPP")
    with pytest.raises(NotApplicable, match="q2, q3, q4 can move while it stays"):
        symoro.inverse_geometry(robot)
    with pytest.raises(NotApplicable, match="no axis determines the joints: q5 can move while it stays"):
        symoro.inverse_geometry("youbot", method="paul", task="axis-z")


def test_a_given_joint_that_does_not_help_is_refused() -> None:
    robot, _ = ARMS["two joints on one axis"]
    with pytest.raises(NotApplicable, match="q1, q2 can move while it stays"):
        symoro.inverse_geometry(robot, method="paul", redundant={4: "q4"})
