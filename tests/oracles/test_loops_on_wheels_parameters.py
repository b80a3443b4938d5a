"""Base parameters of loops on wheels: as many as the rank of Pinocchio's regressor; base parameters of every family."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.constrained import on_wheels, wandered
from support.every_robot import every_robot
from support.free_robots import Array, driven
from support.multipliers import configured
from support.numeric_rank import Rank, rank_of
from support.pinocchio_robot import oracle
from support.samples import some
from support.springs_in_series import moved
from support.wheeled_robots import UPRIGHT, loops_on_wheels
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import as_value


def upright(robot: Robot) -> Robot:
    """The robot without drives and wrenches, with gravity along −z0."""
    return replace(
        robot, drives=tuple(Drive() for _ in robot.drives), wrenches=tuple(Wrench() for _ in robot.wrenches),
        gravity=(as_value(0), as_value(0), as_value(-9.81)),
    )  # fmt: skip


def regressor(robot: Robot, q: Array, rng: np.random.Generator) -> Array:
    """Gᵀ D by Pinocchio's regressor of the tree on a free base."""
    qd, qdd = rng.normal(size=(2, len(driven(robot))))
    motion, _ = moved(robot, {"q": q, "qd": qd, "wrench": np.zeros((0, 6))}, driven(robot), qdd)
    o = oracle(on_wheels(robot), robot_numbers(robot), free=True)
    v, a = (o.v(x[6:], x[:6]) for x in (motion.u, motion.ud))
    D = pin.computeJointTorqueRegressor(o.model, o.data, o.q(q, UPRIGHT), v, a)
    return motion.G.T @ D[[*range(6), *o.velocity_index]]


def rank(robot: Robot, q: Array, seed: int) -> Rank:
    """The rank over states along the branch of q; all wheels turn there."""
    rolling = tuple(replace(j, actuated=j.actuated or "wheel" in j.name) for j in robot.joints)
    count, rng = 20 + 30 * robot.link_count // len(driven(robot)), np.random.default_rng(seed)
    branch = wandered(replace(robot, base=Base(), joints=rolling), q, count, seed)
    rows = [regressor(robot, x, rng) for x in branch]
    return rank_of(np.vstack([part / np.linalg.norm(part) for part in rows]))


EXHAUSTIVE = (pytest.mark.long, pytest.mark.exhaustive)
LOOPS = [pytest.param(n, marks=pytest.mark.long if n in (0, 6) else EXHAUSTIVE) for n in (0, 1, 2, 5, 6)]


@pytest.mark.parametrize("seed", LOOPS)
def test_the_count_is_the_rank(seed: int) -> None:
    robot, q = loops_on_wheels(seed)
    robot = upright(robot)
    expected = rank(robot, q, seed)
    found = symoro.base_parameters(robot, guess=tuple(q))
    assert len(found) == expected.rank, expected
    assert found.notes[0].code == "regressors.left_by_loops_and_wheels"
    assert found.notes[0].fields["count"] == expected.rank


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (5, 6))])
def test_models_have_the_relations_of_loops_and_of_wheels(seed: int) -> None:
    """Where no relation holds on one branch only, params="base" has as many parameters as the rank."""
    robot, q = loops_on_wheels(seed)
    robot = upright(robot)
    found = symoro.base_parameters(robot, guess=tuple(q))
    assert len(symoro.base_parameters(robot, every_branch=True)) == len(found)


@pytest.mark.parametrize("seed", some(2, of=70))
def test_base_parameters_give_the_same_torques(seed: int) -> None:
    """Loops, wheels, floating bases, springs and coordinates that are functions of variables, together."""
    case = every_robot(seed)
    given = symoro.inverse_dynamics(case.robot, optimize=False)
    rng = np.random.default_rng(seed)
    state = configured(case, {name: rng.uniform(-1, 1, shape) for name, shape in given.inputs.items()})
    found = symoro.inverse_dynamics(case.robot, params="base", optimize=False).compile("numpy")(**state)
    expected = given.compile("numpy")(**state)
    several = hasattr(expected, "_fields")
    for a, b in zip(found if several else (found,), expected if several else (expected,), strict=True):
        assert_close(a, b, 1e-9)
