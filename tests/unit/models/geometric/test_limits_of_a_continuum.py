"""Joint limits where a pose leaves joints free: a member of the continuum is inside, and has the pose by products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import symoro
from support.arms import ARMS, arm, forward
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.solver import Solver

Array = np.ndarray[Any, Any]
Status = symoro.Status
WRIST = ARMS["kr6-like"]
#: The wrist is straight: only the sum of q4 and q6, which is 1.0, counts.
STRAIGHT = np.array([0.3, -0.4, 0.5, 0.6, 0.0, 0.4])


def limited(robot: Robot, limits: Mapping[int, tuple[float, float]]) -> Robot:
    own = {j: Limits(as_value(low), as_value(high)) for j, (low, high) in limits.items()}
    return replace(robot, joints=tuple(replace(j, limits=own.get(j.index, Limits())) for j in robot.joints))


def solver(robot: Robot, method: str, **limits: tuple[float, float]) -> Solver:
    chosen = {int(name[1:]): pair for name, pair in limits.items()}
    return symoro.inverse_geometry(limited(robot, chosen), method=method).compile()


METHODS = pytest.mark.parametrize("method", ["auto", "general"])


@METHODS
@pytest.mark.parametrize(
    ("q4", "q6"),
    [((1.2, 1.6), (-3.0, 3.0)), ((-3.0, 3.0), (1.7, 1.7004)), ((7.0, 7.5), (-9.0, 9.0)), ((0.2, 0.7), (0.5, 0.501))],
)
def test_another_member_is_inside(method: str, q4: tuple[float, float], q6: tuple[float, float]) -> None:
    f, T = solver(WRIST, method, q4=q4, q6=q6), forward(WRIST, STRAIGHT)
    s = f(T, limits=True)
    assert s.status is Status.CONTINUUM
    inside = s.q[s.valid]
    assert np.abs(forward(WRIST, inside) - T).max() < 1e-9
    for joint, (low, high) in ((3, q4), (5, q6)):
        assert inside[:, joint].min() >= low - 1e-12
        assert inside[:, joint].max() <= high + 1e-12


@METHODS
def test_where_no_member_is_inside_the_pose_is_unreachable(method: str) -> None:
    """Of q4 + q6 = 1.0 and, with the wrist turned over, q4 + q6 = 1.0 again, none has both in these limits."""
    f = solver(WRIST, method, q4=(0.0, 0.2), q6=(0.0, 0.7))
    s = f(forward(WRIST, STRAIGHT), limits=True)
    assert s.status is Status.UNREACHABLE
    assert not s.valid.any()
    assert np.isnan(s.q).all()


def test_batches_give_what_single_poses_give() -> None:
    f = solver(WRIST, "auto", q4=(1.2, 1.6))
    q = np.array([STRAIGHT, [0.3, -0.4, 0.5, 1.3, 0.7, 0.4], STRAIGHT + np.array([0.1, 0, 0, 0, 0, 0.5])])
    T = forward(WRIST, q)
    for leading in ((3,), (3, 1), (1, 3)):
        s = f(T.reshape(*leading, 4, 4), limits=True)
        assert s.valid.any(-1).all()
        for place, one in zip(np.ndindex(leading), T, strict=True):
            alone = f(one, limits=True)
            np.testing.assert_array_equal(s.valid[place], alone.valid)
            np.testing.assert_allclose(s.q[place], alone.q, atol=1e-12)
            assert s.status[place] is alone.status


def test_the_member_is_near_the_wanted_configuration() -> None:
    f, T = solver(WRIST, "auto", q4=(1.2, 1.6)), forward(WRIST, STRAIGHT)
    for wanted, limit in ((2.6, 1.6), (-0.3, 1.2)):
        s = f(T, limits=True, nearest=STRAIGHT + (wanted - STRAIGHT[3]) * np.array([0, 0, 0, 1, 0, -1]))
        assert abs(s.q[0, 3] - limit) < 1e-9
        assert np.abs(forward(WRIST, s.q[s.valid]) - T).max() < 1e-9


@METHODS
def test_slides_are_moved_inside(method: str) -> None:
    """Where two slides are parallel, only their sum counts, here 2.0; the second may have 0.5 at most."""
    robot = arm("slides", (0, 90, -90), (0, 0, 0.2), (0, 0, 0), "PRP")
    f = solver(robot, method, q1=(0.0, 3.0), q3=(0.0, 0.5))
    T = forward(robot, np.array([0.1, 0.0, 1.9]))
    assert f(T).status is Status.CONTINUUM
    s = f(T, limits=True)
    assert s.valid.any()
    assert ((s.q[s.valid][:, 0] > 1.5 - 1e-9) & (s.q[s.valid][:, 0] < 2.0 + 1e-9)).all()
    assert np.abs(forward(robot, s.q[s.valid]) - T).max() < 1e-9


@METHODS
def test_an_axis_leaves_a_joint_free(method: str) -> None:
    """The x axis of the frame along axis 1, and its origin on it: q1 is free."""
    robot = ARMS["youbot-like"]
    q = np.array([0.4, *fsolve(partial(off_the_axis, robot), [0.3, 1.0, 0.5, 0.1], xtol=1e-14)])
    T = forward(robot, q)
    f = symoro.inverse_geometry(limited(robot, {1: (2.0, 2.1)}), method=method, task="axis-x").compile()
    assert f(T).status is Status.CONTINUUM
    s = f(T, limits=True)
    assert s.valid.any()
    assert ((s.q[s.valid][:, 0] >= 2.0 - 1e-12) & (s.q[s.valid][:, 0] <= 2.1 + 1e-12)).all()
    assert np.abs((forward(robot, s.q[s.valid]) - T)[:, :3, [0, 3]]).max() < 1e-9


def off_the_axis(robot: Robot, q: Array) -> list[float]:
    """How far the frame is from axis 1, in its position and direction, and from a height."""
    T = forward(robot, np.array([0.0, *q]))
    return [T[0, 3], T[2, 1], T[2, 2], T[2, 3] - 0.3]
