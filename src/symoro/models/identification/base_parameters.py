"""The base inertial parameters of a robot: names, relations, matrix, and the robot that has them (GK88)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.binding import bind, value_of
from symoro.errors import OptionError
from symoro.interface import robot_numbers
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.latex import latex
from symoro.ir.program import Variable
from symoro.models.families import constraints
from symoro.models.identification.base.base_robot import base_robot, relation_value
from symoro.models.identification.base.model_parameters import model_base_set
from symoro.models.identification.base.tree.regrouping import BaseSet, tree_base_set
from symoro.models.identification.parameters import Key, own_value
from symoro.robot.robot import Robot
from symoro.robot.values import ONE, ZERO, Symbol, Value, evaluate, is_zero, symbols, to_text
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.models.identification.base.constrained.regrouping import ConstraintRegrouping

_FRICTION = ("FV", "FS", "FA", "FO", "FST")


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The base parameters of a robot, and their relations to the robot's own (standard) parameters."""

    given: Robot
    """The robot with its standard parameters."""
    minimal: BaseSet
    friction: bool = False
    """Whether friction parameters are included."""
    loops: ConstraintRegrouping | None = None
    """How closed loops regroup the parameters of the open tree; None without loops, or if the search failed."""
    wheels: ConstraintRegrouping | None = None
    """How rolling wheels regroup the parameters of a base on a plane; None without wheels, or if the search failed."""
    coordinates: ConstraintRegrouping | None = None
    """How joint coordinates that are functions of the variables regroup the tree's; None where all are plain."""
    notes: tuple[str, ...] = ()
    """How the relations of loops and wheels were found, and on which branch they hold."""

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names: ZZR1, XXR2, XY2 …, rotor inertias that do not regroup, and friction if asked for."""
        return (*(self.minimal.names[p] for p in self.minimal.base), *self._friction)

    @cached_property
    def inertial(self) -> tuple[str, ...]:
        """The names of the parameters of links, without rotor inertias and friction."""
        return tuple(self.minimal.names[p] for p in self.minimal.base if p[0] != "IA")

    @cached_property
    def standard(self) -> tuple[str, ...]:
        """The names of the robot's own parameters that are not 0: the columns of `matrix`."""
        return (*self.minimal.standard.values(), *self._friction)

    @cached_property
    def relations(self) -> dict[str, str]:
        """Every parameter in terms of the robot's own, as text: {"ZZR1": "ZZ1 + YY2 + …", "XY2": "XY2"}."""
        return {name: to_text(value) for name, value in self.values.items()}

    @cached_property
    def values(self) -> dict[str, Value]:
        """Every parameter in terms of the robot's own."""
        found = {
            self.minimal.names[p]: relation_value(relation, self.minimal.standard)
            for p, relation in self.minimal.base.items()
        }
        return found | {name: Symbol(name) for name in self._friction}

    @cached_property
    def eliminated(self) -> dict[str, str]:
        """The robot's own parameters that are not base parameters, with the reason."""
        columns = self.minimal.standard.items()
        return {name: self._reason(key) for key, name in columns if key not in self.minimal.base}

    def _reason(self, key: Key) -> str:
        into = [self.minimal.names[p] for p, relation in self.minimal.base.items() if key in relation]
        reason = f"regrouped in {', '.join(into)}" if into else "no effect on the torques"
        for cause, found in (("closed loop", self.loops), ("rolling", self.wheels), ("coordinates", self.coordinates)):
            if found is not None and key in found.tree.base:
                return f"{cause}: {reason}"
        return reason

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The base parameters whose number follows from the robot's numbers."""
        known = robot_numbers(self.given)
        own = {name: own_value(self.given, key) for key, name in self.minimal.standard.items()} | self._friction
        known |= {name: evaluate(v, known) for name, v in own.items() if symbols(v) <= known.keys()}
        return {name: evaluate(v, known) for name, v in self.values.items() if symbols(v) <= known.keys()}

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """K with base = K · standard: numbers if the robot has all of them, else values of its geometry."""
        entries = self.symbolic_matrix
        known = robot_numbers(self.given)
        if all(symbols(x) <= known.keys() for x in entries.flat):
            return np.array([[evaluate(x, known) for x in row] for row in entries]).reshape(entries.shape)
        return entries

    @cached_property
    def symbolic_matrix(self) -> NDArray[Any]:
        """The same matrix, always with values of the robot's geometry."""
        shape = len(self.parameters), len(self.standard)
        entries = np.full(shape, ZERO, dtype=object)
        column = {key: k for k, key in enumerate(self.minimal.standard)}
        for row, relation in enumerate(self.minimal.base.values()):
            for key, x in relation.items():
                entries[row, column[key]] = value_of(x.expr)
        for k in range(1, len(self._friction) + 1):
            entries[-k, -k] = ONE
        return entries

    @cached_property
    def robot(self) -> Robot:
        """A robot with the same dynamics whose own parameters are the base parameters."""
        return base_robot(self.given, self.minimal, self.numbers)

    @cached_property
    def _friction(self) -> dict[str, Value]:
        if not self.friction:
            return {}
        found = {f"{n}{j + 1}": getattr(drive, n) for j, drive in enumerate(self.given.drives) for n in _FRICTION}
        return {v.name if isinstance(v, Symbol) else name: v for name, v in found.items() if not is_zero(v)}

    def latex(self) -> str:
        """The relations in LaTeX, as an `align` environment."""
        graph = Graph()
        used = sorted({name for value in self.values.values() for name in symbols(value)})
        exprs = tuple(bind(graph, value) for value in self.values.values())
        result = Result("", (len(exprs),), exprs, tuple(self.values))
        return latex(extract(graph, (), [Variable(name) for name in used], [result]), expanded=True)

    def __len__(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        names = [*self.parameters[:4], "…", *self.parameters[-2:]] if len(self) > 7 else self.parameters
        return f"<BaseParameters of {self.given.name}: {len(self)}, {', '.join(names)}>"

    def _repr_latex_(self) -> str:
        return self.latex()

    def __str__(self) -> str:
        width = max(map(len, self.parameters), default=0)
        lines = [f"{len(self)} base parameters of {self.given.title or self.given.name}"]
        lines += [name if name == text else f"{name:<{width}} = {text}" for name, text in self.relations.items()]
        return "\n".join(lines)


def base_parameters(
    robot: Robot, *, friction: bool = False, guess: Sequence[float] | None = None, every_branch: bool = False
) -> BaseParameters:
    """The base inertial parameters of a robot, rotor inertias included, and friction if asked for.

    `guess` is a closed configuration q of the tree's joints: it chooses the branch on which the loops are assembled.
    `every_branch` gives the parameters of models with params="base", whose relations hold on all branches.
    The modules of loops and wheels are imported where a robot needs them: they bring the numeric search.
    """
    if guess is not None and (every_branch or not robot.cuts):
        why = "every_branch=True asks for all branches" if every_branch else f"{robot.name} has no closed loops"
        raise OptionError(f"guess chooses one branch of closed loops: {why}")
    s = Symbols(robot, Graph())
    if every_branch:
        return BaseParameters(robot, model_base_set(s), friction)
    tree = tree_base_set(s)
    if robot.cuts:
        from symoro.models.identification.base.constrained.loop_search import of_loops

        loops, notes = of_loops(s, tree, guess)
        found = loops.minimal if loops else model_base_set(s)
        return BaseParameters(robot, found, friction, loops=loops, notes=notes)
    if constraints(robot):
        from symoro.models.identification.base.constrained.wheels import of_motion

        motion, notes = of_motion(s, tree)
        regrouped = BaseParameters(robot, motion.minimal if motion else tree, friction, notes=notes)
        return replace(regrouped, wheels=motion) if robot.base.wheels else replace(regrouped, coordinates=motion)
    return BaseParameters(robot, tree, friction)
