"""Residual and condition of loops with the results of a model, and warnings where they say that it means nothing."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import acos, atan2, cos, sin

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array
from support.loop_robots import described, joint
from symoro.errors import LoopWarning, ModelError, ShapeError
from symoro.models.loops.assembly import Gap
from symoro.models.loops.state import LoopCheck
from symoro.robot.robot import Robot
from symoro.runtime.checked import CheckedFunction

OPEN = [0.3, 0.1, 0.2]


@pytest.fixture(scope="module")
def closed() -> Array:
    return symoro.loop_geometry("four-bar").compile()(0.3)


@pytest.fixture(scope="module")
def torques() -> CheckedFunction:
    return symoro.inverse_dynamics("four-bar").compile(check_loops=True)  # type: ignore[return-value]


def rocker_driven() -> tuple[Robot, Array]:
    """The four-bar linkage with its motor on the rocker, and the dead point where crank and coupler are in line."""
    robot = symoro.load("four-bar")
    L = {name: robot.values.numbers()[name] for name in ("L1", "L2", "L3", "L4")}
    long = L["L1"] + L["L2"]
    q1 = acos((long**2 + L["L4"] ** 2 - L["L3"] ** 2) / (2 * long * L["L4"]))
    q3 = atan2(long * sin(q1), long * cos(q1) - L["L4"])
    joints = tuple(replace(j, actuated=j.index == 3) for j in robot.joints)
    return replace(robot, joints=joints), np.array([q1, 0.0, q3])


def test_a_closed_configuration_gives_the_same_result(torques: CheckedFunction, closed: Array) -> None:
    plain = symoro.inverse_dynamics("four-bar").compile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_close(torques(closed, [1.0], [0.5]), plain(closed, [1.0], [0.5]), 1e-15)
        assert_close(torques(qdd=[0.5], qd=[1.0], q=closed), plain(closed, [1.0], [0.5]), 1e-15)
        for on_input in (
            lambda q: torques(q, [1.0], [0.5], out=q[:1]),
            lambda q: torques(q=q, qd=[1.0], qdd=[0.5], out=q[:1]),
        ):
            assert_close(on_input(closed.copy()), plain(closed, [1.0], [0.5]), 1e-15)  # q is looked at as it was
    residual, condition = torques.closure(closed)
    assert residual < 1e-12
    assert 1 < condition < 10


def test_an_open_configuration_is_said(torques: CheckedFunction, closed: Array) -> None:
    for q in (OPEN, [OPEN, closed]):
        with pytest.warns(LoopWarning, match=r"the loops of four-bar are open \(residual 0\.209\)"):
            torques(q, [1.0], [0.5])
    assert torques.closure([OPEN, closed]).residual.shape == (2,)


def test_other_lengths_open_the_loops(torques: CheckedFunction, closed: Array) -> None:
    with pytest.warns(LoopWarning, match="are open"):
        torques(closed, [1.0], [0.5], values={"L2": 0.55})


def test_a_dead_point_is_said() -> None:
    robot, q = rocker_driven()
    f = symoro.inverse_dynamics(robot).compile(check_loops=True)
    assert f.closure(q).residual < 1e-12  # type: ignore[attr-defined]
    assert f.closure(q).condition > 1e12  # type: ignore[attr-defined]
    with pytest.warns(LoopWarning, match="the motors of four-bar are at a dead point"):
        f(q, [1.0], [0.5])


def test_a_joint_that_follows_has_no_place_in_q() -> None:
    """A wheel before the passive joints follows the crank of a four-bar linkage: the loop is the same as without it."""
    lengths = {"L1": 0.2, "L2": 0.5, "L3": 0.4, "L4": 0.45}
    joints = [
        joint(1, 0, actuated=True),
        joint(2, 0, d=1.0, theta="-2*q1"),
        joint(3, 1, d="L1"),
        joint(4, 0, d="L4"),
        joint(5, 3, d="L2"),
        joint(6, 4, kind="fixed", d="L3"),
    ]
    robot = described("wheel", joints, [(5, 6)], lengths)
    wanted = symoro.loop_geometry("four-bar").compile()
    f = symoro.loop_geometry(robot).compile()
    torques = symoro.inverse_dynamics(robot).compile(check_loops=True)
    for q1 in (0.3, 2.0, 4.0):
        q = wanted(q1)
        assert_close(f(q1), q, 1e-12)
        for state in (f.closure(q), torques.closure(q)):  # type: ignore[attr-defined]
            assert_close(state.condition, wanted.closure(q).condition, 1e-12)


def test_opposite_axes_of_a_cut_are_open() -> None:
    """The closure equations are 0, too, where the axes of a cut are opposite; the loop is not closed there."""

    def closure(q: Array, values: object) -> Gap:
        return Gap(np.zeros((2, 1)), np.zeros((2, 1, 1)), np.array([[-1.0], [1.0]]))

    check = LoopCheck("flipped", closure, lambda q, values: np.ones((2, 1, 1)), [0])
    assert check.state(np.zeros((2, 1))).residual.tolist() == [1.0, 0.0]


def test_by_default_nothing_is_checked() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symoro.inverse_dynamics("four-bar").compile()(OPEN, [1.0], [0.5])


def test_robots_without_loops_have_nothing_to_check() -> None:
    with pytest.raises(ModelError, match="the robot has no closed loops"):
        symoro.inverse_dynamics("rx90").compile(check_loops=True)


def test_errors_of_shapes_come_first(torques: CheckedFunction) -> None:
    with pytest.raises(ShapeError, match="missing input"):
        torques(OPEN)
