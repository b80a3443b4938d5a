"""Binds a robot to a graph: its parameters and variables as expressions, under the letters of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from symoro.binding import bind
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.ir.meaning import Meaning
from symoro.ir.ops import Op
from symoro.ir.spatial import Rotation, Turn
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.values import Symbol, Value, is_zero, symbols
from symoro.state import State
from symoro.structure import Structure
from symoro.vocabulary import INTERMEDIATE

BASE_VELOCITY = ("V10", "V20", "V30", "W10", "W20", "W30")
BASE_ACCELERATION = ("VP10", "VP20", "VP30", "WP10", "WP20", "WP30")


@dataclass(frozen=True)
class Symbols(Structure):
    """A robot's letters in one graph. Joints and links are named by their index; 0 is the base."""

    graph: Graph
    regrouped: Mapping[tuple[str, int], Expr] = field(default_factory=dict)
    """Parameters (letters, link) that stand for the robot's own: the base inertial parameters."""
    state: State = field(default=None)  # type: ignore[assignment]
    """The state and motion in which a model is written: that of the inputs, unless another one is given."""
    at: tuple[float, ...] | None = None
    """A closed configuration q at which the independent equations of loops are chosen; None: arbitrary ones."""

    def __post_init__(self) -> None:
        """Make the sines and cosines, then the symbols of the inputs.

        A graph writes operands in the order in which they were made. Made here, they come in the same order in every
        model, whatever an algorithm asks for first.
        """
        if self.state is None:
            object.__setattr__(self, "state", self._at_rest())
            _ = self.R
            object.__setattr__(self, "state", self._input_state())

    @cached_property
    def memory(self) -> dict[object, Any]:
        """Results of `remembered` functions for these symbols."""
        return {}

    def in_state(self, **changes: Any) -> Symbols:
        """The same robot in another state: some fields of `State` are replaced."""
        return replace(self, state=replace(self.state, **changes))

    # state and motion

    def _at_rest(self) -> State:
        """The positions are inputs; nothing moves and nothing acts."""
        q = {j.index: self.graph.symbol(j.variable, str(j.index)) for j in self.robot.joints if j.variable}
        none = zeros(self.graph, 6)
        return State(q, qd=self.still, qdd=self.still, V0=none, VP0=none, g=none[:3], wrench={})

    def _input_state(self) -> State:
        """A symbol for each input that the robot has."""
        moves = self.robot.base.kind is not BaseKind.FIXED or not self.robot.base.still
        return replace(
            self.state,
            qd=self._by_joint("QP"),
            qdd=self._by_joint("QDP"),
            V0=self._vector(BASE_VELOCITY) if moves else self.state.V0,
            VP0=self._vector(BASE_ACCELERATION) if moves else self.state.VP0,
            g=self._gravity(),
            wrench={j: self._wrench(j) for j in self.wrench_links},
        )

    def _by_joint(self, letters: str) -> dict[int, Expr]:
        """A symbol for each variable; 0 for the other joints."""
        return self.still | {j: self.graph.symbol(self._unused(f"{letters}{j}")) for j in self.variables}

    def _vector(self, names: Iterable[str]) -> Vector:
        return Vector(self.graph, (self.graph.symbol(self._unused(name)) for name in names))

    def _gravity(self) -> Vector:
        """The acceleration of gravity in frame 0; the robot's table has it in the world where the base floats."""
        g = Vector(self.graph, (self.bind(x) for x in self.robot.gravity))
        if self.robot.base.kind is not BaseKind.FLOATING:
            return g
        u, w = self.quat[:3], self.quat[3]
        t = 2 * g.cross(u)
        return self.name("G", 0, g + w * t + t.cross(u))

    def _wrench(self, j: int) -> Vector:
        """A symbol for each entry: an entry that shares its symbol with another is an input of its own."""
        entries = ((v.name if isinstance(v, Symbol) else "", f"{n}{j}") for n, v in self.robot.wrench(j).items())
        names = (own if own in self._own_wrenches else self._unused(usual) for own, usual in entries)
        return Vector(self.graph, (self.graph.symbol(n) for n in names))

    def bind(self, value: Value, given: Mapping[str, Expr] | None = None) -> Expr:
        """A value of the robot's tables; `given` replaces symbols."""
        return bind(self.graph, value, {**self._variables, **given} if given else self._variables)

    @cached_property
    def _variables(self) -> dict[str, Expr]:
        return {j.variable: self.state.q[j.index] for j in self.robot.joints if j.variable}

    @property
    def q(self) -> Mapping[int, Expr]:
        """The variables."""
        return self.state.q

    @property
    def qd(self) -> dict[int, Expr]:
        """The velocities of the variables; 0 for a joint without one."""
        return self.state.qd

    @property
    def qdd(self) -> dict[int, Expr]:
        """The accelerations of the variables; 0 for a joint without one."""
        return self.state.qdd

    @cached_property
    def slopes(self) -> dict[int, dict[int, Expr]]:
        """∂x_j/∂q_k of the coordinate x_j, θ_j or r_j, of each movable joint, without those that are 0."""
        return {j: self._slopes(j) for j in self.movable}

    def _slopes(self, j: int) -> dict[int, Expr]:
        position, variable = self.robot.joint(j).position, self.robot.joint(j).variable
        if variable and position == Symbol(variable):
            return {j: self.graph.one}
        among = [k for k in self.variables if self.robot.joint(k).variable in symbols(position)]
        (row,) = jacobian(self.graph, [self.bind(position)], [self.q[k] for k in among], "forward")
        return {k: x for k, x in zip(among, row, strict=True) if not x.is_zero}

    @cached_property
    def plain(self) -> bool:
        """Whether each joint's coordinate is the joint's variable plus a constant."""
        return all(row == {j: self.graph.one} for j, row in self.slopes.items())

    @cached_property
    def rate(self) -> dict[int, Expr]:
        """ẋ_j, the velocity of each joint's coordinate."""
        return self.qd if self.plain else self.qd | self._along_slopes(self.qd)

    @cached_property
    def acceleration(self) -> dict[int, Expr]:
        """ẍ_j = Σ ∂x_j/∂q_k q̈_k + Σ ∂²x_j/∂q_k∂q_l q̇_k q̇_l, the acceleration of each joint's coordinate."""
        if self.plain:
            return self.qdd
        q, linear = [self.q[k] for k in self.variables], self._along_slopes(self.qdd)
        for j in self.movable:
            second = jacobian(self.graph, list(self.slopes[j].values()), q, "forward")
            for k, row in zip(self.slopes[j], second, strict=True):
                terms = (x * self.qd[k] * self.qd[m] for m, x in zip(self.variables, row, strict=True))
                linear[j] = linear[j] + total(self.graph, terms)
        return self.qdd | linear

    def _along_slopes(self, motion: Mapping[int, Expr]) -> dict[int, Expr]:
        return {j: total(self.graph, (x * motion[k] for k, x in row.items())) for j, row in self.slopes.items()}

    @cached_property
    def still(self) -> dict[int, Expr]:
        """Velocities or accelerations of joints that do not move."""
        return dict.fromkeys((j.index for j in self.robot.joints), self.graph.zero)

    @cached_property
    def tau(self) -> dict[int, Expr]:
        """The torques at the variables; 0 for a joint without one."""
        return self._by_joint("GAM")

    @cached_property
    def end(self) -> Symbols:
        """The same robot in the state in which a motion ends: q_end and qd_end in the place of q and qd."""

        def ended(x: Expr) -> Expr:
            label = self.graph.labels.get(x.node)
            return self.graph.symbol(self._unused(f"{x.node.value}_end"), label and f"{label}_end")

        q = {j: ended(x) for j, x in self.q.items()}
        qd = self.qd | {j: ended(self.qd[j]) for j in self.variables}
        return self.in_state(q=q, qd=qd, suffix="_end")

    @property
    def v0(self) -> Vector:
        """Velocity of the base's origin, in frame 0."""
        return self.state.V0[:3]

    @property
    def w0(self) -> Vector:
        """Angular velocity of the base."""
        return self.state.V0[3:]

    @property
    def vd0(self) -> Vector:
        """Acceleration of the base's origin, without gravity."""
        return self.state.VP0[:3]

    @property
    def wd0(self) -> Vector:
        """Angular acceleration of the base."""
        return self.state.VP0[3:]

    @property
    def g(self) -> Vector:
        """The acceleration of gravity in frame 0."""
        return self.state.g

    @cached_property
    def quat(self) -> Vector:
        """The orientation of a floating base in the world: a unit quaternion x y z w."""
        return self._vector(("QX", "QY", "QZ", "QW"))

    @cached_property
    def wrench_links(self) -> tuple[int, ...]:
        """The links that declare a wrench on the environment; the base, 0, counts where it moves freely."""
        first = 0 if self.robot.base.free else 1
        return tuple(j for j in range(first, self.robot.link_count + 1) if not self.robot.wrench(j).is_zero)

    @cached_property
    def force(self) -> dict[int, Vector]:
        """f_e: the force of each link on the environment."""
        wrench, none = self.state.wrench, zeros(self.graph, 3)
        return {j: wrench[j][:3] if j in wrench else none for j in (0, *self.outward)}

    @cached_property
    def moment(self) -> dict[int, Vector]:
        """m_e: the moment of each link on the environment, about the origin of its frame."""
        wrench, none = self.state.wrench, zeros(self.graph, 3)
        return {j: wrench[j][3:] if j in wrench else none for j in (0, *self.outward)}

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
                self.graph.name(x.node.plus, f"{head}{letter}{j.index}{self.state.suffix}", meaning)
        return Turn(axis, cosine, sine)

    def _origin(self, j: Joint) -> Vector:
        r, b, d = self.bind(j.r), self.bind(j.b), self.bind(j.d)
        gamma, alpha = self._turn(2, "G", j, j.gamma), self._turn(0, "A", j, j.alpha)
        return gamma @ (alpha @ Vector(self.graph, (d, 0, r)) + Vector(self.graph, (0, 0, b)))

    # dynamics

    def _entry(self, name: str, j: int) -> Expr:
        return self.regrouped.get((name, j)) or self.bind(getattr(self.robot.inertia(j), name))

    @cached_property
    def J(self) -> dict[int, Matrix]:
        """The inertia matrix of each link about the origin of its frame."""
        return {j: self._inertia(j) for j in (0, *self.outward)}

    def _inertia(self, j: int) -> Matrix:
        xx, xy, xz, yy, yz, zz = (self._entry(n, j) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        return Matrix(self.graph, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    @cached_property
    def MS(self) -> dict[int, Vector]:
        """The first moments of each link."""
        return {j: Vector(self.graph, (self._entry(n, j) for n in ("MX", "MY", "MZ"))) for j in (0, *self.outward)}

    @cached_property
    def M(self) -> dict[int, Expr]:
        """The mass of each link."""
        return {j: self._entry("M", j) for j in (0, *self.outward)}

    def drive(self, name: str, j: int) -> Expr:
        """A parameter of the drive of joint j: IA, FV, FS …"""
        return self.regrouped.get((name, j)) or self.bind(getattr(self.robot.drive(j), name))

    # names

    def name(self, letters: str, j: int, thing: Vector) -> Vector:
        """Name the elements of a vector of link j as SYMORO users know them: WI12 is row 1 of link 2."""
        for row, x in enumerate(thing, 1):
            if self.graph.nameless(x):
                self.graph.name(x, f"{letters}{row}{j}{self.state.suffix}", self._meaning(letters, j))
        return thing

    def name_scalar(self, name: str, j: int, x: Expr) -> Expr:
        """Name one element: DV122, PIS22, GAM1. The letters before the first digit say what it is."""
        if not self.graph.nameless(x):
            return x
        letters = name.rstrip("0123456789")
        return self.graph.name(x, f"{name}{self.state.suffix}", self._meaning(letters, j))

    def _meaning(self, letters: str, j: int) -> Meaning:
        text, unit, equation = INTERMEDIATE.get(letters, ("", "", ""))
        return Meaning(text.format(j=j), unit, j, equation)
