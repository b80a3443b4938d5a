"""Base parameters of loops on fixed, moving and floating bases: as many as the rank of Pinocchio's regressor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.constrained import loop_motion, wandered
from support.free_robots import Array, driven, random_state, with_floating_base
from support.loop_robots import described, joint
from support.loops import closed_configuration, random_loop
from support.numeric_rank import Rank, rank_of
from support.pinocchio_robot import oracle
from support.random_loops import random_closed_robot
from support.random_robots import physical_inertia
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

BASES = ("fixed", "moving", "floating")


def on_base(robot: Robot, kind: str, seed: int = 0) -> Robot:
    """The robot without drives and wrenches on another base."""
    plain = replace(
        robot, drives=tuple(Drive() for _ in robot.drives), wrenches=tuple(Wrench() for _ in robot.wrenches)
    )
    if kind == "floating":
        return with_floating_base(plain, seed)
    return replace(plain, base=Base(BaseKind(kind)))


def regressor(robot: Robot, q: Array, rng: np.random.Generator) -> Array:
    """The rows of the motors, those of a floating base before them; columns of all links, that of the base first."""
    held, free = replace(robot, base=Base()), robot.base.kind is not BaseKind.FIXED
    qd, qdd = rng.normal(size=(2, len(driven(robot))))
    motion = loop_motion(held, {"q": q, "qd": qd, "qdd": qdd, "wrench": np.zeros((0, 6))})
    o = oracle(robot, robot_numbers(robot), free=free)
    quat = rng.normal(size=4)
    base = rng.normal(size=(2, 6))
    at = o.q(q, quat / np.linalg.norm(quat))
    D = pin.computeJointTorqueRegressor(o.model, o.data, at, o.v(motion.u, base[0]), o.v(motion.ud, base[1]))
    rows = motion.G.T @ D[o.velocity_index]
    return np.vstack([D[:6], rows]) if robot.base.kind is BaseKind.FLOATING else rows


def rank(robot: Robot, q: Array, seed: int) -> Rank:
    """The rank over states along the branch of q."""
    rng = np.random.default_rng(seed)
    count = 20 + 25 * robot.link_count // (len(driven(robot)) + 6 * (robot.base.kind is BaseKind.FLOATING))
    rows = [regressor(robot, x, rng) for x in wandered(replace(robot, base=Base()), q, count, seed)]
    return rank_of(np.vstack([part / np.linalg.norm(part) for part in rows]))


@pytest.mark.long
@pytest.mark.parametrize("kind", BASES)
@pytest.mark.parametrize("seed", some(1, of=17))
def test_the_count_is_the_rank_of_planar_and_spatial_loops(seed: int, kind: str) -> None:
    robot, q = random_loop(seed)
    robot = on_base(robot, kind, seed)
    expected = rank(robot, q, seed)
    assert len(symoro.base_parameters(robot, guess=tuple(q))) == expected.rank, expected


@pytest.mark.parametrize("kind", BASES)
@pytest.mark.parametrize("seed", some(1, of=17))
def test_the_count_is_the_rank_of_loops_of_any_kind(seed: int, kind: str) -> None:
    """Sliding joints, sliding cuts, two loops, loops on a column."""
    robot, q = random_closed_robot(seed)
    robot = on_base(robot, kind, seed)
    expected = rank(robot, q, seed)
    assert len(symoro.base_parameters(robot, guess=tuple(q))) == expected.rank, expected


def flipped_four_bar() -> Robot:
    """A four-bar linkage in a tilted plane; the axis of one of its joints has the opposite direction."""
    robot = described(
        "flipped",
        [
            joint(1, 0, actuated=True, gamma="0.3", alpha="0.7", d="0.2"),
            joint(2, 1, alpha="pi", d="L1", r="0.1"),
            joint(3, 0, gamma="0.3", alpha="0.7", d="0.2 + L4", r="0.3"),
            joint(4, 2, alpha="pi", d="L2"),
            joint(5, 3, "fixed", d="L3", r="-0.4"),
        ],
        [(4, 5)],
        {"L1": 0.2, "L2": 0.5, "L3": 0.4, "L4": 0.45},
    )
    rng = np.random.default_rng(4)
    bodies = [{name: as_value(float(x)) for name, x in physical_inertia(rng).items()} for _ in robot.inertias]
    return replace(robot, inertias=tuple(Inertia(**body) for body in bodies), gravity=tuple(map(as_value, (1, -9, 2))))


@pytest.mark.parametrize("kind", BASES)
@pytest.mark.parametrize("name", ["four-bar", "five-bar", "flipped"])
def test_planar_loops_regroup_by_symbols(name: str, kind: str) -> None:
    """Of a planar loop without sliding joints, XZ and YZ of one link regroup on every branch."""
    robot = on_base(flipped_four_bar() if name == "flipped" else symoro.load(name), kind)
    q = closed_configuration(replace(robot, base=Base()), 1)
    expected = rank(robot, q, 0)
    assert len(symoro.base_parameters(robot, every_branch=True)) == expected.rank, expected
    assert len(symoro.base_parameters(robot, guess=tuple(q))) == expected.rank


def test_the_relations_of_a_floating_four_bar() -> None:
    found = symoro.base_parameters(on_base(symoro.load("four-bar"), "floating"))
    assert len(found) == 28
    assert found.relations["YZR1"] == "YZ1 + L1/L3*YZ3"
    assert found.relations["YZR2"] == "YZ2 + L2/L3*YZ3"
    assert len(symoro.base_parameters(on_base(symoro.load("five-bar"), "floating"))) == 35
    assert len(symoro.base_parameters(on_base(symoro.load("four-bar"), "moving"), every_branch=True)) == 18


@pytest.mark.parametrize("name", ["four-bar", "flipped", "sr400"])
def test_models_with_base_parameters_are_the_same(name: str) -> None:
    """params="base" and the robot that has the base parameters, on a floating base."""
    robot = on_base(flipped_four_bar() if name == "flipped" else symoro.load(name), "floating")
    found = symoro.base_parameters(robot)
    assert found.loops is not None
    q = np.array(found.loops.branch)
    plain = symoro.inverse_dynamics(robot, optimize=False)
    state = {**random_state(plain.program, 3), "q": q}
    expected = plain.compile("numpy")(**state)
    for given, params in ((robot, "base"), (found.robot, "standard")):
        model = symoro.inverse_dynamics(given, params=params, optimize=False)
        for a, b in zip(model.compile("numpy")(**state), expected, strict=True):
            assert_close(a, b, 1e-9)
