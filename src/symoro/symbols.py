"""Binds a robot to a graph: its parameters and variables as expressions, under the letters of the papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from symoro.binding import bind
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector
from symoro.ir.meaning import Meaning
from symoro.ir.ops import Op
from symoro.ir.spatial import Rotation, Turn
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import Symbol, Value, is_zero, symbols
from symoro.vocabulary import INTERMEDIATE


@dataclass(frozen=True)
class Symbols:
    """A robot's letters in one graph. Joints and links are named by their index; 0 is the base."""

    robot: Robot
    graph: Graph
    regrouped: Mapping[tuple[str, int], Expr] = field(default_factory=dict)
    """Parameters (letters, link) that stand for the robot's own: the base inertial parameters."""

    @cached_property
    def memory(self) -> dict[object, Any]:
        """What algorithms found out about this robot once, for the next one that asks."""
        return {}

    # structure

    @cached_property
    def outward(self) -> tuple[int, ...]:
        """The links from the base to the tips."""
        return tuple(j.index for j in topology.outward(self.robot))

    @cached_property
    def inward(self) -> tuple[int, ...]:
        """The links from the tips to the base."""
        return self.outward[::-1]

    @cached_property
    def movable(self) -> tuple[int, ...]:
        """The joints that move, in the order of q."""
        return tuple(j.index for j in topology.movable(self.robot))

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """The joints that a motor moves; all others of an open robot move freely, under a spring or nothing."""
        return tuple(j for j in self.movable if self.robot.joint(j).actuated)

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The movable joints without a motor."""
        return tuple(j for j in self.movable if j not in self.driven)

    @cached_property
    def parent(self) -> dict[int, int]:
        """a(j), the antecedent of frame j."""
        return {j.index: j.parent for j in self.robot.joints}

    @cached_property
    def children(self) -> dict[int, tuple[int, ...]]:
        """The links k with a(k) = j."""
        found: dict[int, tuple[int, ...]] = dict.fromkeys((0, *self.outward), ())
        for k in sorted(self.outward):
            found[self.parent[k]] += (k,)
        return found

    @cached_property
    def revolute(self) -> dict[int, int]:
        """1 for a revolute joint (the papers' σ̄), else 0."""
        return {j.index: int(j.revolute) for j in self.robot.joints}

    @cached_property
    def prismatic(self) -> dict[int, int]:
        """1 for a prismatic joint (the papers' σ), else 0."""
        return {j.index: int(j.prismatic) for j in self.robot.joints}

    # variables

    def given(self, **known: Any) -> Symbols:
        """The same letters, but for those that are known as expressions: qd, qdd, base_motion …"""
        copy = replace(self)
        copy.__dict__.update(known, parameter_names=self.parameter_names)  # the robot is the same
        return copy

    @cached_property
    def _variables(self) -> dict[str, Expr]:
        return {j.variable: self.graph.symbol(j.variable, str(j.index)) for j in self.robot.joints if j.variable}

    def bind(self, value: Value, given: Mapping[str, Expr] | None = None) -> Expr:
        """A value of the robot's tables; `given` replaces symbols."""
        return bind(self.graph, value, {**self._variables, **given} if given else self._variables)

    def _motion(self, letters: str) -> dict[int, Expr]:
        zero = dict.fromkeys((j.index for j in self.robot.joints), self.graph.zero)
        return zero | {j: self.graph.symbol(self._free_name(f"{letters}{j}")) for j in self.movable}

    @cached_property
    def q(self) -> dict[int, Expr]:
        """Joint positions."""
        return {j.index: self._variables[j.variable] for j in self.robot.joints if j.variable}

    @cached_property
    def qd(self) -> dict[int, Expr]:
        """Joint velocities; 0 for a fixed joint."""
        return self._motion("QP")

    @cached_property
    def qdd(self) -> dict[int, Expr]:
        """Joint accelerations; 0 for a fixed joint."""
        return self._motion("QDP")

    @cached_property
    def tau(self) -> dict[int, Expr]:
        """Joint torques; 0 for a fixed joint."""
        return self._motion("GAM")

    @cached_property
    def end(self) -> Symbols:
        """The same letters in a second state, in which a motion ends: q_end and qd_end in the place of q and qd."""

        def ended(x: Expr) -> Expr:
            label = self.graph.labels.get(x.node)
            return self.graph.symbol(self._free_name(f"{x.node.value}_end"), label and f"{label}_end")

        variables = {name: ended(x) for name, x in self._variables.items()}
        qd = self.qd | {j: ended(self.qd[j]) for j in self.movable}
        return self.given(_variables=variables, qd=qd, _ending="_end")

    @cached_property
    def _ending(self) -> str:
        """What intermediate variables of this state have behind their names."""
        return ""

    @cached_property
    def base_motion(self) -> tuple[Vector, Vector]:
        """Velocity and acceleration [linear; angular] of the base in frame 0; zeros for a base that stands still."""
        if self.robot.base.kind is BaseKind.FIXED and self.robot.base.still:
            return Vector(self.graph, (0,) * 6), Vector(self.graph, (0,) * 6)
        names = ("V10", "V20", "V30", "W10", "W20", "W30"), ("VP10", "VP20", "VP30", "WP10", "WP20", "WP30")
        first, second = (Vector(self.graph, (self.graph.symbol(self._free_name(n)) for n in row)) for row in names)
        return first, second

    @property
    def v0(self) -> Vector:
        """Velocity of the base's origin, in frame 0."""
        return self.base_motion[0][:3]

    @property
    def w0(self) -> Vector:
        """Angular velocity of the base."""
        return self.base_motion[0][3:]

    @property
    def vd0(self) -> Vector:
        """Acceleration of the base's origin, without gravity."""
        return self.base_motion[1][:3]

    @property
    def wd0(self) -> Vector:
        """Angular acceleration of the base."""
        return self.base_motion[1][3:]

    @cached_property
    def quat(self) -> Vector:
        """The orientation of a floating base in the world: a unit quaternion x y z w."""
        return Vector(self.graph, (self.graph.symbol(self._free_name(n)) for n in ("QX", "QY", "QZ", "QW")))

    @cached_property
    def wrench_links(self) -> tuple[int, ...]:
        """The links that declare a wrench on the environment; the base, 0, counts where it moves freely."""
        first = 0 if self.robot.base.free else 1
        return tuple(j for j in range(first, self.robot.link_count + 1) if not self.robot.wrench(j).is_zero)

    @cached_property
    def wrench(self) -> dict[int, Vector]:
        """[f; m] of each link that declares one."""
        found = {}
        for j in self.wrench_links:
            entries = self.robot.wrench(j).items()
            names = (v.name if isinstance(v, Symbol) else self._free_name(f"{n}{j}") for n, v in entries)
            found[j] = Vector(self.graph, (self.graph.symbol(n) for n in names))
        return found

    def force(self, j: int) -> Vector:
        """f_e: the force of link j on the environment."""
        return self.wrench[j][:3] if j in self.wrench else Vector(self.graph, (0, 0, 0))

    def moment(self, j: int) -> Vector:
        """m_e: the moment of link j on the environment, about the origin of frame j."""
        return self.wrench[j][3:] if j in self.wrench else Vector(self.graph, (0, 0, 0))

    # geometry

    @cached_property
    def a(self) -> Vector:
        """The unit vector of every joint's axis in its own frame."""
        return Vector(self.graph, (0, 0, 1))

    @cached_property
    def R(self) -> dict[int, Rotation]:
        """The rotation of frame j seen from its antecedent: Rz(γ) Rx(α) Rz(θ) (K97:1b)."""
        return {j.index: Rotation(self.graph, self._turns(j)) for j in self.robot.joints}

    @cached_property
    def P(self) -> dict[int, Vector]:
        """The origin of frame j in its antecedent frame (K97:1b)."""
        return {j.index: self._origin(j) for j in self.robot.joints}

    def _turns(self, j: Joint) -> Iterator[Turn]:
        for axis, letter, value in ((2, "G", j.gamma), (0, "A", j.alpha), (2, "", j.theta)):
            if not is_zero(value):
                yield self._turn(axis, letter, j, value)

    def _turn(self, axis: int, letter: str, j: Joint, value: Value) -> Turn:
        angle = self.bind(value)
        cosine, sine = self.graph.cos(angle), self.graph.sin(angle)
        for x, head in ((sine, "S"), (cosine, "C")):
            if x.node.op in (Op.SIN, Op.COS):  # a quarter turn may have made a cosine of a sine
                head = "S" if x.node.op is Op.SIN else "C"
                meaning = Meaning(f"{x.node.op.value} of an angle of frame {j.index}", link=j.index, equation="K97:1b")
                self.graph.name(x.node.plus, f"{head}{letter}{j.index}{self._ending}", meaning)
        return Turn(axis, cosine, sine)

    def _origin(self, j: Joint) -> Vector:
        r, b, d = self.bind(j.r), self.bind(j.b), self.bind(j.d)
        gamma, alpha = self._turn(2, "G", j, j.gamma), self._turn(0, "A", j, j.alpha)
        return gamma @ (alpha @ Vector(self.graph, (d, 0, r)) + Vector(self.graph, (0, 0, b)))

    # dynamics

    def _entry(self, name: str, j: int) -> Expr:
        return self.regrouped.get((name, j)) or self.bind(getattr(self.robot.inertia(j), name))

    def J(self, j: int) -> Matrix:
        """The inertia matrix of link j about the origin of its frame."""
        xx, xy, xz, yy, yz, zz = (self._entry(n, j) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        return Matrix(self.graph, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    def MS(self, j: int) -> Vector:
        """The first moments of link j."""
        return Vector(self.graph, (self._entry(n, j) for n in ("MX", "MY", "MZ")))

    def M(self, j: int) -> Expr:
        """The mass of link j."""
        return self._entry("M", j)

    def drive(self, name: str, j: int) -> Expr:
        """IA, FV or FS of joint j."""
        return self.regrouped.get((name, j)) or self.bind(getattr(self.robot.drive(j), name))

    @cached_property
    def g(self) -> Vector:
        """The acceleration of gravity in frame 0; the robot's table has it in the world where the base floats."""
        g = Vector(self.graph, (self.bind(x) for x in self.robot.gravity))
        if self.robot.base.kind is not BaseKind.FLOATING:
            return g
        u, w = self.quat[:3], self.quat[3]
        t = 2 * g.cross(u)
        return self.name("G", 0, g + w * t + t.cross(u))

    # names

    def name(self, letters: str, j: int, thing: Vector) -> Vector:
        """Name the elements of a vector of link j as SYMORO users know them: WI12 is row 1 of link 2."""
        for row, x in enumerate(thing, 1):
            self.graph.name(x, f"{letters}{row}{j}{self._ending}", self._meaning(letters, j))
        return thing

    def name_scalar(self, name: str, j: int, x: Expr) -> Expr:
        """Name one element: DV122, PIS22, GAM1. The letters before the first digit say what it is."""
        letters = name.rstrip("0123456789")
        return self.graph.name(x, f"{name}{self._ending}", self._meaning(letters, j))

    def _meaning(self, letters: str, j: int) -> Meaning:
        text, unit, equation = INTERMEDIATE.get(letters, ("", "", ""))
        return Meaning(text.format(j=j), unit, j, equation)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """Every symbol of the robot's tables that is neither a variable nor an input, in order."""
        r = self.robot
        geometry = tuple((j.gamma, j.b, j.alpha, j.d, j.theta, j.r, j.stiffness, j.rest) for j in r.joints)
        tables = (
            geometry,
            r.inertias,
            r.drives,
            r.base.inertia,
            r.base.pose,
            r.base.wheels,
            r.gravity,
            r.frames,
            r.coupling,
        )
        found = dict.fromkeys(name for value in parameters(tables) for name in sorted(symbols(value)))
        return tuple(name for name in found if name not in self._variables)

    def _free_name(self, name: str) -> str:
        """The name, with an underscore behind it where a parameter has it already."""
        while name in self.parameter_names or name in self._variables:
            name += "_"
        return name
