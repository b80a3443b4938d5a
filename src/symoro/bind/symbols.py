"""Binds a robot to a graph: its structure, and its parameters and variables under the letters of the papers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from symoro.bind.binding import bind
from symoro.bind.vocabulary import variable_meaning
from symoro.errors import NotApplicable
from symoro.findings import Sentence, sentence
from symoro.ir.expr import Expr, Op
from symoro.ir.graph import Graph
from symoro.ir.linalg import GivenRotation, Matrix, Rotation, Turn, Vector, total, zeros
from symoro.ir.meaning import Meaning
from symoro.lazy import lazy
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import Symbol, Value, is_zero, symbols

# The structure of a robot: its links and joints in order, and the names of its symbols.


_INPUT = re.compile(r"(QP|QDP|GAM|[FC][XYZ]|VP?|WP?)\d+|Q[XYZW]")
"""The usual names of inputs other than positions."""


@dataclass(frozen=True)
class Structure:
    """What follows from a robot's description alone. Joints and links are named by their index; 0 is the base."""

    robot: Robot

    @lazy
    def outward(self) -> tuple[int, ...]:
        """The links from the base to the tips."""
        return tuple(j.index for j in topology.outward(self.robot))

    @lazy
    def inward(self) -> tuple[int, ...]:
        """The links from the tips to the base."""
        return self.outward[::-1]

    @lazy
    def movable(self) -> tuple[int, ...]:
        """The joints that move."""
        return tuple(j.index for j in topology.movable(self.robot))

    @lazy
    def variables(self) -> tuple[int, ...]:
        """The joints with a variable of their own, in the order of q; the other movable joints follow them."""
        return tuple(j.index for j in topology.with_variables(self.robot))

    @lazy
    def active(self) -> tuple[int, ...]:
        """The variables that a motor moves."""
        return tuple(j for j in self.variables if self.robot.joint(j).actuated)

    @lazy
    def beside_legs(self) -> tuple[int, ...]:
        """The variables that belong to no leg, so that they do not follow a platform: all, where there is none."""
        legs = {j for group in self.robot.groups if group.numbered for j in group.joints}
        return tuple(j for j in self.variables if j not in legs)

    @lazy
    def passive(self) -> tuple[int, ...]:
        """The variables without a motor."""
        return tuple(j for j in self.variables if j not in self.active)

    @lazy
    def parent(self) -> dict[int, int]:
        """a(j), the antecedent of frame j."""
        return {j.index: j.parent for j in self.robot.joints}

    @lazy
    def children(self) -> dict[int, tuple[int, ...]]:
        """The links k with a(k) = j."""
        children: dict[int, tuple[int, ...]] = dict.fromkeys((0, *self.outward), ())
        for k in sorted(self.outward):
            children[self.parent[k]] += (k,)
        return children

    @lazy
    def free(self) -> tuple[int, ...]:
        """The links that nothing but closures holds: those of free joints."""
        return self.robot.platforms

    @lazy
    def jointed(self) -> tuple[int, ...]:
        """The links that joints place, from the base to the tips: all but the free ones, which carry nothing."""
        return tuple(j for j in self.outward if j not in self.free)

    @lazy
    def label(self) -> dict[int, str]:
        """What stands for a joint or link in names: its number, legs not counted; in a leg its number there, 2_1; P of
        a platform."""
        legs = {j for group in self.robot.groups if group.numbered for j in group.joints}
        others = (joint.index for joint in self.robot.joints if joint.index not in legs)
        numbers = {j: str(n) for n, j in enumerate((0, *others))}
        return numbers | {j: label for group in self.robot.groups for j, label in group.labels()}

    @lazy
    def revolute(self) -> dict[int, int]:
        """1 for a revolute joint (the papers' σ̄), else 0."""
        return {j.index: int(j.revolute) for j in self.robot.joints}

    @lazy
    def prismatic(self) -> dict[int, int]:
        """1 for a prismatic joint (the papers' σ), else 0."""
        return {j.index: int(j.prismatic) for j in self.robot.joints}

    @lazy
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
            r.closures,
        )
        names = dict.fromkeys(name for value in parameters(tables) for name in sorted(symbols(value)))
        variables = {j.variable for j in r.joints}
        return tuple(name for name in names if name not in variables)

    @lazy
    def _own_wrenches(self) -> frozenset[str]:
        """The symbols of wrenches that can name an input: no other entry, parameter or input has them."""
        tables = ((j, self.robot.wrench(j).items()) for j in range(self.robot.link_count + 1))
        pairs = [(v.name, f"{n}{self.label[j]}") for j, items in tables for n, v in items if isinstance(v, Symbol)]
        once = {name for name, count in Counter(name for name, _ in pairs).items() if count == 1}
        free = once - self._used
        return frozenset(
            name for name, usual in pairs if name in free and (name == usual or not _INPUT.fullmatch(name))
        )

    @lazy
    def _used(self) -> frozenset[str]:
        """The names of the parameters and of the joint variables."""
        return frozenset(self.parameter_names) | {j.variable for j in self.robot.joints if j.variable}

    def _unused(self, name: str) -> str:
        """The name, with an underscore behind it where a parameter has it already."""
        while name in self._used:
            name += "_"
        return name


# The parameters and variables of a robot as expressions, under the letters of the papers.


BASE_VELOCITY = ("V10", "V20", "V30", "W10", "W20", "W30")
BASE_ACCELERATION = ("VP10", "VP20", "VP30", "WP10", "WP20", "WP30")
PLATFORM_POSE = tuple(tuple(f"T{i}{k}" for k in range(1, 5)) for i in range(1, 5))
PLATFORM_VELOCITY = ("V1", "V2", "V3", "W1", "W2", "W3")
PLATFORM_ACCELERATION = ("VP1", "VP2", "VP3", "WP1", "WP2", "WP3")
"""The names of the pose and the motion of a free link."""


@dataclass(frozen=True, slots=True)
class State:
    """Positions, velocities, accelerations, gravity and wrenches, as expressions.

    A model of the inputs is written in the state of the inputs. Gravity torques, Coriolis torques or the motion that
    closed loops give to passive joints are the same equations in a state of which some fields are replaced.
    """

    q: Mapping[int, Expr]
    """The variable of each joint that has one."""
    qd: dict[int, Expr]
    """The velocity of each variable; 0 for a joint without one."""
    qdd: dict[int, Expr]
    """The acceleration of each variable; 0 for a joint without one."""
    V0: Vector
    """Velocity [linear; angular] of the base in frame 0."""
    VP0: Vector
    """Acceleration [linear; angular] of the base in frame 0, without gravity."""
    g: Vector
    """The acceleration of gravity in frame 0."""
    wrench: Mapping[int, Vector]
    """[f; m] on the environment, of each link that has one."""
    pose: Mapping[int, tuple[Matrix, Vector]] = field(default_factory=dict)
    """Orientation and origin of each free link, in the frame of its antecedent."""
    V: Mapping[int, Vector] = field(default_factory=dict)
    """Velocity [linear; angular] of the origin of each free link against its antecedent, in the antecedent's frame."""
    VP: Mapping[int, Vector] = field(default_factory=dict)
    """The time derivatives of the elements of V."""
    suffix: str = ""
    """Stands behind the names of intermediate variables of this state."""


@dataclass(frozen=True)
class Symbols(Structure):
    """A robot's letters in one graph. Joints and links are named by their index; 0 is the base."""

    graph: Graph
    regrouped: Mapping[tuple[str, int], Expr] = field(default_factory=dict)
    """Parameters (letters, link) that stand for the robot's own: the base inertial parameters."""
    state: State = field(default=None)  # type: ignore[assignment]
    """The state and motion in which a model is written: that of the inputs, unless another one is given."""
    turned: Mapping[int, tuple[Expr, Expr]] = field(default_factory=dict)
    """Cosine and sine of the coordinate θ of joints that are known by them: they need no trigonometric call."""
    at: tuple[float, ...] | None = None
    """A closed configuration q at which the independent equations of loops are chosen; None: arbitrary ones."""
    form: str = ""
    """In which form the constraints of the robot are applied; the usual one without a name."""

    def __post_init__(self) -> None:
        if self.state is None:
            self._fix_order_of_operands()

    def _fix_order_of_operands(self) -> None:
        """Write the sines and cosines, then the symbols of the inputs.

        A graph writes operands in the order in which they came into it. Here it is fixed for every model, whatever an
        algorithm asks for first.
        """
        object.__setattr__(self, "state", self._at_rest())
        object.__setattr__(self, "R", self._rotations())
        object.__setattr__(self, "state", self._input_state())

    @lazy
    def memory(self) -> dict[object, Any]:
        """Results of `remembered` functions for these symbols."""
        return {}

    def in_state(self, **changes: Any) -> Self:
        """The same robot in another state: some fields of `State` are replaced."""
        return replace(self, state=replace(self.state, **changes))

    # state and motion

    @property
    def at_rest(self) -> Symbols:
        """The same robot when nothing moves and no wrench acts: gravity is left."""
        none = zeros(self.graph, 6)
        still = dict.fromkeys(self.free, none)
        return self.in_state(qd=self.still, qdd=self.still, V0=none, VP0=none, V=still, VP=still, wrench={})

    def _at_rest(self) -> State:
        """The positions are inputs; nothing moves and nothing acts."""
        q = {j.index: self.graph.symbol(j.variable, str(j.index)) for j in self.robot.joints if j.variable}
        none = zeros(self.graph, 6)
        still = dict.fromkeys(self.free, none)
        pose = {j: self._pose() for j in self.free}
        return State(q, self.still, self.still, none, none, none[:3], {}, pose, still, still)

    def _pose(self) -> tuple[Matrix, Vector]:
        rows = [self._vector(row) for row in PLATFORM_POSE]
        return Matrix(self.graph, (row[:3] for row in rows[:3])), Vector(self.graph, (row[3] for row in rows[:3]))

    def _input_state(self) -> State:
        """A symbol for each input that the robot has."""
        return replace(
            self._with_base_inputs(),
            qd=self._by_joint("QP"),
            qdd=self._by_joint("QDP"),
            wrench={j: self._wrench(j) for j in self.wrench_links},
            V={j: self._vector(PLATFORM_VELOCITY) for j in self.free},
            VP={j: self._vector(PLATFORM_ACCELERATION) for j in self.free},
        )

    def _with_base_inputs(self) -> State:
        """The state with the motion of the base, and gravity as it feels it."""
        moves = self.robot.base.kind is not BaseKind.FIXED or not self.robot.base.still
        V0 = self._vector(BASE_VELOCITY) if moves else self.state.V0
        VP0 = self._vector(BASE_ACCELERATION) if moves else self.state.VP0
        return replace(self.state, V0=V0, VP0=VP0, g=self._gravity())

    def _by_joint(self, letters: str) -> dict[int, Expr]:
        """A symbol for each variable; 0 for the other joints."""
        return self.still | {j: self.graph.symbol(self._unused(f"{letters}{self.label[j]}")) for j in self.variables}

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
        label = self.label[j]
        entries = ((v.name if isinstance(v, Symbol) else "", f"{n}{label}") for n, v in self.robot.wrench(j).items())
        names = (own if own in self._own_wrenches else self._unused(usual) for own, usual in entries)
        return Vector(self.graph, (self.graph.symbol(n) for n in names))

    def bind(self, value: Value, expressions: Mapping[str, Expr] | None = None) -> Expr:
        """A value of the robot's tables; `expressions` replace symbols."""
        return bind(self.graph, value, {**self._variables, **expressions} if expressions else self._variables)

    @lazy
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

    @lazy
    def slopes(self) -> dict[int, dict[int, Expr]]:
        """∂x_j/∂q_k of the coordinate x_j, θ_j or r_j, of each movable joint, without those that are 0."""
        return {j: self._slopes(j) for j in self.movable}

    def _slopes(self, j: int) -> dict[int, Expr]:
        position, variable = self.robot.joint(j).position, self.robot.joint(j).variable
        if variable and position == Symbol(variable):
            return {j: self.graph.one}
        from symoro.ir.jacobian import jacobian

        among = [k for k in self.variables if self.robot.joint(k).variable in symbols(position)]
        (row,) = jacobian(self.graph, [self.bind(position)], [self.q[k] for k in among], "forward")
        return {k: x for k, x in zip(among, row, strict=True) if not x.is_zero}

    @lazy
    def plain(self) -> bool:
        """Whether each joint's coordinate is the joint's variable plus a constant."""
        return all(row == {j: self.graph.one} for j, row in self.slopes.items())

    @lazy
    def rate(self) -> dict[int, Expr]:
        """ẋ_j, the velocity of each joint's coordinate."""
        return self.qd if self.plain else self.qd | self._along_slopes(self.qd)

    @lazy
    def acceleration(self) -> dict[int, Expr]:
        """ẍ_j = Σ ∂x_j/∂q_k q̈_k + Σ ∂²x_j/∂q_k∂q_l q̇_k q̇_l, the acceleration of each joint's coordinate."""
        if self.plain:
            return self.qdd
        from symoro.ir.jacobian import jacobian

        q, linear = [self.q[k] for k in self.variables], self._along_slopes(self.qdd)
        for j in self.movable:
            second = jacobian(self.graph, list(self.slopes[j].values()), q, "forward")
            for k, row in zip(self.slopes[j], second, strict=True):
                terms = (x * self.qd[k] * self.qd[m] for m, x in zip(self.variables, row, strict=True))
                linear[j] = linear[j] + total(self.graph, terms)
        return self.qdd | linear

    def _along_slopes(self, motion: Mapping[int, Expr]) -> dict[int, Expr]:
        return {j: total(self.graph, (x * motion[k] for k, x in row.items())) for j, row in self.slopes.items()}

    @lazy
    def still(self) -> dict[int, Expr]:
        """Velocities or accelerations of joints that do not move."""
        return dict.fromkeys((j.index for j in self.robot.joints), self.graph.zero)

    @lazy
    def tau(self) -> dict[int, Expr]:
        """The torques at the variables; 0 for a joint without one."""
        return self._by_joint("GAM")

    @lazy
    def end(self) -> Symbols:
        """The same robot in the state in which a motion ends: q_end and qd_end in the place of q and qd."""

        def ended(x: Expr) -> Expr:
            label = self.graph.labels.get(x.node)
            return self.graph.symbol(self._unused(f"{x.node.value}_end"), label and f"{label}_end")

        q = {j: ended(x) for j, x in self.q.items()}
        qd = self.qd | {j: ended(self.qd[j]) for j in self.variables}
        return self.in_state(q=q, qd=qd, suffix="_end")

    def configurations(self, count: int, seed: int) -> tuple[str, Any]:
        """The input that places a robot with a free link, T or q, and random values of it that closures allow."""
        raise NotImplementedError(f"{self.robot.name} has no free link")

    @property
    def directions(self) -> Sequence[Sequence[Expr]]:
        """Ṫ for unit velocities of a platform whose pose is an input: a row for each element of T."""
        raise NotImplementedError(f"{self.robot.name} has no platform whose pose is given")

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

    @property
    def constraint(self) -> Any:
        """What ties the free links to the others; symbols that have it are made with it."""
        raise NotApplicable("mobility.unheld", robot=self.robot.name)

    @lazy
    def quat(self) -> Vector:
        """The orientation of a floating base in the world: a unit quaternion x y z w."""
        return self._vector(("QX", "QY", "QZ", "QW"))

    @lazy
    def wrench_links(self) -> tuple[int, ...]:
        """The links that declare a wrench on the environment; the base, 0, counts where it moves freely."""
        first = 0 if self.robot.base.free else 1
        return tuple(j for j in range(first, self.robot.link_count + 1) if not self.robot.wrench(j).is_zero)

    @lazy
    def force(self) -> dict[int, Vector]:
        """f_e: the force of each link on the environment."""
        wrench, none = self.state.wrench, zeros(self.graph, 3)
        return {j: wrench[j][:3] if j in wrench else none for j in (0, *self.outward)}

    @lazy
    def moment(self) -> dict[int, Vector]:
        """m_e: the moment of each link on the environment, about the origin of its frame."""
        wrench, none = self.state.wrench, zeros(self.graph, 3)
        return {j: wrench[j][3:] if j in wrench else none for j in (0, *self.outward)}

    # geometry

    @lazy
    def a(self) -> Vector:
        """The unit vector of every joint's axis in its own frame."""
        return Vector(self.graph, (0, 0, 1))

    @lazy
    def R(self) -> dict[int, Rotation]:
        """The rotation of frame j seen from its antecedent: Rz(γ) Rx(α) Rz(θ) (K97:1b), or that of a free link."""
        return self._rotations()

    def _rotations(self) -> dict[int, Rotation]:
        return {
            j.index: GivenRotation(self.state.pose[j.index][0]) if j.free else Rotation(self.graph, self._turns(j))
            for j in self.robot.joints
        }

    @lazy
    def P(self) -> dict[int, Vector]:
        """The origin of frame j in its antecedent frame (K97:1b)."""
        return {j.index: self.state.pose[j.index][1] if j.free else self._origin(j) for j in self.robot.joints}

    def _turns(self, j: Joint) -> Iterator[Turn]:
        for axis, letter, value in ((2, "G", j.gamma), (0, "A", j.alpha), (2, "", j.theta)):
            if not is_zero(value):
                yield self._turn(axis, letter, j, value)

    def _turn(self, axis: int, letter: str, j: Joint, value: Value) -> Turn:
        if not letter and j.index in self.turned:
            return self._known_turn(j)
        angle = self.bind(value)
        cosine, sine = self.graph.cos(angle), self.graph.sin(angle)
        for x, head in ((sine, "S"), (cosine, "C")):
            if x.node.op in (Op.SIN, Op.COS):  # a quarter turn may have made a cosine of a sine
                head = "S" if x.node.op is Op.SIN else "C"
                meaning = Meaning(_angle("frame", x.node.op.value, j), link=j.index, equation="K97:1b")
                self.graph.name(x.node.plus, f"{head}{letter}{self.label[j.index]}{self.state.suffix}", meaning)
        return Turn(axis, cosine, sine)

    def _known_turn(self, j: Joint) -> Turn:
        for x, head, what in zip(self.turned[j.index], "CS", ("cosine", "sine"), strict=True):
            meaning = Meaning(_angle("joint", what, j), link=j.index)
            self.graph.name(x, f"{head}{self.label[j.index]}{self.state.suffix}", meaning)
        return Turn(2, *self.turned[j.index])

    def _origin(self, j: Joint) -> Vector:
        r, b, d = self.bind(j.r), self.bind(j.b), self.bind(j.d)
        gamma, alpha = self._turn(2, "G", j, j.gamma), self._turn(0, "A", j, j.alpha)
        return gamma @ (alpha @ Vector(self.graph, (d, 0, r)) + Vector(self.graph, (0, 0, b)))

    # dynamics

    def _entry(self, name: str, j: int) -> Expr:
        return self.regrouped.get((name, j)) or self.bind(getattr(self.robot.inertia(j), name))

    @lazy
    def J(self) -> dict[int, Matrix]:
        """The inertia matrix of each link about the origin of its frame."""
        return {j: self._inertia(j) for j in (0, *self.outward)}

    def _inertia(self, j: int) -> Matrix:
        xx, xy, xz, yy, yz, zz = (self._entry(n, j) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
        return Matrix(self.graph, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    @lazy
    def MS(self) -> dict[int, Vector]:
        """The first moments of each link."""
        return {j: Vector(self.graph, (self._entry(n, j) for n in ("MX", "MY", "MZ"))) for j in (0, *self.outward)}

    @lazy
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
                self.graph.name(
                    x, f"{letters}{row}{self.label.get(j, j)}{self.state.suffix}", variable_meaning(letters, j)
                )
        return thing

    def name_scalar(self, name: str, j: int, x: Expr) -> Expr:
        """Name one element of link j, whose number ends the name: DV122, PIS22, GAM1.

        The letters before the first digit say what it is.
        """
        if not self.graph.nameless(x):
            return x
        letters = name.rstrip("0123456789")
        labelled = f"{name.removesuffix(str(j))}{self.label.get(j, j)}{self.state.suffix}"
        return self.graph.name(x, labelled, variable_meaning(letters, j))


def _angle(of: str, function: str, j: Joint) -> Sentence:
    """What the sine or cosine of an angle is."""
    return sentence(f"symbols.angle_of_{of}", function=sentence(f"symbols.{function}"), j=j.index)
