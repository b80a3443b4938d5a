"""Base parameters of random loops with symbolic geometry: their relations are symbolic, their number is the rank."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.constrained import closed_near, motor_torques, regressor_rows, wandered
from support.free_robots import Array, driven, random_state, with_floating_base
from support.loops import random_loop
from support.numeric_rank import rank_of
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.models.identification.base_parameters import BaseParameters
from symoro.robot.joint import GEOMETRY
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Number, Symbol, as_value, evaluate, is_zero, symbols

SEEDS = some(1, of=10)


def symbolic(seed: int) -> tuple[Robot, Array]:
    """A random loop (spatial for even seeds) with symbols for its non-zero lengths and angles; and a closed q."""
    robot, q = random_loop(seed)
    joints, values = [], dict(robot.values)
    for joint in robot.joints:
        for name in GEOMETRY:
            value = getattr(joint, name)
            if isinstance(value, Number) and not is_zero(value):  # multiples of pi stay: they make axes parallel
                symbol = f"{name}_{joint.index}"
                values[symbol] = value
                joint = replace(joint, **{name: Symbol(symbol)})
        joints.append(joint)
    drives = tuple(replace(Drive(), IA=Symbol(f"IA{j}")) for j in range(1, robot.link_count + 1))
    values |= {f"IA{j}": as_value(0.2) for j in range(1, robot.link_count + 1)}
    wrenches = tuple(Wrench() for _ in robot.wrenches)
    return replace(robot, joints=tuple(joints), drives=drives, wrenches=wrenches, values=values), q  # type: ignore[arg-type]


@cache
def base(seed: int) -> BaseParameters:
    robot, q = symbolic(seed)
    return symoro.base_parameters(robot, guess=tuple(q))


def moving(robot: Robot, q: Array, rng: np.random.Generator) -> dict[str, Array]:
    qd, qdd = rng.normal(size=(2, len(driven(robot))))
    return {"q": q, "qd": qd, "qdd": qdd, "wrench": np.zeros((0, 6))}


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_the_count_is_the_rank(seed: int) -> None:
    robot, q = symbolic(seed)
    found, rng = base(seed), np.random.default_rng(seed)
    count = 20 + 30 * robot.link_count // len(driven(robot))
    rows = [regressor_rows(robot, moving(robot, x, rng)) for x in wandered(robot, q, count, seed)]
    rank = rank_of(np.vstack([part / np.linalg.norm(part) for part in rows]))
    print(f"{robot.name}: tree {len(found.loops.tree.base)}, {len(found)}, {rank}")  # type: ignore[union-attr]
    assert rank.rank == len(found)
    assert rank.kept > 1e3 * rank.dropped


@pytest.mark.parametrize("seed", SEEDS)
def test_relations_are_symbolic_and_hold_at_another_geometry(seed: int) -> None:
    robot, q = symbolic(seed)
    found, rng = base(seed), np.random.default_rng(100 + seed)
    assert found.loops is not None
    assert found.loops.structural
    assert not found.loops.special
    varied = GEOMETRY if seed % 2 == 0 else ("d",)  # a planar loop stays planar
    names = {n for joint in robot.joints for field in varied for n in symbols(getattr(joint, field))}
    old = robot_numbers(robot)
    change = {n: as_value(old[n] * float(rng.uniform(0.995, 1.005))) for n in sorted(names & old.keys())}
    other = replace(robot, values=dict(robot.values) | change)  # type: ignore[arg-type]
    numbers = robot_numbers(other)
    K = np.array([[evaluate(x, numbers) for x in row] for row in found.symbolic_matrix])
    values = dict(zip(found.parameters, K @ [numbers[n] for n in found.standard], strict=True))
    geometry = {n: numbers[n] for n in change}
    model = symoro.inverse_dynamics(found.robot, optimize=False)
    known = {p.name for p in model.program.parameters}
    given = {n: x for n, x in (values | geometry).items() if n in known}
    for x in wandered(other, closed_near(other, q, steps=20), 3, seed):
        state = moving(other, x, rng)
        torques = model.compile("numpy", check=False)(**{n: state[n] for n in ("q", "qd", "qdd")}, values=given)
        assert_close(torques, motor_torques(other, state), 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("seed", some(1, of=4))
def test_loops_on_a_floating_base_regroup_in_models(seed: int) -> None:
    robot, q = random_loop(seed)
    robot = with_floating_base(robot, seed)
    open_tree = replace(robot, joints=robot.joints[: robot.link_count], closures=())
    assert len(symoro.base_parameters(robot)) < len(symoro.base_parameters(open_tree))
    plain, fewer = (symoro.inverse_dynamics(robot, params=p, optimize=False) for p in ("standard", "base"))
    state = {**random_state(plain.program, seed), "q": q}
    pairs = zip(plain.compile("numpy")(**state), fewer.compile("numpy")(**state), strict=True)
    for expected, found in pairs:
        assert_close(found, expected, 1e-9)
