"""Inverse geometry of arms whose grippers have loops, and of arms with joints that follow others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import symoro
from support.loop_robots import joint
from support.raised import raised
from symoro import Robot, Status
from symoro.robot.robot import cut_closures
from symoro.robot.values import as_value


def with_gripper(name: str) -> Robot:
    """The arm with a four-bar linkage on its last link, which a motor of its own moves, and a tool (link 10)."""
    arm = symoro.load(name)
    fingers = [
        joint(7, 6, actuated=True, b=0.1), joint(8, 7, d="G1"), joint(9, 6, d="G4", b=0.1),
        joint(10, 6, "fixed", b=0.2), joint(11, 8, d="G2"), joint(12, 9, "fixed", d="G3"),
    ]  # fmt: skip
    lengths = {"G1": 0.03, "G2": 0.05, "G3": 0.04, "G4": 0.045}
    values = {n: as_value(x) for n, x in {**arm.values.numbers(), **lengths}.items()}
    joints = (*arm.joints, *fingers)
    return Robot("gripper", joints, closures=cut_closures(joints, [(11, 12)]), values=values)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{}, {"link": 10}])
def test_loops_of_a_gripper_do_not_matter_to_the_arm(given: dict[str, Any]) -> None:
    arm, q = symoro.forward_geometry("puma560", link=6).compile("numpy"), np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    ik = symoro.inverse_geometry(with_gripper("puma560"), **given)
    assert ik.method == "paul"
    s = ik.compile("numpy")(arm(q) @ symoro.transform(with_gripper("puma560"), 6, 10).compile("numpy")(np.zeros(9)))
    assert s.status is Status.COMPLETE
    assert s.valid.sum() == 8
    assert np.abs(s.q - q).max(-1).min() < 1e-9


@pytest.mark.long
def test_an_arm_with_a_gripper_may_need_the_general_method() -> None:
    ik = symoro.inverse_geometry(with_gripper("general6r"), link=6)
    assert ik.method == "general"


def following(slope: str = "0.1 - q2/2", method: str = "auto") -> tuple[Robot, Any, Any]:
    """An arm with six axes, of which the third follows the second: its solver and its direct geometry."""
    right = {"alpha": "pi/2"}
    rows: list[dict[str, Any]] = [
        {"r": 0.3},
        right,
        {"d": 0.4, "theta": slope},
        {**right, "r": 0.3, "d": 0.05},
        right,
        right,
    ]
    robot = Robot.from_mdh(rows, "following")
    solver = symoro.inverse_geometry(robot, method).compile("numpy")
    return robot, solver, symoro.forward_geometry(robot).compile("numpy")


@pytest.mark.parametrize("method", ["auto", pytest.param("general", marks=pytest.mark.long)])
def test_an_arm_with_a_follower_has_the_branches_of_a_search(method: str) -> None:
    """q2 counts in two turns: half a turn of the follower is one of q2."""
    _, solver, forward = following(method=method)
    assert solver.joints == (1, 2, 4, 5, 6)
    rng, period = np.random.default_rng(0), np.array([1, 2, 1, 1, 1]) * 2 * np.pi
    for q in rng.uniform(-3, 3, (3, 5)):
        T = forward(q)
        s = solver(T)
        assert s.status is Status.COMPLETE
        found = s.q[s.valid]
        assert np.abs(forward(found) - T).max() < 1e-9
        searched = [
            least_squares(lambda x, T=T: (forward(x) - T)[:3].ravel(), rng.uniform(-6, 6, 5), xtol=1e-15)
            for _ in range(40)
        ]
        closed = [q, *(one.x for one in searched if one.cost < 1e-18)]
        away = np.remainder(found - np.array(closed)[:, None] + period / 2, period) - period / 2
        assert np.abs(away).max(-1).min(-1).max() < 1e-6
        assert np.abs(away).max(-1).min(0).max() < 1e-6 or len(closed) < 5


def test_poses_that_a_follower_does_not_allow_are_unreachable() -> None:
    _, solver, forward = following()
    T = forward(np.array([0.3, 0.4, 0.5, 0.6, 0.7]))
    other = T.copy()
    other[2, 3] += 0.01  # the arm with a motor in the place of the follower reaches it
    assert [s.value for s in solver(np.array([T, other, np.full((4, 4), np.nan)])).status] == [
        "complete", "unreachable", "invalid",
    ]  # fmt: skip


def test_a_ratio_without_common_turns_is_incomplete() -> None:
    _, solver, forward = following("sqrt(2)*q2")
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7])
    s = solver(forward(q))
    assert s.status is Status.INCOMPLETE
    assert np.abs(s.q[s.valid] - q).max(-1).min() < 1e-8


def test_code_of_an_arm_with_a_follower_is_refused_in_words(tmp_path: Any) -> None:
    robot, _, _ = following()
    with raised("positions.follower_code"):
        symoro.inverse_geometry(robot).emit("c", tmp_path)
