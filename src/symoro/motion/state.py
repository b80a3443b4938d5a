"""The state of a robot that is simulated: its parts, and what constraints do to them.

`RobotState` is that of any robot: it says where a simulation begins, how the joints of the state move, how a state that
an integration left is put right, and how far it is from a possible one. `ClosedState` and `CarriedState` add to it what
constraints do: variables of closed loops follow others, and motors of legs follow the body that the legs carry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import connected_components

from symoro.bind.coordinates import Coordinates, FreeBody, pose, quaternions
from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, MotionError, ShapeError
from symoro.findings import Finding
from symoro.ir.expr import Expr
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, total, zeros
from symoro.ir.program import Program
from symoro.lazy import lazy
from symoro.model import Model
from symoro.models.constraint import Constraint
from symoro.models.families import constraint_of
from symoro.models.loops.closing import closed_configuration, home_of
from symoro.models.loops.constraint import Loops
from symoro.models.parallel.constraint import platform_symbols
from symoro.models.parallel.motions import allowed_motion, motors_of_motion, open_legs
from symoro.models.parallel.platform import home, is_rigid
from symoro.models.recursion import six
from symoro.models.results import matrix
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Motion
from symoro.motion.writing import Exprs, Writer
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.runtime import compile_program
from symoro.runtime.outputs import real_array
from symoro.solve.assemblies import forward_geometry, other_mode
from symoro.solve.given import model
from symoro.solve.loops import loop_geometry

if TYPE_CHECKING:
    from symoro.runtime import Function

_NEWTON = 2
"""Steps of Newton's method after each step of the integration: one alone leaves 5e-7 near a dead point."""
_OPEN, _DEAD = 1e-6, 1e7
"""The residual of constraints above which they are open, and the condition above which joints do not follow motors."""
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
Parts = dict[str, Exprs]
StartValues = Mapping[str, ArrayLike | None]
"""What a user gives for the start, by the names of parts of the state without the 0; T is a pose."""
Values = Mapping[str, float]


@dataclass(frozen=True)
class RobotState:
    """Poses and velocities of free bodies, and the variables of joints: no constraint ties them to each other."""

    direct: Model
    coordinates: Coordinates
    wild: ClassVar[str] = "simulation.wild"
    """What is said where a state is not finite."""
    lost: ClassVar[str] = ""
    """What is said of states that are none of the robot any more, where they are finite."""

    @property
    def robot(self) -> Robot:
        return self.direct.robot

    @lazy
    def sizes(self) -> dict[str, int]:
        """The parts of the state beside poses of free bodies, with their sizes; wheels tell the velocity of a base."""
        needed = {array.name for array in self.direct.program.inputs if not array.optional}
        moving = {body.velocity: 6 for body in self.coordinates.bodies if body.velocity in needed}
        joints = {name: len(self.joints(name)) for name in ("q", "qd") if name in needed or self.coordinates.driving}
        return moving | joints

    def joints(self, name: str) -> tuple[Joint, ...]:
        """The joints of q, qd or tau, in order: motors that follow a free body, then those that models take."""
        variables = [v for array in self.direct.program.inputs if array.name == name for v in array.variables]
        taken = tuple(self.robot.joint(int(v.meaning.link or 0)) for v in variables)
        return (*(joint for joint in self.coordinates.driving if joint not in taken), *taken)

    # the start

    def start(self, start_values: StartValues, wanted: Motion | None, values: Values) -> dict[str, Array]:
        """The parts of the first state: given ones, those of the wanted motion, or 0."""
        if start_values.get("T") is not None:
            raise MotionError("simulation.pose_of_no_platform", robot=self.robot.name)
        parts = {}
        for name, size in self.sizes.items():
            x = start_values.get(name)
            array = self._default(name, wanted) if x is None else real_array(f"{name}0", x)
            parts[name] = _checked(name, self._completed(name, array, values), size)
        return _base_pose(self.coordinates.bodies, start_values) | parts

    def _default(self, name: str, wanted: Motion | None) -> Array:
        part = np.zeros(self.sizes[name])
        if wanted is None or name not in ("q", "qd"):
            return part
        x, motors, order = getattr(wanted, name), self.joints("tau"), self.joints(name)
        if len(x) != len(motors):
            raise MotionError(
                "simulation.joints_of_trajectory", count=len(x), robot=self.robot.name, motors=len(motors)
            )
        part[[order.index(joint) for joint in motors]] = x
        return part

    def _completed(self, name: str, x: Array, values: Values) -> Array:
        """A part of the first state, of which a user may give less."""
        return x

    def rest(self) -> dict[str, Array] | None:
        """The parts of a state at rest; None where none is known."""
        parts = {name: np.zeros(size) for name, size in self.sizes.items()}
        return parts | _base_pose(self.coordinates.bodies, {})

    # the motion

    def rates(self, w: Writer, part: Parts, outputs: Parts) -> Parts:
        """The derivatives of q and qd: q̇ = G v, and the accelerations that the direct model gives."""
        v, QDP = part.get("qd", ()), outputs.get("QDP", ())
        if self.projection is None:
            return {"q": v, "qd": QDP}
        G = w.call(self.projection, {"q": part["q"]})["G"]
        rows = (G[len(v) * i : len(v) * (i + 1)] for i in range(len(part["q"])))
        return {"q": tuple(total(w.graph, (g * x for g, x in zip(row, v, strict=True))) for row in rows), "qd": QDP}

    @lazy
    def symbols(self) -> Symbols:
        return Symbols(self.robot, Graph(), at=self.direct.options.get("at"))

    @lazy
    def projection(self) -> Program | None:
        """G of q̇ = G v (K10:55), where constraints make variables follow others, as castors do; None where v is q̇."""
        s = self.symbols
        c = constraint_of(s)
        left = tuple(j for j in c.left if j > 0 and j in s.beside_legs)
        if left == s.beside_legs:
            return None
        G = Matrix(s.graph, c.table([c.G[j] for j in s.beside_legs], left))
        return extract(s.graph, inputs(s, ("q",), {"q": s.beside_legs}), parameters(s), [matrix(s, "G", G)])

    def put_right(self, w: Writer, part: Parts) -> Parts:
        """A possible state near one that an integration left: quaternions are unit, and constraints hold."""
        return _upright(w, part)

    @property
    def drifts(self) -> bool:
        """Whether a numeric integration leaves the states that are possible."""
        return bool(self.coordinates.bodies)

    @property
    def residual(self) -> Function | None:
        """The equations that hold in a possible state, as a function of parts of it: 0 where they do."""
        return None

    def determinants(self, call: Callable[[Function], Array]) -> Array | None:
        """Numbers (..., n) that are 0 where joints do not follow motors; None where they always do."""
        return None

    # velocities: those that constraints leave, and what follows from them

    @lazy
    def constraint(self) -> Constraint:
        return constraint_of(self.symbols)

    @lazy
    def velocities(self) -> dict[int, tuple[str, int]]:
        """The coordinates of the open tree whose velocities are in the state, with the part and the place in it."""
        links = (*((0,) if self.robot.base.free else ()), *self.symbols.free)
        of_bodies = zip((body.velocity for body in self.coordinates.bodies), map(six, links), strict=True)
        places = {k: (name, n) for name, six_of in of_bodies if name in self.sizes for n, k in enumerate(six_of)}
        return places | {joint.index: ("qd", n) for n, joint in enumerate(self.joints("qd"))}

    @lazy
    def dependent(self) -> tuple[int, ...]:
        """The coordinates whose velocities are in the state and follow from those that are left."""
        return tuple(k for k in self.velocities if k not in self.constraint.left)

    @lazy
    def _rows(self) -> Function:
        s, c = self.symbols, self.constraint
        G = Matrix(s.graph, c.table([c.G[k] for k in (*s.variables, *self.dependent)], c.left))
        arrays = inputs(s, ("T", "q") if s.free else ("q",), {"q": s.beside_legs})
        rows: Function = compile_program(extract(s.graph, arrays, parameters(s), [matrix(s, "G", G)]))
        return rows

    def rows(self, call: Callable[[Function], Array]) -> tuple[Array, Array]:
        """G of u = G v: the velocities of all joints, and of `dependent`, for those that are left."""
        G, n = call(self._rows), len(self.symbols.variables)
        return G[:n], G[n:]

    @property
    def unknown(self) -> Finding | None:
        """Why friction that sticks is not known; None where it is."""
        return Finding("simulation.coupled") if self.robot.coupling else None


class ClosedState(RobotState):
    """Closed loops leave some variables free, and the others follow."""

    lost: ClassVar[str] = "simulation.loops_lost"
    drifts: ClassVar[bool] = True

    def _default(self, name: str, wanted: Motion | None) -> Array:
        """Of q, the motors alone."""
        if name != "q":
            return super()._default(name, wanted)
        if wanted is not None:
            return wanted.q
        home, motors = home_of(self.symbols), self.joints("tau")
        if home is None:
            return np.zeros(len(motors))
        order = self.joints("q")
        return np.array([home[order.index(joint)] for joint in motors])

    def _completed(self, name: str, x: Array, values: Values) -> Array:
        return self._closed(x, self.sizes[name], values) if name == "q" else x

    def _closed(self, q: Array, size: int, values: Values) -> Array:
        """q of all joints: closed from the positions of the motors, or checked to be closed."""
        assembly, m = loop_geometry(self.robot).compile(), len(self.joints("tau"))
        closed = assembly(q, values=values) if q.shape[-1:] == (m,) and m != size else q
        if closed.shape[-1:] != (size,):
            raise ShapeError("simulation.closed_shape", motors=m, joints=size, shape=str(closed.shape))
        residual, condition = (float(np.max(x)) for x in assembly.closure(closed, values=values))
        if residual > _OPEN:
            raise MotionError("simulation.loops_open", robot=self.robot.name, residual=residual)
        if condition > _DEAD:
            raise MotionError("simulation.dead_point", robot=self.robot.name, condition=condition)
        return np.asarray(closed)

    def rest(self) -> dict[str, Array] | None:
        """At some closed configuration."""
        closed, parts = closed_of(self.robot), super().rest()
        return None if closed is None or parts is None else {**parts, "q": closed}

    def put_right(self, w: Writer, part: Parts) -> Parts:
        part = super().put_right(w, part)
        for _ in range(_NEWTON):
            part = part | {"q": w.call(self.closing, {"q": part["q"]})["Q"]}
        return part

    @lazy
    def closing(self) -> Program:
        """A step of Newton's method that closes the loops."""
        return model("loop_step", self.robot, at=self.direct.options.get("at")).program

    @lazy
    def residual(self) -> Function:
        residual: Function = model("loop_closure", self.robot).compile()
        return residual

    def determinants(self, call: Callable[[Function], Array]) -> Array:
        """det Wp (K97:14) of each group of loops that share dependent joints: 0 at a dead point."""
        function, groups = self._dependent_rows
        Wp = call(function)
        return np.stack([np.linalg.det(Wp[..., rows, :][..., columns]) for rows, columns in groups], axis=-1)

    @lazy
    def _dependent_rows(self) -> tuple[Function, list[tuple[Array, Array]]]:
        """Wp of a configuration q, and the rows and columns of each group of loops in it."""
        s, loops = self.symbols, Loops(self.symbols)
        Wp = loops.table(loops.rows, loops.dependent)
        tied = np.array([[not x.is_zero for x in row] for row in Wp])
        count, group = connected_components(np.block([[tied @ tied.T, tied], [tied.T, tied.T @ tied]]), directed=False)
        of_rows, of_columns = np.split(group, [len(Wp)])
        groups = [(np.flatnonzero(of_rows == k), np.flatnonzero(of_columns == k)) for k in range(count)]
        arrays = inputs(s, ("q",), {"q": s.beside_legs})
        program = extract(s.graph, arrays, parameters(s), [matrix(s, "Wp", Matrix(s.graph, Wp))])
        return compile_program(program), groups


class CarriedState(RobotState):
    """Motors of legs follow the body that the legs carry; the legs stay in their branches at the home pose.

    Positions and velocities of these motors are states, so that an angle can pass π. The body moves against the base;
    of a free base, pose and velocity are states, too. Joints that belong to no leg are as those of any robot.
    """

    wild: ClassVar[str] = "simulation.wild_legs"
    lost: ClassVar[str] = "simulation.legs_lost"

    @lazy
    def _moving(self) -> tuple[str, ...]:
        """The velocities of a free base, which wheels do not tell, and of the platform."""
        return tuple(body.velocity for body in self.coordinates.bodies if body.velocity in self.sizes)

    # the start

    def start(self, start_values: StartValues, wanted: Motion | None, values: Values) -> dict[str, Array]:
        """The parts of the first state at a pose T or near positions q of the motors, with a velocity V or qd.

        With T or V, q or qd are those of the joints that belong to no leg.
        """
        *base, platform = self.coordinates.bodies
        for name in ("position", "quat"):
            if start_values.get(name) is not None and not base:
                raise MotionError("simulation.no_free_base", name=name)
        pose, q, qd = (start_values.get(name) for name in ("T", "q", "qd"))
        *V0, twist = self._twists(start_values.get("V0"))
        if pose is not None and q is not None and not self._beside:
            raise MotionError("simulation.two_starts")
        if twist is not None and qd is not None and not self._beside:
            raise MotionError("simulation.two_velocities")
        near, rates = (
            self._of_joints(name, x, body is not None, wanted) for name, x, body in (("q", q, pose), ("qd", qd, twist))
        )
        unknown = q is None and wanted is None
        T = self._pose(pose, None if unknown else near[..., : self._driving], values)
        V = self._velocity(T, twist, near, rates, values)
        self._require_allowed(T, V, values)
        moving = {name: np.zeros(6) if x is None else x for name, x in zip(self._moving[:-1], V0, strict=True)}
        placed = dict(zip(platform.parts, (T[..., :3, 3], quaternions(T)), strict=True))
        return _base_pose(self.coordinates.bodies, start_values) | moving | placed | {"V": V, "q": near, "qd": rates}

    @property
    def _driving(self) -> int:
        """The number of motors that follow; they come first in q and qd."""
        return len(self.coordinates.driving)

    @property
    def _beside(self) -> int:
        """The number of joints that belong to no leg."""
        return self.sizes["q"] - self._driving

    def _twists(self, V0: ArrayLike | None) -> list[Array | None]:
        """[v; ω] of each free body, that of the platform last; None of those that are not given."""
        n = len(self._moving)
        if V0 is None:
            return [None] * n
        twists = real_array("V0", V0)
        sizes = [6 * k for k in (n, n - 1) if k]
        if twists.shape[-1:] not in [(size,) for size in sizes] or not np.isfinite(twists).all():
            raise ShapeError(
                "simulation.twist_shape",
                of=Finding("simulation.twist" if n == 1 else "simulation.twists"),
                shape=_seen(twists),
            )
        parts = [twists[..., 6 * k : 6 * (k + 1)] for k in range(twists.shape[-1] // 6)]
        return [*parts, *[None] * (n - len(parts))]

    def rest(self) -> dict[str, Array] | None:
        """The parts of the state at home."""
        return self.start({}, None, {})

    def _of_joints(self, name: str, numbers: ArrayLike | None, by_body: bool, wanted: Motion | None) -> Array:
        """q or qd of all joints of the state; where the body's motion is given, those of its motors are 0."""
        size = self.sizes[name]
        if numbers is None:
            return self._default(name, wanted) * (np.arange(size) >= (self._driving if by_body else 0))
        array, count = real_array(f"{name}0", numbers), self._beside if by_body else size
        if array.shape[-1:] != (count,) or not np.isfinite(array).all():
            beside = "simulation.motor_and_joint" if self._beside else "simulation.motor"
            each = Finding("simulation.joint_of_no_leg" if by_body else beside)
            raise ShapeError("simulation.shape_for_each", name=name, count=count, each=each, shape=_seen(array))
        return np.concatenate([np.zeros((*array.shape[:-1], size - count)), array], axis=-1)

    def _pose(self, T: ArrayLike | None, motors: Array | None, values: Values) -> Array:
        if T is None and motors is not None:
            return pose_of_motors(self.robot, motors, values)
        at = home(self.robot) if T is None else real_array("T0", T)
        if at.shape[-2:] != (4, 4):
            raise ShapeError("simulation.pose_shape", shape=str(at.shape))
        if not np.all(is_rigid(at)):
            raise MotionError("simulation.no_pose")
        return at

    def _velocity(self, T: Array, V: Array | None, q: Array, qd: Array, values: Values) -> Array:
        rates = qd[..., : self._driving]
        if V is not None or not rates.any():
            return np.zeros((*rates.shape[:-1], 6)) if V is None else V
        J = model("jacobian", self.robot).compile()
        inputs = {"T": T, "q": q[..., self._driving :]}
        matrix = J(*(inputs[name] for name in J.inputs if name in inputs), values=values_for(J, values))
        return np.asarray((matrix @ rates[..., None])[..., 0])

    def _require_allowed(self, T: Array, V: Array, values: Values) -> None:
        """An error where the legs do not reach the pose, or do not allow pose or velocity."""
        name, still = self.robot.name, np.zeros(6)
        apart = self.residual(T, values=values_for(self.residual, values))
        if not np.max(apart) <= _OPEN:
            raise MotionError("simulation.legs_open", robot=name, residual=np.max(apart))
        if self.allowed is None:
            return
        closure = model("loop_closure", self.robot).compile()
        against = np.abs(closure(T, V, still, values=values_for(closure, values)).EV).max()
        if not against <= _OPEN:
            raise MotionError("simulation.velocity_not_allowed", robot=name, residual=against)

    # the motion

    @lazy
    def symbols(self) -> Symbols:
        return platform_symbols(self.robot, Graph(), None)

    def rates(self, w: Writer, part: Parts, outputs: Parts) -> Parts:
        motors = w.call(self.following, {"T": part["T"], "V": part["V"], "VP": outputs["VP"]})
        of_joints = super().rates(w, part | {name: part[name][self._driving :] for name in ("q", "qd")}, outputs)
        return {"q": (*motors["QP"], *of_joints["q"]), "qd": (*motors["QDP"], *of_joints["qd"])}

    def put_right(self, w: Writer, part: Parts) -> Parts:
        """The state with unit quaternions, legs that close, and motors that follow the platform."""
        body = self.coordinates.bodies[-1]
        position, quat = (part[name] for name in body.parts)
        V = part["V"]
        if self.allowed is not None:
            step = w.call(self.allowed, {"T": pose(w.graph, position, quat), "V": V})["DX"]
            position, quat = _sum(position, step[:3]), _sum(quat, body.rate(w.graph, quat, step)[3:])
            V = w.call(self.allowed, {"T": pose(w.graph, position, quat), "V": V})["VN"]
        quat, still = _unit(w, quat), tuple(zeros(w.graph, 6))
        motors = w.call(self.following, {"T": pose(w.graph, position, quat), "V": V, "VP": still})
        n, driving = self._driving, self.coordinates.driving
        near = (_nearest(w, *pair) for pair in zip(part["q"][:n], motors["QA"], driving, strict=True))
        joints = {"q": (*near, *part["q"][n:]), "qd": (*motors["QP"], *part["qd"][n:])}
        placed = dict(zip(body.parts, (position, quat), strict=True))
        return super().put_right(w, part) | placed | {"V": V} | joints

    @lazy
    def following(self) -> Program:
        """What the motors do when the platform moves."""
        return motors_of_motion(self.robot)

    @lazy
    def allowed(self) -> Program | None:
        """What puts pose and velocity right, where the legs do not allow every motion."""
        return allowed_motion(self.robot)

    @lazy
    def residual(self) -> Function:
        """By how much legs are away from the platform, as a function of T."""
        residual: Function = compile_program(open_legs(self.robot))
        return residual


def state_of(direct: Model) -> RobotState:
    """The state of the robot of a direct dynamic model, with what constrains it."""
    coordinates = Coordinates.of(direct.robot)
    tied = CarriedState if coordinates.followers else ClosedState if direct.robot.cuts else RobotState
    return tied(direct, coordinates)


def closed_of(robot: Robot) -> Array | None:
    """Positions of all joints at which loops are closed, those of home if it has them; None where none are known."""
    s = Symbols(robot, Graph())
    try:
        return closed_configuration(s, Loops(s).every)
    except CannotClose:
        return None


def pose_of_motors(robot: Robot, q: Array, values: Values) -> Array:
    """The pose of the platform for positions (..., motors) of the motors, by Newton's method from the home pose."""
    branches = forward_geometry(robot).compile()(q, guess=home(robot), values=values)
    if not branches.valid.all():
        text = np.array2string(np.asarray(q), precision=4, threshold=12, separator=", ")
        first = np.asarray(q)[tuple(np.argwhere(~branches.valid[..., 0])[0])]
        if (other := other_mode(robot, first, f"q = {text}")) is not None:
            raise MotionError(other)
        raise MotionError("simulation.no_pose_of_motors", robot=robot.name, positions=text)
    T: Array = branches.T[..., 0, :, :]
    return T


def values_for(function: Function, values: Values) -> dict[str, float]:
    """The values of a function's own parameters."""
    return {name: x for name, x in values.items() if name in function.parameters.known}


def _base_pose(bodies: Sequence[FreeBody], start_values: StartValues) -> dict[str, Array]:
    """Position and orientation of a free base at the start: what is given, or at rest in the world's frame."""
    if not any(body.pose == "quat" for body in bodies):
        return {}
    rest = {"position": np.zeros(3), "quat": _UPRIGHT}
    parts = {
        name: x if start_values.get(name) is None else real_array(f"{name}0", start_values[name])
        for name, x in rest.items()
    }
    checked = {name: _checked(name, x, len(rest[name])) for name, x in parts.items()}
    return checked | {"quat": checked["quat"] / np.linalg.norm(checked["quat"], axis=-1, keepdims=True)}


def _checked(name: str, x: Array, size: int) -> Array:
    if x.shape[-1:] != (size,) or not np.isfinite(x).all():
        raise ShapeError("simulation.shape", name=name.removesuffix("0"), size=size, shape=_seen(x))
    if name == "quat" and not np.linalg.norm(x, axis=-1).all():
        raise MotionError("simulation.no_orientation")
    return x


def _seen(x: Array) -> str | Finding:
    """What is wrong with an array: its numbers, or its shape."""
    return str(x.shape) if np.isfinite(x).all() else Finding("simulation.not_finite")


def _nearest(w: Writer, before: Expr, now: Expr, joint: Joint) -> Expr:
    """The position of a motor; an angle that is nearest to the one before."""
    if joint.prismatic:
        return now
    change = now - before
    return before + w.graph.atan2(w.graph.sin(change), w.graph.cos(change))


def _upright(w: Writer, part: Parts) -> Parts:
    """A state in which the quaternion of a free base is unit."""
    return part | {"quat": _unit(w, part["quat"])} if "quat" in part else part


def _unit(w: Writer, quat: Exprs) -> Exprs:
    norm = w.graph.sqrt(total(w.graph, (x * x for x in quat)))
    return tuple(x / norm for x in quat)


def _sum(a: Exprs, b: Sequence[Expr]) -> Exprs:
    return tuple(x + y for x, y in zip(a, b, strict=True))
