"""The letters of a parallel robot's platform in one graph: its pose, motion and inertia."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from symoro.binding import bind
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import parameters
from symoro.robot.values import Symbol, symbols

T_NAMES = tuple(tuple(f"T{i}{k}" for k in range(1, 5)) for i in range(1, 5))
V_NAMES = ("V1", "V2", "V3", "W1", "W2", "W3")
VP_NAMES = ("VP1", "VP2", "VP3", "WP1", "WP2", "WP3")


@dataclass(frozen=True, eq=False)
class Letters:
    """The platform's letters; `regrouped` are inertial parameters that stand for its own."""

    robot: ParallelRobot
    graph: Graph
    regrouped: Mapping[str, Expr] = field(default_factory=dict)

    @cached_property
    def memory(self) -> dict[object, Any]:
        """Results of `remembered` functions for these letters."""
        return {}

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """Every symbol of the tables that is no variable of a joint, in order."""
        r = self.robot
        geometry = tuple((j.gamma, j.b, j.alpha, j.d, j.theta, j.r, j.stiffness, j.rest) for j in r.joints)
        poses = tuple(attachment.pose for attachment in r.attachments)
        tables = (geometry, r.inertias, r.drives, r.frames, poses, r.platform, r.gravity)
        found = dict.fromkeys(name for value in parameters(tables) for name in sorted(symbols(value)))
        variables = {j.variable for j in r.joints}
        return tuple(name for name in found if name not in variables)

    def unused(self, name: str) -> str:
        """The name, with an underscore behind it where a parameter or a variable has it already."""
        taken = {*self.parameter_names, *(j.variable for j in self.robot.joints)}
        while name in taken:
            name += "_"
        return name

    def _vector(self, names: tuple[str, ...]) -> Vector:
        return Vector(self.graph, (self.graph.symbol(self.unused(name)) for name in names))

    # pose and motion

    @cached_property
    def T(self) -> Matrix:
        """The pose of the platform in frame 0."""
        return Matrix(self.graph, (self._vector(row) for row in T_NAMES))

    @cached_property
    def R(self) -> Matrix:
        """The orientation of the platform."""
        return Matrix(self.graph, (row[:3] for row in self.T.rows[:3]))

    @cached_property
    def p(self) -> Vector:
        """The origin of the platform's frame, in frame 0."""
        return self.T.column(3)[:3]

    @cached_property
    def V(self) -> Vector:
        """[v; ω] of the origin of the platform's frame, in frame 0."""
        return self._vector(V_NAMES)

    @cached_property
    def VP(self) -> Vector:
        """The time derivative of the six numbers of V."""
        return self._vector(VP_NAMES)

    @cached_property
    def tau(self) -> Vector:
        """The torques of the motors."""
        return self._vector(tuple(f"GAM{j}_{i + 1}" for i, j in self.robot.motors))

    @cached_property
    def wrench_names(self) -> tuple[str, ...]:
        """The names of the wrench of the platform on its environment; none where the robot declares none."""
        declared = self.robot.platform_wrench
        named = (x.name if isinstance(x, Symbol) else self.unused(f"{n}P") for n, x in declared.items())
        return () if declared.is_zero else tuple(named)

    @cached_property
    def wrench(self) -> Vector:
        """[f; m] of the platform on its environment, in its frame."""
        if not self.wrench_names:
            return zeros(self.graph, 6)
        return Vector(self.graph, map(self.graph.symbol, self.wrench_names))

    @cached_property
    def target(self) -> Vector:
        """Wanted positions of the motors."""
        return self._vector(tuple(f"QA{j}_{i + 1}" for i, j in self.robot.motors))

    @cached_property
    def g(self) -> Vector:
        """The acceleration of gravity in frame 0."""
        return Vector(self.graph, (bind(self.graph, x, {}) for x in self.robot.gravity))

    # inertia

    def _entry(self, name: str) -> Expr:
        return self.regrouped.get(name) or bind(self.graph, getattr(self.robot.platform, name), {})

    @cached_property
    def M(self) -> Expr:
        """The mass of the platform."""
        return self._entry("M")

    @cached_property
    def MS(self) -> Vector:
        """The first moments of the platform, in its frame."""
        return Vector(self.graph, map(self._entry, ("MX", "MY", "MZ")))

    @cached_property
    def J(self) -> Matrix:
        """The inertia matrix of the platform about the origin of its frame, in its frame."""
        rows = (("XX", "XY", "XZ"), ("XY", "YY", "YZ"), ("XZ", "YZ", "ZZ"))
        return Matrix(self.graph, (map(self._entry, row) for row in rows))


INERTIAL = Inertia.names()
