"""Two descriptions of one robot give models with the same number of operations, within 1 %."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.equivalent_robots import flipped, renamed, renumbered, shifted
from symoro.ir.evaluate import evaluate
from symoro.robot.robot import Robot

MODELS = ("inverse_dynamics", "inertia_matrix")
ARMS = ["puma560-symmetric", "stanford", "ur5"]

pytestmark = pytest.mark.long


@cache
def counts(robot: Robot) -> np.ndarray:
    return np.array([getattr(symoro, name)(robot, params="base").ops.total for name in MODELS])


def same(one: Robot, other: Robot) -> bool:
    """Whether no count differs by more than 1 %, rounded up to a whole operation."""
    return bool(np.all(np.abs(counts(one) - counts(other)) <= np.ceil(0.01 * counts(one))))


def torques(robot: Robot, state: np.ndarray) -> np.ndarray:
    model = symoro.inverse_dynamics(robot, optimize=False)
    inputs = dict(zip(("q", "qd", "qdd"), state, strict=True))
    return evaluate(model.program, inputs, {name: value or 0.0 for name, value in model.parameters.items()})["GAM"]


STATE = np.random.default_rng(3).normal(size=(3, 6))


@pytest.mark.parametrize("j", range(1, 7))
@pytest.mark.parametrize("name", ARMS)
def test_the_count_stays_when_an_axis_is_flipped(name: str, j: int) -> None:
    robot = symoro.load(name)
    other = flipped(robot, j)
    signs = np.where(np.arange(1, 7) == j, -1, 1)
    assert other != robot
    assert_close(torques(other, STATE * signs) * signs, torques(robot, STATE), 1e-12)
    assert same(robot, other)


@pytest.mark.parametrize("j", range(1, 7))
@pytest.mark.parametrize("name", ARMS)
def test_the_count_stays_when_an_angle_is_shifted_by_half_a_turn(name: str, j: int) -> None:
    robot = symoro.load(name)
    other = shifted(robot, j)
    assert other != robot
    assert_close(torques(other, STATE), torques(robot, STATE), 1e-12)
    assert same(robot, other)


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("rename", [lambda n: f"p_{n}", lambda n: f"x{n[::-1]}"], ids=["prefix", "backwards"])
def test_the_count_stays_when_symbols_are_renamed(name: str, rename) -> None:  # type: ignore[no-untyped-def]
    robot = symoro.load(name)
    assert same(robot, renamed(robot, rename))


def test_the_count_stays_when_branches_are_renumbered() -> None:
    robot = symoro.load("two-arm")
    roots = [joint.index for joint in robot.joints if joint.parent == 0]
    assert len(roots) == 2
    first = [joint.index for joint in robot.joints if joint.index < roots[1]]
    second = [joint.index for joint in robot.joints if joint.index >= roots[1]]
    other = renumbered(robot, [*second, *first])
    assert other != robot
    assert same(robot, other)
    mixed = [j for pair in zip(first, second, strict=True) for j in pair]
    assert same(robot, renumbered(robot, mixed))
