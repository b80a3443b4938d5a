"""Closed loops as legs of a platform against the rows of the loops, at closed configurations of all families."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.coupled_robots import spherical_platform, three_rpr, three_rps, three_rrr
from support.loop_robots import described, joint, three_cranks
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.build import _sketches
from symoro.models.catalogue import find
from symoro.models.families import LEGS_OF_PLATFORM
from symoro.models.loops.closing import numeric_assembler, sampled_rows
from symoro.models.loops.constraint import Loops
from symoro.models.meeting_loops import platform_of
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import Symbol, as_value

MODELS = ["inverse_dynamics", "direct_dynamics", "inertia_matrix", "gravity", "bias", "energies", "dynamic_regressor"]
OTHERS = ["velocities", "accelerations", "coriolis", "power_regressor", "energy_difference_regressor", "cut_wrenches"]
#: What the loops' rows are at most conditioned where forms are compared: q closes loops to 1e-13.
_CONDITION = 1e4


def weighed(robot: Robot) -> Robot:
    """The robot with masses, friction in all joints, and gravity."""
    links, gravity = range(1, robot.link_count + 1), (as_value(1), as_value(2), Symbol("G3"))
    inertias, drives = (tuple(map(table.symbolic, links)) for table in (Inertia, Drive))
    return replace(robot, inertias=inertias, drives=drives, gravity=gravity)


def sliding_platform() -> Robot:
    """Planar: three cranks with motors and three rods; the body, link 5, slides along two of them."""
    along = {"kind": "prismatic", "gamma": "pi/2", "alpha": "pi/2"}
    return described(
        "three-rrp",
        [
            joint(1, 0, actuated=True),
            joint(2, 0, actuated=True, d="b2"),
            joint(3, 0, actuated=True, gamma="g3", d="b3"),
            joint(4, 1, d="l1"),
            joint(5, 4, **along),  # type: ignore[arg-type]
            joint(6, 2, d="l2"),
            joint(7, 3, d="l3"),
            joint(8, 6, **along),  # type: ignore[arg-type]
            joint(9, 7, d="m3"),
            joint(10, 5, "fixed", gamma="pi/2", b="p2", alpha="a2", theta="-pi/2"),
            joint(11, 5, "fixed", b="p3", alpha="-pi/2", d="e3"),
        ],
        [(8, 10), (9, 11)],
        {
            "b2": 1.0,
            "g3": 1.0,
            "b3": 0.9,
            "l1": 0.4,
            "l2": 0.45,
            "l3": 0.35,
            "p2": 0.5,
            "p3": 0.55,
            "a2": 2.0,
            "e3": 0.2,
            "m3": 0.4,
        },
    )


def cut_on_body() -> Robot:
    """Planar: the body carries the cut joints, and their mates are on the rods."""
    robot = three_rrr()
    cuts = [joint(8, 5, d="p2"), joint(9, 5, gamma="a3", d="p3")]
    mates = [joint(10, 6, "fixed", d="m2"), joint(11, 7, "fixed", d="m3")]
    joints = (*robot.joints[:7], *cuts, *mates)
    return replace(robot, name="cut-on-body", joints=joints, closures=cut_closures(joints, [(8, 10), (9, 11)]))


def fixed_body() -> Robot:
    """Planar: the body is fixed on a link that a joint carries."""
    robot = three_rrr()
    tree = (*robot.joints[:7], joint(8, 5, "fixed", d="e", theta="0.3"))
    cuts = [replace(one, index=one.index + 1) for one in robot.joints[7:9]]
    mates = [replace(one, index=one.index + 1, parent=8) for one in robot.joints[9:]]
    joints = (*tree, *cuts, *mates)
    values = {**robot.values, "e": as_value(0.1)}
    return replace(
        robot, name="fixed-body", joints=joints, closures=cut_closures(joints, [(9, 11), (10, 12)]), values=values,
        inertias=(), drives=(), wrenches=(),
    )  # fmt: skip


ROBOTS = {
    robot.name: robot
    for robot in (
        symoro.load("orthoglide"),
        *map(weighed, (three_rrr(), three_rpr(), spherical_platform(), three_rps(), three_cranks())),
        *map(weighed, (sliding_platform(), cut_on_body(), fixed_body())),
        replace(weighed(three_rrr()), name="floating", base=Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0))),
    )
}


def closed(robot: Robot) -> np.ndarray:
    """Closed configurations, in the family near q = 0 and in others, that are not singular."""
    s = Symbols(robot, Graph())
    every, rng = Loops(s).every, np.random.default_rng(11)
    assembler = numeric_assembler(s, every, every_joint=True)
    near = rng.normal(scale=0.2, size=(30, len(s.variables)))
    q, ok = assembler.newton(np.vstack([near, assembler.starts(np.zeros(0), rng, 30)]), damped=True)
    return regular(s, q[ok])


def regular(s: Symbols, q: np.ndarray) -> np.ndarray:
    """The configurations at which the rows of the loops are not nearly singular."""
    places = list(Loops(s).places)
    values = np.linalg.svd(sampled_rows(s, Loops(s).every, q)[:, :, places], compute_uv=False)
    return q[values[:, len(places) - 1] * _CONDITION > values[:, 0]]


def programs(robot: Robot, model: str, form: str, **options: object) -> Iterator[Program]:
    """What the algorithms of a model write, the plain one first."""
    own = find(model).of(find(model).prepared(robot))
    return (one.draft.write() for one in _sketches(own, robot, own.checked(robot, options), form))


def outputs(program: Program, robot: Robot, q: np.ndarray) -> np.ndarray:
    """All outputs at closed configurations, with random motions and parameters that depend on their names alone."""

    def drawn(name: str, shape: tuple[int, ...] = ()) -> np.ndarray:
        return np.random.default_rng(list(name.encode())).uniform(0.2, 1.5, size=shape)

    places = {"q": q, "q_end": np.roll(q, 1, axis=0)}
    given = {x.name: places.get(x.name, drawn(x.name, (len(q), *x.shape))) for x in program.inputs}
    numbers = robot_numbers(robot)
    known = {p.name: numbers.get(p.name, drawn(p.name)) for p in program.parameters}
    found = evaluate(program, given, known)
    return np.concatenate([x.reshape(len(q), -1) for x in found.values()], axis=1)


def options(model: str, robot: Robot) -> dict[str, object]:
    return {"link": platform_of(robot)[0]} if model in ("velocities", "accelerations") else {}


def compare(robot: Robot, model: str, count: int | None = None, **given: object) -> None:
    """Compare so many of the programs of the legs with the plain one of the loops."""
    q = closed(robot)
    assert len(q) > 1
    plain = next(programs(robot, model, "", **given))
    expected = outputs(plain, robot, q)
    for program in islice(programs(robot, model, LEGS_OF_PLATFORM, **given), count):
        assert program.inputs == plain.inputs
        assert [(x.name, x.shape) for x in program.outputs] == [(x.name, x.shape) for x in plain.outputs]
        for found, wanted in zip(outputs(program, robot, q), expected, strict=True):
            assert_close(found, wanted, 1e-12, _CONDITION)


@pytest.mark.parametrize("model", MODELS)
def test_models_are_the_same(model: str) -> None:
    compare(ROBOTS["orthoglide"], model, 1)


@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_dynamics_is_the_same(name: str) -> None:
    compare(ROBOTS[name], "inverse_dynamics", 1)


@pytest.mark.long
@pytest.mark.parametrize("model", [*MODELS, *OTHERS])
@pytest.mark.parametrize("name", ROBOTS)
def test_every_model_is_the_same(name: str, model: str) -> None:
    if find(model).reason(ROBOTS[name]) is None:
        compare(ROBOTS[name], model, **options(model, ROBOTS[name]))


@pytest.mark.long
@pytest.mark.parametrize("model", ["inverse_dynamics", "direct_dynamics", "inertia_matrix", "dynamic_regressor"])
@pytest.mark.parametrize("name", ["orthoglide", "three-rrr"])
def test_models_in_base_parameters_are_the_same(name: str, model: str) -> None:
    compare(ROBOTS[name], model, params="base")


@pytest.mark.parametrize(("name", "joints"), [("three-rrr", (4,)), ("orthoglide", (5, 6))])
def test_legs_with_an_angle_of_zero_are_not_singular(name: str, joints: tuple[int, ...]) -> None:
    """A leg that is stretched, or whose wrist is straight: the motors determine all velocities."""
    robot, s = ROBOTS[name], Symbols(ROBOTS[name], Graph())
    assembler = numeric_assembler(s, Loops(s).every, every_joint=True)
    straight = [s.variables.index(j) for j in joints]
    held = replace(assembler, passive=tuple(k for k in range(len(s.variables)) if k not in straight))
    starts = np.random.default_rng(3).normal(scale=0.5, size=(10, len(s.variables)))
    starts[:, straight] = 0.0
    q, ok = held.newton(starts, damped=True)
    q = regular(s, q[ok])
    assert len(q)
    plain, legs = (next(programs(robot, "velocities", form, link=5)) for form in ("", LEGS_OF_PLATFORM))
    assert_close(outputs(legs, robot, q), outputs(plain, robot, q), 1e-12, _CONDITION)


def test_derivatives_are_the_same() -> None:
    """Those by q go along the loops, whose directions may have parameters that a model by legs has not."""
    robot = ROBOTS["orthoglide"]
    best, plain = (symoro.gravity(robot, optimize=effort).derivative("q") for effort in (True, False))
    assert LEGS_OF_PLATFORM in best.formulation
    q = closed(robot)
    assert_close(outputs(best.program, robot, q), outputs(plain.program, robot, q), 1e-12, _CONDITION)


@pytest.mark.parametrize("name", ["four-bar", "two-loops", "sr400", "akr3000"])
def test_loops_without_a_platform_are_no_legs(name: str) -> None:
    with pytest.raises(NotApplicable, match="no link at which loops meet"):
        next(programs(symoro.load(name), "velocities", LEGS_OF_PLATFORM, link=1))


def test_the_search_takes_legs_where_they_count_fewer_operations() -> None:
    model = symoro.velocities("orthoglide", link=7)
    assert LEGS_OF_PLATFORM in model.formulation
    assert LEGS_OF_PLATFORM not in symoro.velocities("orthoglide", link=7, optimize=False).formulation
