"""The fastest motion along a path against toppra, on the same grid and with the same interpolation; time scaling."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import toppra
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline, PPoly
from toppra import algorithm, constraint

import symoro
from support.close import assert_close
from support.mechanisms import Mechanism
from support.platforms import joint_positions
from support.raised import raised
from support.samples import named, some
from symoro.models.parallel.platform import home
from symoro.motion.splines import JointSpline, of_spline
from symoro.motion.trajectory import Trajectory
from symoro.robot.link import Drive
from symoro.robot.values import as_value

KNOTS = np.linspace(0, 1, 5)
EFFORT = np.array([150, 300, 150, 30, 30, 10.0])
VELOCITY = np.full(6, 3.0)
INTERPOLATION = constraint.DiscretizationType.Interpolation


@cache
def rx90(friction: bool = False) -> Any:
    robot = symoro.load("rx90")
    if not friction:
        return robot
    drives = tuple(
        Drive(IA=drive.IA, FV=as_value(size), FS=as_value(2 * size))
        for drive, size in zip(robot.drives, (6, 8, 5, 2, 1, 0.5), strict=True)
    )
    return replace(robot, drives=drives)


@cache
def torques(friction: bool = False) -> Any:
    return symoro.inverse_dynamics(rx90(friction)).compile()


def curve(seed: int) -> tuple[Trajectory, Any]:
    """A spline that is not at rest at its ends, and its points."""
    points = np.random.default_rng(seed).uniform(-1.5, 1.5, (len(KNOTS), 6))
    made = CubicSpline(KNOTS, points)
    return of_spline(
        JointSpline(tuple(PPoly(made.c[..., j], made.x) for j in range(6))), [f"q{j}" for j in range(6)]
    ), points


@pytest.mark.parametrize("seed", some(2, 20))
def test_the_duration_is_that_of_toppra(seed: int) -> None:
    path, points = curve(seed)
    found = symoro.time_optimal(path, rx90(), effort=EFFORT, velocity=VELOCITY, acceleration=20.0, points=201)
    limits = [
        constraint.JointVelocityConstraint(np.c_[-VELOCITY, VELOCITY]),
        constraint.JointAccelerationConstraint(np.tile([-20.0, 20.0], (6, 1)), discretization_scheme=INTERPOLATION),
        constraint.JointTorqueConstraint(
            torques(), np.c_[-EFFORT, EFFORT], np.zeros(6), discretization_scheme=INTERPOLATION
        ),
    ]
    grid = np.linspace(0, 1, 201)
    peer = algorithm.TOPPRA(limits, toppra.SplineInterpolator(KNOTS, points), gridpoints=grid, solver_wrapper="seidel")
    _, speed, _ = peer.compute_parameterization(0, 0)
    assert_close(found.duration, np.sum(2 * np.diff(grid) / (speed[1:] + speed[:-1])), 1e-6)


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("seed", some(1, 4))
def test_limits_hold_at_the_points_of_the_grid_and_the_excess_between_them_is_said(friction: bool, seed: int) -> None:
    path, points = curve(seed)
    found = symoro.time_optimal(path, rx90(friction), effort=EFFORT, velocity=VELOCITY, points=401)
    time = found.times(8001)
    q, qd, qdd = found(time)
    share = max(
        float((np.abs(torques(friction)(q, qd, qdd)) / EFFORT)[5:-5].max()), float((np.abs(qd) / VELOCITY).max())
    )
    assert 1 - 1e-3 < share <= 1 + 1.5 * found.excess + 1e-9
    if not friction:  # a joint that turns round between two points changes the sign of its friction there
        assert found.excess < 5e-3
    assert_close(found(0.0).q, points[0], 1e-12)
    assert_close(found(found.duration).q, points[-1], 1e-9)
    assert_close(cumulative_trapezoid(qd, time, axis=0), q[1:] - q[0], 1e-5)


def test_a_double_integrator_gets_the_trapezoid() -> None:
    """With limits of velocity and acceleration alone, a straight line is travelled by K13's trapezoid."""
    line = symoro.trajectory([0.0, 0.0], [1.0, -3.0], duration=1.0)
    limits = {"velocity": [1.0, 2.0], "acceleration": [2.0, 4.0]}
    trapezoid = symoro.trajectory([0.0, 0.0], [1.0, -3.0], "trapezoid", **limits)
    durations = [symoro.time_optimal(line, points=n, **limits).duration for n in (201, 3201)]
    assert_close(durations[1], trapezoid.duration, 1e-4)
    assert abs(durations[1] - trapezoid.duration) < abs(durations[0] - trapezoid.duration) / 8


def test_a_faster_motion_than_the_scaled_one() -> None:
    """Scaling keeps the shape of the motion, so that it cannot be faster than the fastest one."""
    start, end = np.zeros(6), np.array([1.0, 0.5, -0.8, 1.0, 0.5, 2.0])
    shape = symoro.trajectory(start, end, duration=1.0)
    scaled = symoro.time_scaled(shape, rx90(True), effort=EFFORT)
    best = symoro.time_optimal(shape, rx90(True), effort=EFFORT)
    assert best.duration < scaled.duration


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("duration", [0.2, 20.0])
def test_a_scaled_motion_reaches_a_limit_of_torque_and_keeps_all(friction: bool, duration: float) -> None:
    start, end = np.zeros(6), np.array([1.0, 0.5, -0.8, 1.0, 0.5, 2.0])
    shape = symoro.trajectory(start, end, duration=duration)
    scaled = symoro.time_scaled(shape, rx90(friction), effort=EFFORT)
    share = np.abs(torques(friction)(*scaled(scaled.times(1001)))) / EFFORT
    assert_close(share.max(), 1.0, 1e-12)
    assert_close(scaled(scaled.duration / 3).q, shape(duration / 3).q, 1e-12)


def test_what_no_slower_motion_can_hold_is_refused() -> None:
    shape = symoro.trajectory(np.zeros(6), np.full(6, 0.3), duration=1.0)
    weak = [1e3, 1.0, 1e3, 1e3, 1e3, 1e3]
    for plan in (symoro.time_scaled, symoro.time_optimal):
        with pytest.raises(symoro.SymoroError, match="joint shoulder: gravity and friction"):
            plan(shape, rx90(), effort=weak)


def test_torques_along_closed_loops() -> None:
    """The motor of a four-bar linkage, with its loop closed at each point."""
    robot = symoro.load("four-bar")
    shape = symoro.trajectory([0.3], [3.0], duration=1.0)
    scaled = symoro.time_scaled(shape, robot, effort=[8.0], points=101)
    q, qd, qdd = scaled(scaled.times(101))
    closed = symoro.loop_geometry(robot).compile()(q)
    GAM = symoro.inverse_dynamics(robot).compile()(closed, qd, qdd)
    assert_close(np.abs(GAM).max(), 8.0, 1e-9)


def test_what_is_missing_is_said() -> None:
    shape = symoro.trajectory([0.0], [1.0], duration=1.0)
    with raised("trajectories.no_limits"):
        symoro.time_optimal(shape, velocity=1.0)
    with raised("trajectories.torque_needs_robot"):
        symoro.time_optimal(shape, effort=1.0)
    with raised("trajectories.other_coordinates"):
        symoro.time_scaled(symoro.trajectory([0.0] * 3, [1.0] * 3, duration=1.0), "satellite", effort=1.0)


@pytest.mark.long
@pytest.mark.parametrize("name", named(["five-bar-legs", "3rps"], ("3rps",)))
def test_torques_of_a_platform_reach_their_limits_and_no_more(name: str) -> None:
    """The torques along the motion are those of Pinocchio's open tree with multipliers."""
    robot = symoro.load(name)
    start = symoro.simulate(robot, duration=0.001).q[0]
    path = symoro.trajectory(start, start + 0.05, duration=1.0)
    limit = 200.0
    for motion in (symoro.time_optimal(path, robot, effort=limit), symoro.time_scaled(path, robot, effort=limit)):
        time = np.linspace(0, motion.duration, 43)[1:-1]  # dry friction has no direction at rest
        poses = symoro.forward_geometry(robot).compile()(motion(time).q, guess=home(robot)).T[:, 0]
        torques = np.array(
            [_by_multipliers(robot, T, qd, qdd) for T, _, qd, qdd in zip(poses, *motion(time), strict=True)]
        )
        assert 0.98 * limit < np.abs(torques).max() < 1.001 * limit


def _by_multipliers(robot: Any, T: Any, qd: Any, qdd: Any) -> Any:
    m = Mechanism(robot, T, joint_positions(robot, T))
    motors = [int(k) for k in m.motors().argmax(axis=0)]
    u = m.velocities_for(qd, motors)
    return m.torques(u, m.accelerations_for(u, qdd, motors))
