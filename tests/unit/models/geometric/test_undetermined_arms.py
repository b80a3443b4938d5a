"""Arms whose poses never determine their joints: they are not searched for steps, and it is said at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import arm, forward
from symoro.errors import NotApplicable
from symoro.models.geometric.inverse import closed
from symoro.robot.robot import Robot

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

    monkeypatch.setattr(closed, "Search", search)


@CASES
def test_no_steps_are_searched(robot: Robot, moving: tuple[int, ...], no_search: None) -> None:
    joints = ", ".join(f"q{j}" for j in moving)
    with pytest.raises(NotApplicable, match=f"no pose determines the joints: {joints} can move while it stays"):
        symoro.inverse_geometry(robot, method="paul")
    assert symoro.inverse_geometry(robot).method == "general"


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
