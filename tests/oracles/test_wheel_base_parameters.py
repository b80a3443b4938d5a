"""Base parameters of robots on wheels: their number is the rank of the rolling robot's regressor; same torques."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.constrained import motor_torques, regressor_rows
from support.free_robots import Array, driven, movable
from support.library_robots import wheeled_names
from support.numeric_rank import rank_of
from support.wheeled_robots import random_vehicle, tricycle
from symoro.robot.base import Wheel
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value, to_text


def upright(seed: int) -> Robot:
    """A random vehicle with gravity along −z0."""
    down = tuple(as_value(x) for x in (0, 0, -9.81))
    return replace(random_vehicle(seed), gravity=down, name=f"vehicle{seed}")  # type: ignore[arg-type]


def off_axle() -> Robot:
    """The differential drive with frame 0 off its axle, wheels of two sizes and unequal arms to them."""
    robot = symoro.load("diff-drive-2r")
    left, right, *arm = robot.joints
    joints = (replace(left, d=Symbol("X")), replace(right, d=Symbol("X"), r=as_value("-C")), *arm)
    base = replace(robot.base, wheels=(Wheel(1, Symbol("R")), Wheel(2, Symbol("T"))))
    values = dict(robot.values) | {"X": as_value(0.07), "C": as_value(0.21), "T": as_value(0.12)}
    return replace(robot, name="off-axle", joints=joints, base=base, values=values)  # type: ignore[arg-type]


VEHICLES = [*map(symoro.load, wheeled_names()), tricycle(), off_axle(), *map(upright, range(10))]


def quick_and_long(robots: Iterable[Robot]) -> list[Any]:
    """The robots by their names; random vehicles after the fourth are in the long tests."""
    names = {f"vehicle{seed}" for seed in range(4, 10)}
    return [pytest.param(r, id=r.name, marks=pytest.mark.long if r.name in names else ()) for r in robots]


def general(robot: Robot) -> Robot:
    """The robot with all inertial parameters and rotor inertias and without friction, as the columns of the oracle."""
    links = range(1, robot.link_count + 1)
    solid = {"XX": 0.1, "YY": 0.1, "ZZ": 0.1, "M": 1.0, "IA": 0.1}
    values = {f"{n}{j}": as_value(solid.get(n, 0.0)) for j in links for n in (*Inertia.names(), "IA")}
    return replace(
        robot, inertias=tuple(map(Inertia.symbolic, links)), wrenches=tuple(type(w)() for w in robot.wrenches),
        drives=tuple(replace(Drive(), IA=Drive.symbolic(j).IA) for j in links), values={**values, **robot.values},
    )  # fmt: skip


def state_of(robot: Robot, rng: np.random.Generator) -> dict[str, Array]:
    n = len(movable(robot))
    motors = rng.normal(size=(2, len(driven(robot))))
    wrench = np.zeros((sum(not w.is_zero for w in robot.wrenches), 6))
    return {"q": rng.uniform(-3, 3, n), "qd": motors[0], "qdd": motors[1], "wrench": wrench}


@pytest.mark.parametrize("robot", quick_and_long(map(general, VEHICLES)))
def test_the_count_is_the_rank(robot: Robot) -> None:
    rng = np.random.default_rng(0)
    count = 60 + 30 * robot.link_count // len(driven(robot))
    rows = [regressor_rows(robot, state_of(robot, rng)) for _ in range(count)]
    rank = rank_of(np.vstack(rows))
    found = symoro.base_parameters(robot)
    print(f"{robot.name}: {len(found)}, {rank}")
    assert rank.dropped < 1e-11
    assert rank.rank == len(found)
    assert found.notes


@pytest.mark.long
@pytest.mark.parametrize("robot", quick_and_long(VEHICLES))
def test_torques_are_the_same(robot: Robot) -> None:
    found = symoro.base_parameters(robot)
    rng = np.random.default_rng(1)
    models = [symoro.inverse_dynamics(robot, params="base"), symoro.inverse_dynamics(found.robot)]
    for model in models:
        f = model.compile("numpy")
        for _ in range(5):
            state = state_of(robot, rng)
            expected = motor_torques(robot, state)
            assert_close(f(**{n: state[n] for n in model.inputs}).GAM, expected, 1e-9)


def test_coefficients_of_the_differential_drive() -> None:
    """The inertia of a rolling wheel adds to M, ZZ and MY of the base."""
    found = symoro.base_parameters("diff-drive-2r")
    assert len(found) == 27
    assert found.wheels is not None
    assert not found.wheels.numeric
    assert found.relations["MR0"] == "M0 + M1 + M2 + M3 + M4 + 1/R^2*(ZZ1 + IA1 + ZZ2 + IA2)"
    assert found.eliminated["ZZ1"] == "rolling: regrouped in ZZR0, MYR0, MR0"


def test_sums_are_recognised() -> None:
    """A rolling wheel that is not steered adds the mass (ZZ + IA)/R² at its centre."""
    found = symoro.base_parameters(off_axle())
    assert found.wheels is not None
    assert not found.wheels.numeric
    entries = dict(zip(found.standard, found.symbolic_matrix[found.parameters.index("ZZR0")], strict=True))
    assert to_text(entries["IA1"]) == "(X^2 + B^2)/R^2"
    assert to_text(entries["IA2"]) == "(X^2 + C^2)/T^2"


def test_few_parameters() -> None:
    """A point mass on the axis of the turret: parameters depend on each other before rolling regroups them."""
    robot = symoro.load("diff-drive-2r")
    wheel, tip = (lambda j: Inertia(ZZ=Symbol(f"ZZ{j}"))), Inertia(M=Symbol("M4"))
    base = replace(robot.base, inertia=Inertia(ZZ=Symbol("ZZ0")))
    few = replace(robot, inertias=(wheel(1), wheel(2), Inertia(), tip), base=base, drives=(Drive(),) * 4)
    found = symoro.base_parameters(few)
    assert found.minimal.dependent
    state = state_of(few, np.random.default_rng(3))
    expected = symoro.inverse_dynamics(few, optimize=False).compile("numpy")(**state).GAM
    for model in (symoro.inverse_dynamics(few, params="base"), symoro.inverse_dynamics(found.robot)):
        assert_close(model.compile("numpy")(**state).GAM, expected, 1e-12)


@pytest.mark.parametrize("change", [{"R": 0.13, "B": 0.31}, {"D": 0.23, "H": 0.1, "R": 0.08}])
def test_models_hold_for_other_numbers(change: dict[str, float]) -> None:
    robot = symoro.load("diff-drive-2r")
    other = replace(robot, values=dict(robot.values) | {n: as_value(x) for n, x in change.items()})  # type: ignore[arg-type]
    f = symoro.inverse_dynamics(robot, params="base").compile("numpy")
    state = state_of(other, np.random.default_rng(2))
    assert_close(f(**state, values=change).GAM, motor_torques(other, state), 1e-9)
