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
from support.raised import raised
from symoro.errors import LoopWarning, ShapeError
from symoro.models.loops.assembly import Gap
from symoro.models.parallel.platform import home
from symoro.robot.robot import Robot
from symoro.runtime.checked import WatchedFunction
from symoro.solve.loops import LoopCheck

OPEN = [0.3, 0.1, 0.2]


@pytest.fixture(scope="module")
def closed() -> Array:
    return symoro.loop_geometry("four-bar").compile()(0.3)


@pytest.fixture(scope="module")
def torques() -> WatchedFunction:
    return symoro.inverse_dynamics("four-bar").compile()  # type: ignore[return-value]


def rocker_driven() -> tuple[Robot, Array]:
    """The four-bar linkage with its motor on the rocker, and the dead point where crank and coupler are in line."""
    robot = symoro.load("four-bar")
    L = {name: robot.values.numbers()[name] for name in ("L1", "L2", "L3", "L4")}
    long = L["L1"] + L["L2"]
    q1 = acos((long**2 + L["L4"] ** 2 - L["L3"] ** 2) / (2 * long * L["L4"]))
    q3 = atan2(long * sin(q1), long * cos(q1) - L["L4"])
    joints = tuple(replace(j, actuated=j.index == 3) for j in robot.joints)
    return replace(robot, joints=joints), np.array([q1, 0.0, q3])


def test_a_closed_configuration_gives_the_same_result(torques: WatchedFunction, closed: Array) -> None:
    plain = symoro.inverse_dynamics("four-bar").compile(check=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_close(torques(closed, [1.0], [0.5]), plain(closed, [1.0], [0.5]), 1e-15)
        assert_close(torques(qdd=[0.5], qd=[1.0], q=closed), plain(closed, [1.0], [0.5]), 1e-15)
        for on_input in (
            lambda q: torques(q, [1.0], [0.5], out=q[:1]),
            lambda q: torques(q=q, qd=[1.0], qdd=[0.5], out=q[:1]),
        ):
            assert_close(on_input(closed.copy()), plain(closed, [1.0], [0.5]), 1e-15)  # q is looked at as it was
    residual, condition = symoro.loop_geometry("four-bar").compile().closure(closed)
    assert residual < 1e-12
    assert 1 < condition < 10


def test_an_open_configuration_is_said(torques: WatchedFunction, closed: Array) -> None:
    for q, where in ((OPEN, ""), ([closed, closed, OPEN, OPEN], " at state 2")):
        with pytest.warns(LoopWarning, match=rf"the loops of four-bar are open{where} \(residual ") as said:
            torques(q, [1.0], [0.5])
        assert said[0].message.finding.code == "runtime.loops_open"  # type: ignore[union-attr]


def test_other_lengths_open_the_loops(torques: WatchedFunction, closed: Array) -> None:
    with pytest.warns(LoopWarning, match="are open"):
        torques(closed, [1.0], [0.5], values={"L2": 0.55})


def test_a_dead_point_is_said() -> None:
    robot, q = rocker_driven()
    f, state = symoro.inverse_dynamics(robot).compile(), symoro.loop_geometry(robot).compile().closure(q)
    assert state.residual < 1e-12
    assert state.condition > 1e12
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
    for q1 in (0.3, 2.0, 4.0):
        q = wanted(q1)
        assert_close(f(q1), q, 1e-12)
        assert_close(f.closure(q).condition, wanted.closure(q).condition, 1e-12)


def test_opposite_axes_of_a_cut_are_open() -> None:
    """The closure equations are 0, too, where the axes of a cut are opposite; the loop is not closed there."""

    def closure(q: Array, values: object) -> Gap:
        return Gap(np.zeros((2, 1)), np.zeros((2, 1, 1)), np.array([[-1.0], [1.0]]))

    check = LoopCheck("flipped", closure, lambda q, values: np.ones((2, 1, 1)), [0])
    assert check.state(np.zeros((2, 1))).residual.tolist() == [1.0, 0.0]


def test_without_a_check_nothing_is_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symoro.inverse_dynamics("four-bar").compile(check=False)(OPEN, [1.0], [0.5])


def test_a_singular_pose_of_a_platform_is_said() -> None:
    """Turned by 90° about the vertical, the motors do not hold it: Fichter's singularity."""
    f, still, T = symoro.inverse_dynamics("gough-stewart", optimize=False).compile(), np.zeros(6), np.eye(4)
    T[2, 3] = 1.1
    turned = T.copy()
    turned[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(T, still, still)
    with pytest.warns(LoopWarning, match="the pose of the platform of gough-stewart is singular at state 1,"):
        f([T, turned], still, still)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # its matrix and its forces of gravity exist there
        symoro.inertia_matrix("gough-stewart", optimize=False).compile()(turned)


def test_legs_that_do_not_meet_their_platform_are_said() -> None:
    f = symoro.gravity("delta", given="joints", optimize=False).compile()
    closed = symoro.inverse_geometry("delta").compile()(home(symoro.load("delta")), joints=True).q
    q = closed[np.isfinite(closed).all(axis=1)][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(q)
    with pytest.warns(LoopWarning, match=r"the legs of delta do not meet its platform \(residual"):
        f(q + 0.1)


def test_a_singular_wrist_has_no_inverse() -> None:
    f = symoro.jacobian_inverse("puma560").compile()
    regular, singular = [0, 0.3, 0.4, 0.1, 0.5, 0.2], [0, 0.3, 0.4, 0.1, 0, 0.2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(regular)
        f([np.nan] * 6)
    with pytest.warns(LoopWarning, match="the Jacobian matrix of puma560 is singular at state 1,"):
        f([regular, singular])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        symoro.jacobian_inverse("puma560").compile(check=False)(singular)


@pytest.mark.parametrize("name", ["operational_inertia", "operational_dynamics"])
def test_a_singular_wrist_has_no_inertia_in_its_task(name: str) -> None:
    model = getattr(symoro, name)("puma560", optimize=False)
    more = [np.zeros(6)] * (len(model.inputs) - 1)
    regular, singular = [0, 0.3, 0.4, 0.1, 0.5, 0.2], [0, 0.3, 0.4, 0.1, 0, 0.2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.compile()(regular, *more)
        model.compile(check=False)(singular, *more)
    with pytest.warns(LoopWarning, match="the Jacobian matrix of puma560 is singular at state 1,"):
        model.compile()([regular, singular], *more)


def test_a_closed_and_singular_loop_has_no_inverse() -> None:
    """The second arm of the five-bar linkage is straight: its motor moves the end along the arm by nothing."""
    robot, a, q3 = symoro.load("five-bar"), 0.3 + 0.5, 2.1
    x, y = 0.4 + a * cos(q3), a * sin(q3)  # of the end
    far = x * x + y * y
    q1 = atan2(y, x) + acos((far + 0.3**2 - 0.5**2) / (2 * 0.3 * far**0.5))
    q2 = atan2(y - 0.3 * sin(q1), x - 0.3 * cos(q1)) - q1
    q = np.array([q1, q2, q3, 0.0])
    assert symoro.loop_geometry(robot).compile().closure(q).residual < 1e-12
    for name in ("jacobian_inverse", "operational_inertia"):
        model = getattr(symoro, name)(robot, link=5)
        with pytest.warns(LoopWarning, match="the Jacobian matrix of five-bar is singular, or nearly so"):
            model.compile()(q)


def test_angles_without_rates_are_said() -> None:
    f = symoro.analytical_jacobian("puma560", link=6, angles="zyz").compile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f([0, 0.3, 0.4, 0.1, 0.5, 0.2])
    with pytest.warns(LoopWarning, match="the angles of an orientation of puma560 do not have rates at state 1,"):
        f([[0, 0.3, 0.4, 0.1, 0.5, 0.2], [0, 0.0, 0.0, 0.0, 0.0, 0.0]])


def test_open_loops_are_said_by_the_analytical_jacobian_and_its_derivative_goes_along_them() -> None:
    model, plain = (getattr(symoro, name)("five-bar", link=5) for name in ("analytical_jacobian", "jacobian"))
    with pytest.warns(LoopWarning, match="the loops of five-bar are open"):
        model.compile()([0.9, 0.1, 0.1, 0.2])
    q = symoro.loop_geometry("five-bar").compile()([0.9, 1.9])
    assert_close(model.derivative("q").compile()(q)[:3], plain.derivative("q").compile()(q)[:3], 1e-12)


def test_errors_of_shapes_come_first(torques: WatchedFunction) -> None:
    with raised("runtime.missing_input", ShapeError):
        torques(OPEN)
