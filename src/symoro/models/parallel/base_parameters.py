"""The base parameters of a parallel robot, with their relations to the parameters of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symoro.binding import value_of
from symoro.ir.graph import Graph
from symoro.models.identification.base.numeric.rank import coefficients, dependent_columns, rank_of
from symoro.models.identification.base.tree.regrouping import tree_base_set
from symoro.models.identification.parameters import own_value
from symoro.models.parallel.dynamics import Motion
from symoro.models.parallel.letters import INERTIAL
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.motions import random_motions
from symoro.models.parallel.numbers import Array, function_of
from symoro.models.parallel.regressor import columns, shared
from symoro.robot.arithmetic import plus, times, total
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import ZERO, Value, as_value, evaluate, symbols, to_text

_FRICTION = ("FV", "FS", "FA", "FST", "FO")


@dataclass(frozen=True)
class PlatformBaseParameters:
    """The fewest parameters that give the torques of the motors; legs alike can share theirs.

    `values` are their relations to the robot's own parameters; those that numbers found have numbers as factors.
    """

    given: ParallelRobot
    values: dict[str, Value]
    eliminated: dict[str, str]
    notes: tuple[str, ...] = ()
    loops: Any = field(default=None, repr=False)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names, those of the platform first."""
        return tuple(self.values)

    @property
    def inertial(self) -> tuple[str, ...]:
        """The names of the parameters of links and platform, without rotor inertias and friction."""
        return tuple(name for name in self.values if not name.startswith(("IA", *_FRICTION)))

    @cached_property
    def relations(self) -> dict[str, str]:
        """Every parameter in terms of the robot's own, as text."""
        return {name: to_text(value) for name, value in self.values.items()}

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The base parameters whose number follows from the robot's numbers."""
        known = self.given.values.numbers()
        return {name: evaluate(x, known) for name, x in self.values.items() if symbols(x) <= known.keys()}

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        lines = [f"{len(self)} base parameters of {self.given.title or self.given.name}"]
        return "\n".join([*lines, *(f"{name} = {text}" for name, text in self.relations.items())])


def base_parameters(robot: ParallelRobot, *, friction: bool = False, alike: bool = False) -> PlatformBaseParameters:
    """The base parameters: what legs and platform share is moved to the platform, each leg is regrouped as a tree, and
    what the constraints of the platform make dependent is found by numbers, at random motions.

    `alike`: all legs have the same parameters; the relations of a leg are those of the first one.
    """
    m = Mechanism.made(robot, Graph(), None, base=True)
    found = list(columns(m, Motion(m, m.of.V, m.of.VP)))
    relations = dict(_relations(m))
    if alike:
        found = shared(m, found)
        relations = {name.removesuffix("_1"): value for name, value in relations.items()} | relations
    kept = [c for c in found if friction or c.letters not in _FRICTION]
    count = max(12, 2 * len(kept) // len(robot.motors) + 4)
    elements = [x for k in range(len(robot.motors)) for x in (c.elements[k] for c in kept)]
    D = function_of(m.of, elements, ("T", "V", "VP"))(*random_motions(robot, count)).reshape(-1, len(kept))
    return _independent(robot, [c.name for c in kept], [relations.get(c.name, ZERO) for c in kept], D)


def _independent(robot: ParallelRobot, names: list[str], values: list[Value], D: Array) -> PlatformBaseParameters:
    """The parameters whose columns are independent; the others are added to them."""
    rank = rank_of(D)
    gone = dependent_columns(D, range(len(names)), rank.rank)
    kept = [k for k in range(len(names)) if k not in gone]
    C = coefficients(D, kept, gone)[0] if gone else np.zeros((len(kept), 0))
    base, eliminated = {names[k]: values[k] for k in kept}, {}
    for column, k in enumerate(gone):
        into = {names[kept[i]]: float(x) for i, x in enumerate(C[:, column]) if abs(x) > 1e-9}
        for name, x in into.items():
            base[name] = plus(base[name], times(_number(x), values[k]))
        said = f"regrouped in {', '.join(into)}" if into else "no effect on the torques"
        eliminated[names[k]] = f"by the constraints of the platform: {said}"
    note = () if rank.clear else (f"there may be a smaller set: {rank}",)
    return PlatformBaseParameters(robot, base, eliminated, note)


def _number(x: float) -> Value:
    near = round(x)
    return as_value(near if abs(x - near) < 1e-9 else float(f"{x:.12g}"))


def _relations(m: Mechanism) -> Iterator[tuple[str, Value]]:
    """Every column of a regrouped mechanism with its value in terms of the robot's own parameters."""
    own = m.of.robot.platform
    for name in INERTIAL:
        yield f"{name}RP", getattr(own, name)
        yield f"{name}P", getattr(own, name)
    for i, leg in enumerate(m.legs, 1):
        found = tree_base_set(leg.s)
        for key, relation in found.base.items():
            terms = (times(value_of(x.expr), own_value(leg.s.robot, k)) for k, x in relation.items())
            label = found.names[key]
            yield label if label.endswith(f"_{i}") else f"{label}_{i}", total(terms)
        for j in leg.s.variables:
            for name in _FRICTION:
                yield f"{name}{j}_{i}", own_value(leg.s.robot, (name, j))
