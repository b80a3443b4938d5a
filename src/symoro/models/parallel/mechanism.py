"""A parallel robot as expressions: its legs with their joints known, and the motions that are left to the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, identity, zeros
from symoro.models.identification.base.model_parameters import regrouped
from symoro.models.parallel.base import with_moved_bodies
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.looseness import looseness
from symoro.models.parallel.structure import Structure, bound_legs, structure
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import evaluate


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The platform and its legs. V = S v for every motion that the legs leave to the platform."""

    of: Letters
    legs: tuple[Leg, ...]
    structure: Structure
    base: bool = False
    """Whether the inertial parameters are the base parameters."""

    @classmethod
    def made(cls, robot: ParallelRobot, graph: Graph, branch: tuple[int, ...] | None, base: bool = False) -> Mechanism:
        """The mechanism in a graph; with `base`, its inertial parameters are regrouped to the fewest."""
        found = structure(robot, branch)
        letters = Letters(with_moved_bodies(robot) if base else robot, graph)
        legs = bound_legs(letters, found)
        if base:
            legs = tuple(replace(leg, s=replace(leg.s, regrouped=regrouped(leg.s))) for leg in legs)
        return cls(letters, legs, found, base)

    @property
    def graph(self) -> Graph:
        return self.of.graph

    @property
    def reduced(self) -> bool:
        """Whether the legs constrain the platform."""
        return bool(self.structure.kept)

    @cached_property
    def from_home(self) -> Vector:
        """How far the platform is from home: the translation, and the axis of its rotation times sin(angle)."""
        of, g = self.of, self.graph
        home = [[g.lift(evaluate(x, of.robot.values.numbers())) for x in row] for row in of.robot.home]
        away = of.R @ Matrix(g, (row[:3] for row in home[:3])).T
        turn = [(away[i, k] - away[k, i]) / 2 for i, k in ((2, 1), (0, 2), (1, 0))]
        return Vector(g, (*(p - row[3] for p, row in zip(of.p, home, strict=False)), *turn))

    @cached_property
    def D(self) -> Matrix:
        """J_p⁻¹, with a row for each motor (K10:60-62)."""
        return Matrix(self.graph, (self.legs[i].row_of(j) for i, j in self.of.robot.motors))

    @cached_property
    def C(self) -> Matrix:
        """The independent constraints: C V = 0."""
        rows = [row for leg in self.legs for row in leg.constraints]
        return Matrix(self.graph, (rows[k] for k in self.structure.kept))

    @cached_property
    def S(self) -> Matrix:
        """The basis of the platform's motions: V = S v, where v are the independent components of V."""
        found = self.structure
        if not self.reduced:
            return identity(self.graph, 6)
        if found.fixed is not None:
            return Matrix(self.graph, found.fixed)
        return self._spread([[-row[k] for k in found.independent] for row in self.C])

    def _spread(self, right: Sequence[Sequence[Expr]]) -> Matrix:
        """Ones at the independent components of V; C_d X = right at the dependent ones."""
        found = self.structure
        rows = [[row[k] for k in found.dependent] for row in self.C]
        X = solve(self.graph, rows, right)
        if X is None:
            raise NotApplicable(f"the constraints of {self.of.robot.name} are singular in every pose")
        ones = identity(self.graph, found.freedom)
        made = dict(zip(found.independent, ones, strict=True)) | dict(zip(found.dependent, X, strict=True))
        return Matrix(self.graph, (made[k] for k in range(6)))

    def particular(self, gamma: Sequence[Expr]) -> Vector:
        """A vector x with C x + γ = 0 and 0 at the independent components; where S is fixed, it is 0."""
        found = self.structure
        if not self.reduced or found.fixed is not None:
            return zeros(self.graph, 6)
        rows = [[row[k] for k in found.dependent] for row in self.C]
        X = solve(self.graph, rows, [[-x] for x in gamma])
        assert X is not None
        made = {k: row[0] for k, row in zip(found.dependent, X, strict=True)}
        return Vector(self.graph, (made.get(k, self.graph.zero) for k in range(6)))

    @cached_property
    def DS(self) -> Matrix:
        """The motors' velocities for the independent components of V."""
        self.require_held()
        return self.D @ self.S if self.reduced else self.D

    def require_held(self) -> None:
        """An error where the motors do not hold the platform in any pose."""
        if said := looseness(self):
            raise NotApplicable(f"{self.of.robot.name}: {said}")
