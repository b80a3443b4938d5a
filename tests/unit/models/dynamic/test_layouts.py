"""Every layout that the search may choose gives the outputs of the plain form; random layouts are tested."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.random_robots import random_robot
from support.samples import named
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.build import _draft, symbols_of
from symoro.models.catalogue import find
from symoro.models.dynamic import constrained
from symoro.models.dynamic.lean import models as lean
from symoro.models.dynamic.lean.layout import InertiaLayout, MotionLayout, RecursionLayout, SystemLayout, alike
from symoro.models.identification.regressors import dynamic
from symoro.models.parallel.motions import random_motions
from symoro.robot.robot import Robot

LIBRARY = ["puma560", "rx90-symmetric", "stanford", "general6r", "ur5", "two-arm"]
REGRESSOR = {"rotors": None, "friction": None, "offset": None}
FORMULATIONS: dict[str, tuple[Callable[..., Any], type, dict[str, Any]]] = {
    "inverse_dynamics": (lean.inverse_dynamics, RecursionLayout, {}),
    "inertia_matrix": (lean.inertia_matrix, InertiaLayout, {}),
    "dynamic_regressor": (dynamic.by_projection, MotionLayout, REGRESSOR),
}


def robots() -> list[Robot]:
    structures = ("serial", "tree")
    drawn = [random_robot(seed, structure=structures[seed % 2], kinds="mixed", joints=5) for seed in range(6)]
    return [*(symoro.load(name) for name in LIBRARY), *drawn]


def random_layout(robot: Robot, start: Any, rng: random.Random) -> Any:
    """The layout after twenty random steps of the search."""
    for _ in range(20):
        start = rng.choice(list(start.neighbours(robot)))
    return start


def values(program: Program, robot: Robot) -> np.ndarray:
    """The outputs at random inputs and parameters, which depend on their names alone.

    Legs are in motions that they allow, and have their own numbers.
    """
    numbers = robot_numbers(robot) if robot.platforms else {}
    motions = dict(zip(("T", "V", "VP"), random_motions(robot, 4), strict=True)) if robot.platforms else {}

    def drawn(name: str, shape: tuple[int, ...] = ()) -> np.ndarray:
        return np.random.default_rng(list(name.encode())).uniform(0.2, 1.5, size=shape)

    count = 4 if robot.platforms else 20
    inputs = {x.name: drawn(x.name, (count, *x.shape)) for x in program.inputs} | motions
    inputs = {x.name: inputs[x.name] for x in program.inputs}
    results = evaluate(program, inputs, {p.name: numbers.get(p.name, drawn(p.name)) for p in program.parameters})
    return np.concatenate([x.ravel() for x in results.values()])


def compare(robot: Robot, name: str, algorithm: Callable[..., Any], start: Any, options: dict[str, Any]) -> None:
    """Compare the outputs of random layouts with those of the plain form."""
    chosen = {"params": "base", **options}
    plain = getattr(symoro, name)(robot, params="base", optimize=False)
    expected = values(plain.program, plain.robot)
    rng = random.Random(robot.name)
    for _ in range(4):
        layout = random_layout(plain.robot, start, rng)
        s = symbols_of(plain.robot, chosen, Graph(cancel=True))
        found = values(_draft(find(name).of(plain.robot), s, chosen, algorithm, layout=layout).write(), robot)
        assert_close(found, expected, 1e-10)


@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
@pytest.mark.parametrize("name", FORMULATIONS)
def test_trees(robot: Robot, name: str) -> None:
    algorithm, kind, options = FORMULATIONS[name]
    compare(robot, name, algorithm, kind(), options)


@pytest.mark.parametrize(
    ("name", "start"), [("inverse_dynamics", RecursionLayout()), ("inertia_matrix", InertiaLayout())]
)
@pytest.mark.parametrize("robot", ["four-bar", "slider-crank", "sr400", "two-loops", "diff-drive-2r"])
def test_constrained_trees(robot: str, name: str, start: Any) -> None:
    compare(symoro.load(robot), name, getattr(constrained, name), start, {})


@pytest.mark.parametrize(("robot", "name", "start"), [
    ("satellite", "inertia_matrix", InertiaLayout()), ("satellite", "bias", RecursionLayout()),
    ("satellite", "inverse_dynamics", SystemLayout(InertiaLayout(), RecursionLayout())),
    ("satellite", "direct_dynamics", SystemLayout(InertiaLayout(), RecursionLayout())),
    ("flexible-arm", "inverse_dynamics", SystemLayout(InertiaLayout(), RecursionLayout())),
    ("flexible-joints", "direct_dynamics", SystemLayout(InertiaLayout(), RecursionLayout())),
])  # fmt: skip
def test_floating_bases_and_springs(robot: str, name: str, start: Any) -> None:
    compare(symoro.load(robot), name, getattr(constrained, name), start, {})


@pytest.mark.long
@pytest.mark.parametrize(("name", "start"), [
    ("inverse_dynamics", RecursionLayout()), ("inertia_matrix", InertiaLayout()), ("bias", RecursionLayout()),
    ("direct_dynamics", SystemLayout(InertiaLayout(), RecursionLayout())),
])  # fmt: skip
@pytest.mark.parametrize("robot", named(["five-bar-legs", "orthoglide-legs", "gough-stewart"], ["gough-stewart"]))
def test_legs(robot: str, name: str, start: Any) -> None:
    compare(symoro.load(robot), name, getattr(constrained, name), start, {})


def test_legs_that_are_alike_share_their_choices_and_the_platform_has_none() -> None:
    joints = [[joint.index for joint in one] for one in alike(symoro.load("delta"))]
    assert joints == [[1, 4, 7], [2, 5, 8], [3, 6, 9]]
    assert [len(one) for one in alike(symoro.load("puma560"))] == [1] * 6


def test_angles_of_legs_are_pairs_in_the_lean_form_too() -> None:
    assert symoro.inverse_dynamics("five-bar-legs").ops.trig == 0
    assert "lean" in symoro.inverse_dynamics("five-bar-legs").formulation
