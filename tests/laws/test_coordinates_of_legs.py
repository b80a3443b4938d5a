"""A leg whose coordinates are multiples of its variables, such as -q1 or 10*q1, moves and pushes as the plain one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.errors import CheckError
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.platform import home, moved
from symoro.robot.robot import Robot
from symoro.robot.symbolic import substituted
from symoro.robot.values import as_value

SLOPES = (-1.0, 3.0, -0.25, 1.0, -2.0, 5.0)
"""Reversed, geared and plain joints by turns."""
ROBOTS = [
    "planar-3rrr",
    *(pytest.param(n, marks=pytest.mark.long) for n in ("delta", "gough-stewart", "orthoglide-legs", "hexa")),
]
ALIKE = ("direct_dynamics", "operational_inertia", "gravity", "coriolis_torques")


def with_coordinates(robot: Robot, slopes: tuple[float, ...]) -> Robot:
    """The robot without drives, whose leg k has the slope k + j at its joint j; the others are constants."""
    legs = []
    for k, leg in enumerate(robot.legs):
        at = {j.variable: as_value(f"{slopes[(k + j.index) % 6]!r}*{j.variable}") for j in leg.joints if j.variable}
        rows = ((j, {j.moving: substituted(j.position, at)} if j.variable else {}) for j in leg.joints)
        legs.append(replace(leg, joints=tuple(replace(j, **row) for j, row in rows), drives=()))
    parts: dict[str, Any] = {"home": robot.home, "gravity": robot.gravity, "values": robot.values}
    return symoro.ParallelRobot(robot.platform, legs, robot.attachments, robot.name, branch=robot.branch, **parts)


@cache
def pair(name: str) -> tuple[Robot, Robot]:
    """The plain robot, and the other one."""
    robot = symoro.load(name)
    return with_coordinates(robot, (1.0,) * 6), with_coordinates(robot, SLOPES)


def of_motors(robot: Robot) -> np.ndarray:
    return np.array([SLOPES[(i + j) % 6] for i, j in robot.motors])


def turns(robot: Robot) -> np.ndarray:
    """Whole turns of the motors of the other robot."""
    revolute = [robot.legs[i].joint(j).revolute for i, j in robot.motors]
    return np.where(revolute, 2 * np.pi / np.abs(of_motors(robot)), 0.0)


def state(robot: Robot) -> dict[str, np.ndarray]:
    """A pose near home with a motion that the legs allow."""
    rng, free = np.random.default_rng(0), list(structure(robot).independent)
    step, V, VP = np.zeros((3, 6))
    step[free], V[free], VP[free] = 0.03 * rng.uniform(-1, 1, len(free)), *rng.uniform(-1, 1, (2, len(free)))
    return {"T": moved(home(robot), step), "V": V, "VP": VP}


def motors_at(robot: Robot, T: np.ndarray) -> np.ndarray:
    q = symoro.inverse_geometry(robot).compile("numpy")(T).q
    return np.array([q[structure(robot).branches[i], k] for k, (i, _) in enumerate(robot.motors)])


@pytest.mark.parametrize("name", ROBOTS)
def test_models_are_those_of_the_plain_robot(name: str) -> None:
    plain, other = pair(name)
    slopes, at = of_motors(plain), state(plain)
    results = {}
    for model in ("inverse_dynamics", "jacobian", "energies", *ALIKE):
        for robot in (plain, other):
            f = getattr(symoro, model)(robot, optimize=False).compile("numpy")
            forces = np.arange(1.0, len(slopes) + 1) * (slopes if robot is other else 1.0)
            given = {i.name: at.get(i.name, forces) for i in f.program.inputs if not i.optional}
            results[model, robot is other] = f(**given)
    assert_close(results["inverse_dynamics", True], slopes * results["inverse_dynamics", False], 1e-12)
    assert_close(results["jacobian", True], results["jacobian", False] * slopes, 1e-12)
    for model in ALIKE:
        assert_close(results[model, True], results[model, False], 1e-11)
    for x, y in zip(results["energies", True], results["energies", False], strict=True):
        assert_close(x, y, 1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_positions_are_those_of_the_plain_robot(name: str) -> None:
    plain, other = pair(name)
    slopes, T = of_motors(plain), state(plain)["T"]
    q, geared = motors_at(plain, T), motors_at(other, T)
    away = (geared - q / slopes) / np.where(turns(plain) > 0, turns(plain), 1.0)
    assert_close(away, np.where(turns(plain) > 0, np.round(away), 0.0), 1e-9)
    poses = [symoro.forward_geometry(r).compile("numpy")(x) for r, x in ((plain, q), (other, geared))]
    assert poses[0].valid.sum() == poses[1].valid.sum()
    assert min(np.abs(pose - T).max() for pose in poses[1].poses[poses[1].valid]) < 1e-8
    tracked = symoro.forward_geometry(other).compile("numpy")(geared + turns(plain), guess=home(other))
    assert_close(tracked.poses[0], T, 1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_conditions_do_not_depend_on_gears(name: str) -> None:
    plain, other = pair(name)
    T = state(plain)["T"]
    expected, conditions = (symoro.singularities(robot).at(T) for robot in (plain, other))
    for part in ("legs", "platform", "constraints"):
        assert_close(getattr(conditions, part), getattr(expected, part), 1e-9)


@pytest.mark.parametrize("given", ["joints", "motors"])
def test_models_of_given_joints_are_those_of_the_plain_robot(given: str) -> None:
    plain, other = pair("planar-3rrr")
    T, torques = state(plain)["T"], []
    for robot, slopes in ((plain, np.ones(3)), (other, of_motors(plain))):
        f = symoro.inverse_dynamics(robot, given=given).compile("numpy")
        s = symoro.inverse_geometry(robot).compile("numpy")(T, joints=given == "joints")
        q = s.q[structure(robot).branches[0]]
        assert len(set(structure(robot).branches)) == 1
        torques.append(np.asarray(f(q, 1 / slopes, 1 / slopes)) / slopes)
    assert_close(*torques, 1e-11)


def test_a_simulation_is_that_of_the_plain_robot() -> None:
    plain, other = pair("planar-3rrr")
    slopes, runs = of_motors(plain), []
    q = motors_at(plain, home(plain))
    for robot, unit in ((plain, np.ones(3)), (other, slopes)):
        law = symoro.computed_torque(robot, frequency=20)
        runs.append(symoro.simulate(robot, law, symoro.trajectory(q / unit, (q + 0.1) / unit, duration=0.1)))
    assert_close(runs[1].tau, runs[0].tau * slopes, 1e-10)
    assert_close(runs[1].T, runs[0].T, 1e-10)


def test_a_symbol_may_be_the_ratio_of_a_gear() -> None:
    plain, _ = pair("planar-3rrr")
    legs = [
        replace(leg, joints=(replace(leg.joints[0], theta=as_value(f"N*{leg.joints[0].variable}")), *leg.joints[1:]))
        for leg in plain.legs
    ]
    parts: dict[str, Any] = {"home": plain.home, "gravity": plain.gravity, "branch": plain.branch}
    values = {**plain.values, "N": as_value(10)}
    robot = symoro.ParallelRobot(plain.platform, legs, plain.attachments, "geared", values=values, **parts)
    at = state(plain)
    expected = symoro.inverse_dynamics(plain).compile("numpy")(**at)
    f = symoro.inverse_dynamics(robot).compile("numpy")
    assert_close(f(**at), 10 * expected, 1e-11)
    assert_close(f(**at, values={"N": -2.0}), -2 * expected, 1e-11)


@pytest.mark.parametrize("coordinate", ["{q}*{q}", "sin({q})", "{q} + q2_1", "1/{q}"])
def test_other_functions_are_refused(coordinate: str) -> None:
    plain, _ = pair("planar-3rrr")
    first, *others = plain.legs
    turned = replace(first.joints[0], theta=as_value(coordinate.format(q=first.joints[0].variable)))
    legs = [replace(first, joints=(turned, *first.joints[1:])), *others]
    robot = symoro.ParallelRobot(plain.platform, legs, plain.attachments, "other", home=plain.home, values=plain.values)
    with pytest.raises(CheckError, match="leg 1: it has coordinates that are not a multiple of the joint's variable"):
        symoro.inverse_dynamics(robot)
