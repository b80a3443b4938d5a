"""Base parameters of trees: their number is the rank of stacked regressors, and the torques stay the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.numeric_rank import Rank, rank_of, stacked
from support.random_robots import physical_inertia, random_robot
from support.trees import tree_names
from symoro.robot.joint import GEOMETRY, Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Apply, Bindings, Number, Symbol, Value, as_value, is_zero

GRAVITIES = ((0, 0, -9.81), (0, -9.81, 0), (9.81, 0, 0), (0, 0, 0), (1.0, -2.5, 3))
COUNTS = {  # without rotor inertias / with those of all joints
    "rx90": (36, 40), "puma560": (36, 40), "tx40": (36, 40), "ur5": (36, 40),
    "kuka-lwr": (43, 48), "kuka-iiwa": (43, 48), "panda": (43, 48), "stanford": (33, 37), "scara": (8, 11),
}  # fmt: skip


def with_gravity(robot: Robot, gravity: tuple[float, ...]) -> Robot:
    return replace(robot, gravity=tuple(map(as_value, gravity)))


def sample(seed: int) -> Robot:
    """A random robot. The seed selects structure, kinds of joints and gravity."""
    structure, kinds = ("serial", "tree")[seed % 2], ("mixed", "prismatic", "revolute")[seed // 2 % 3]
    return with_gravity(random_robot(seed, structure=structure, kinds=kinds), GRAVITIES[seed // 6 % 5])


def spread(seeds: range) -> list[object]:
    """Every run takes seeds that are spread over structures, kinds and gravities; the long tests take all."""
    return [pytest.param(seed, marks=() if seed % 7 in (0, 3) else pytest.mark.long) for seed in seeds]


def with_rotors(robot: Robot) -> Robot:
    """The robot with a rotor inertia at every joint."""
    drives = [replace(drive, IA=Symbol(f"IA{j}")) for j, drive in enumerate(robot.drives, 1)]
    return replace(robot, drives=tuple(drives))


def without_rotors(robot: Robot) -> Robot:
    return replace(robot, drives=tuple(Drive() for _ in robot.drives))


def counts(robot: Robot) -> tuple[int, int]:
    found = symoro.base_parameters(robot)
    return len(found.inertial), len(found.parameters)


def ranks(robot: Robot, seed: int) -> tuple[Rank, Rank]:
    links, rotors = stacked(robot, seed)
    return rank_of(links), rank_of(np.hstack([links, rotors]))


def assert_minimal(robot: Robot, seed: int = 0) -> None:
    links, everything = ranks(robot, seed)
    found = counts(robot)
    print(f"{robot.name}: {found}, {links}, with rotors {everything}")
    assert links.clear, links
    assert everything.clear, everything
    assert found == (links.rank, everything.rank), (robot.name, str(links), str(everything))


@pytest.mark.parametrize("seed", spread(range(30)))
def test_the_count_is_the_rank(seed: int) -> None:
    assert_minimal(sample(seed), seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(30, 300, 30))
def test_the_count_is_the_rank_of_many(start: int) -> None:
    for seed in range(start, start + 30):
        assert_minimal(sample(seed), seed)


@pytest.mark.parametrize("name", tree_names())
def test_the_count_is_the_rank_of_the_library(name: str) -> None:
    robot = symoro.load(name)
    model = symoro.dynamic_regressor(robot, friction=False, offset=False, optimize=False)
    rng = np.random.default_rng(1)
    states = rng.normal(size=(3, 40 + 4 * robot.link_count, model.inputs["q"][0]))
    D = model.compile("numpy")(*states)
    rank = rank_of(D.reshape(-1, D.shape[-1]))
    print(f"{name}: {rank}")
    assert rank.clear
    assert len(symoro.base_parameters(robot).parameters) == rank.rank


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_of_the_literature(name: str) -> None:
    robot = symoro.load(name)
    assert counts(without_rotors(robot)) == (COUNTS[name][0],) * 2
    assert counts(with_rotors(robot)) == COUNTS[name]


def test_without_gravity_an_rx90_has_two_less() -> None:
    assert counts(with_gravity(without_rotors(symoro.load("rx90")), (0, 0, 0))) == (34, 34)


def chain(kinds: str, alphas: tuple[str, ...], gravity: tuple[float, ...]) -> Robot:
    rng = np.random.default_rng(0)
    of = {"P": JointKind.PRISMATIC, "R": JointKind.REVOLUTE}
    links = range(1, len(kinds) + 1)
    joints = [
        Joint(j, f"joint{j}", j - 1, of[kind], alpha=as_value(alpha), d=as_value(0.3 * j))
        for j, kind, alpha in zip(links, kinds, alphas, strict=True)
    ]
    return Robot(
        name=" ".join((kinds, *alphas)),
        joints=tuple(joints),
        inertias=tuple(Inertia.symbolic(j) for j in links),
        drives=tuple(Drive(IA=Symbol(f"IA{j}")) for j in links),
        gravity=tuple(map(as_value, gravity)),
        values=Bindings({f"{name}{j}": float(x) for j in links for name, x in physical_inertia(rng).items()}),
    )


@pytest.mark.parametrize("kinds", ["PRP", "RPR", "PPR", "RRP", "PRR", "RPP", "PPRP"])
def test_chains_with_prismatic_joints(kinds: str) -> None:
    for gravity in GRAVITIES[:4]:
        for alphas in product(("0", "pi/2", "pi/3"), repeat=len(kinds) - 1):
            assert_minimal(chain(kinds, ("0", *alphas), gravity))


def symbolic_geometry(robot: Robot) -> Robot:
    """The robot with a symbol for every length and angle that is a non-zero number."""
    values: dict[str, Value] = dict(robot.values)

    def symbol(name: str, value: Value) -> Value:
        if isinstance(value, Apply) and value.function == "+":
            return Apply("+", (value.arguments[0], symbol(name, value.arguments[1])))
        if not isinstance(value, Number) or is_zero(value):
            return value
        values[name] = value
        return Symbol(name)

    joints = [
        replace(j, **{name: symbol(f"{name.upper()}_{j.index}", getattr(j, name)) for name in GEOMETRY})
        for j in robot.joints
    ]
    return replace(robot, joints=tuple(joints), values=Bindings(values))


@pytest.mark.parametrize("seed", spread(range(0, 60, 2)))
def test_symbolic_geometry_gives_the_same(seed: int) -> None:
    robot = sample(seed)
    assert counts(symbolic_geometry(robot)) == counts(robot)
    assert_same_torques(symbolic_geometry(robot), seed)


def assert_same_torques(robot: Robot, seed: int) -> None:
    """Compare torques with base parameters, and torques of the base robot, with those of standard parameters."""
    rng = np.random.default_rng(seed)
    standard = symoro.inverse_dynamics(robot, optimize=False)
    state = {array.name: rng.normal(size=array.shape) for array in standard.program.inputs}
    expected = flat(standard, state)
    for model in (
        symoro.inverse_dynamics(robot, params="base", optimize=False),
        symoro.inverse_dynamics(symoro.base_parameters(robot).robot, optimize=False),
    ):
        assert_close(flat(model, state), expected, 1e-10)


def flat(model: symoro.Model, state: dict[str, np.ndarray]) -> np.ndarray:
    """All outputs in one vector."""
    found = model.compile("numpy")(**state)
    return np.concatenate([np.ravel(x) for x in (found if isinstance(found, tuple) else (found,))])


@pytest.mark.parametrize("seed", spread(range(1, 60, 2)))
def test_torques_with_base_parameters_are_the_same(seed: int) -> None:
    assert_same_torques(sample(seed), seed)


@pytest.mark.parametrize("name", tree_names())
def test_torques_of_the_library_are_the_same(name: str) -> None:
    assert_same_torques(symoro.load(name), 3)
