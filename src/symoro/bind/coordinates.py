"""The coordinates of a robot: the poses of its free bodies and the variables of its joints, with their velocities.

A configuration q has for each free body its position and a unit quaternion x y z w, and then a number for each joint.
A velocity v has [v; ω] for each free body, and then a number for each joint. What constraints say about them is known
to the models; here all of them are free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from symoro.bind.vocabulary import MOTION_UNITS
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector, total
from symoro.lazy import lazy
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, symbols

Array = NDArray[Any]
Exprs = tuple[Expr, ...]
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class FreeBody:
    """A body that moves freely. Its velocity is that of the origin of its frame."""

    name: str
    pose: Literal["T", "quat"]
    """The input of models that says how the body lies: a pose (4, 4), or the quaternion alone."""
    velocity: Literal["V", "V0"]
    """The input of models for [v; ω]."""
    acceleration: Literal["VP", "VP0"]
    """The result of models for its acceleration."""
    components: Literal["world", "body"]
    """The frame in which the velocity is written; that of a platform on a base that moves is frame 0."""
    channels: tuple[str, ...] = ()
    """What recordings may have of it: its pose or its motion, and the wrench that a plate measures."""

    @property
    def parts(self) -> tuple[str, str]:
        """The names of its position and of its quaternion in a state."""
        return ("position", "quat") if self.pose == "quat" else (f"{self.name}_position", f"{self.name}_quat")

    def rate(self, graph: Graph, quat: Exprs, V: Sequence[Expr]) -> Exprs:
        """The derivatives of the position and of the quaternion for a velocity [v; ω]."""
        v, omega = Vector(graph, V[:3]), V[3:]
        if self.components == "world":
            return (*v, *_turned_by(graph, quat, omega))
        return (*_in_world(graph, quat, v), *_turned_by_own(quat, omega))

    def velocity_rate(self, graph: Graph, V: Sequence[Expr], VP: Sequence[Expr]) -> Exprs:
        """The derivative of the six numbers of the velocity for an acceleration VP of models."""
        if self.components == "world":
            return tuple(VP)
        return (*(Vector(graph, VP[:3]) - Vector(graph, V[3:]).cross(Vector(graph, V[:3]))), *VP[3:])

    def advance(self, x: Array, twist: Array) -> Array:
        """Position and quaternion (..., 7) after a motion [translation; rotation vector] (..., 6)."""
        from scipy.spatial.transform import Rotation

        R, turn = _rotation(x[..., 3:]), Rotation.from_rotvec(twist[..., 3:].reshape(-1, 3))
        way, after = twist[..., :3], turn * R
        if self.components == "body":
            way, after = R.apply(way.reshape(-1, 3)).reshape(way.shape), R * turn
        return np.concatenate([x[..., :3] + way, after.as_quat().reshape(*x.shape[:-1], 4)], axis=-1)

    def difference(self, a: Array, b: Array) -> Array:
        """The motion (..., 6) that takes a to b, each (..., 7)."""
        R, to, way = _rotation(a[..., 3:]), _rotation(b[..., 3:]), b[..., :3] - a[..., :3]
        turn = to * R.inv()
        if self.components == "body":
            way, turn = R.inv().apply(way.reshape(-1, 3)).reshape(way.shape), R.inv() * to
        return np.concatenate([way, turn.as_rotvec().reshape(*way.shape[:-1], 3)], axis=-1)


_BASE = FreeBody("base", "quat", "V0", "VP0", "body", ("quat", "V0", "VP0", "wrench"))
_PLATFORM = FreeBody("platform", "T", "V", "VP", "world", ("pose",))


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of a robot: joints by their index, and six for each free body."""

    bodies: tuple[FreeBody, ...]
    joints: tuple[Joint, ...]
    """The joints that have a variable, in index order."""
    motors: tuple[Joint, ...]
    """The joints with motors, in the order of their torques."""
    followers: tuple[Joint, ...] = ()
    """The joints of legs, which follow the free body that the legs hold; models take the variables of the others."""
    numbers: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    """The numbers of the robot's symbols."""

    @classmethod
    def of(cls, robot: Robot) -> Coordinates:
        """The coordinates of a robot of any family."""
        joints, motors, numbers = topology.with_variables(robot), topology.active(robot), robot.values.numbers()
        bodies = (*((_BASE,) if robot.base.free else ()), *(_PLATFORM for _ in robot.platforms))
        legs = {j for group in robot.groups if group.numbered for j in group.joints}
        return cls(bodies, joints, motors, tuple(joint for joint in joints if joint.index in legs), numbers)

    @lazy
    def driving(self) -> tuple[Joint, ...]:
        """The motors among the followers: they move the free body, and their positions follow from its pose."""
        return tuple(joint for joint in self.followers if joint in self.motors)

    @lazy
    def shown(self) -> tuple[Joint, ...]:
        """The joints whose positions place all links: every variable but those of legs without motors."""
        return tuple(joint for joint in self.joints if joint in self.motors or joint not in self.followers)

    def require_joints(self, name: str, what: str) -> None:
        """An error where models take the motion of a platform: `what` follows joints."""
        if self.followers:
            raise NotApplicable("coordinates.follows_joints", what=what, name=name)

    def require_known_base(self, robot: Robot, what: str) -> None:
        """An error where a platform is on a base whose motion is not given: `what` does not measure that motion."""
        if len(self.bodies) > 1:
            raise NotApplicable("coordinates.moving_platform", what=what, robot=robot.name, kind=robot.base.kind.value)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers of a configuration."""
        poses = (f"{body.name}_{part}" for body in self.bodies for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))
        return (*poses, *(str(joint.variable) for joint in self.joints))

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the numbers of a configuration."""
        poses = ("m", "m", "m", "1", "1", "1", "1") * len(self.bodies)
        return (*poses, *(MOTION_UNITS["position"][joint.prismatic] for joint in self.joints))

    @property
    def limits(self) -> tuple[Array, Array]:
        """The least and the greatest configuration; infinite where there is no limit."""
        free = np.full(7 * len(self.bodies), inf)
        lower, upper = (self.limit(self.joints, name, x) for name, x in (("lower", -inf), ("upper", inf)))
        return np.concatenate([-free, lower]), np.concatenate([free, upper])

    def limit(self, joints: Sequence[Joint], name: str, otherwise: float = inf) -> Array:
        """A limit of some joints: lower, upper, velocity or effort; `otherwise` where the description has no number."""
        values = [getattr(joint.limits, name) for joint in joints]
        known = [value is not None and symbols(value) <= self.numbers.keys() for value in values]
        return np.array([evaluate(v, self.numbers) if k else otherwise for v, k in zip(values, known, strict=True)])

    def advance(self, q: Array, v: Array, h: float = 1.0) -> Array:
        """The configuration (..., size) after a time h with a constant velocity v."""
        ways = [body.advance(x, h * y) for body, x, y in zip(self.bodies, self._poses(q), self._twists(v), strict=True)]
        return np.concatenate([*ways, q[..., 7 * len(self.bodies) :] + h * v[..., 6 * len(self.bodies) :]], axis=-1)

    def difference(self, a: Array, b: Array) -> Array:
        """The velocity with which a becomes b in the time 1: b = advance(a, difference(a, b))."""
        pairs = zip(self.bodies, self._poses(a), self._poses(b), strict=True)
        joints = (b - a)[..., 7 * len(self.bodies) :]
        return np.concatenate([*(body.difference(x, y) for body, x, y in pairs), joints], axis=-1)

    def random(self, rng: np.random.Generator, count: int) -> Array:
        """Configurations (count, size): joints turn all the way or slide by a metre, as free bodies do; no limits."""
        widths = np.array([np.pi if joint.revolute else 0.5 for joint in self.joints])
        poses = []
        for _ in self.bodies:
            turns = rng.normal(size=(count, 4))
            poses += [rng.uniform(-0.5, 0.5, (count, 3)), turns / np.linalg.norm(turns, axis=-1, keepdims=True)]
        return np.concatenate([*poses, rng.uniform(-widths, widths, (count, len(widths)))], axis=-1)

    def _poses(self, q: Array) -> list[Array]:
        return [q[..., 7 * k : 7 * (k + 1)] for k in range(len(self.bodies))]

    def _twists(self, v: Array) -> list[Array]:
        return [v[..., 6 * k : 6 * (k + 1)] for k in range(len(self.bodies))]


# poses


def pose(graph: Graph, position: Sequence[Expr], quat: Exprs) -> Exprs:
    """T of a position and a quaternion x y z w of any length, row by row."""
    x, y, z, w = quat
    p, q, r = position
    s = 2 / total(graph, (a * a for a in quat))
    zero, one = graph.zero, graph.one
    return (
        *(one - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w), p),
        *(s * (x * y + z * w), one - s * (x * x + z * z), s * (y * z - x * w), q),
        *(s * (x * z - y * w), s * (y * z + x * w), one - s * (x * x + y * y), r),
        *(zero, zero, zero, one),
    )


def poses(position: Array, quat: Array) -> Array:
    """T (..., 4, 4) of positions and quaternions; NaN where a quaternion has no direction."""
    known = np.isfinite(quat).all(-1, keepdims=True) & (np.abs(quat).max(-1, keepdims=True) > 0)
    R = np.where(
        known[..., None], _rotation(np.where(known, quat, _UPRIGHT)).as_matrix().reshape(*quat.shape[:-1], 3, 3), np.nan
    )
    T = np.zeros((*quat.shape[:-1], 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, position, 1.0
    return T


def quaternions(T: Array) -> Array:
    """The quaternions (..., 4) of poses (..., 4, 4)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(T[..., :3, :3].reshape(-1, 3, 3)).as_quat().reshape(*T.shape[:-2], 4))


def between(T: Array, wanted: Array) -> Array:
    """[P^d − P; the rotation vector of R^d Rᵀ] (..., 6) in frame 0, of poses (..., 4, 4)."""
    from scipy.spatial.transform import Rotation

    turn = wanted[..., :3, :3] @ np.swapaxes(T[..., :3, :3], -1, -2)
    vector = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(*turn.shape[:-2], 3)
    return np.concatenate([wanted[..., :3, 3] - T[..., :3, 3], vector], axis=-1)


def _rotation(quat: Array) -> Any:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quat.reshape(-1, 4))


def _in_world(graph: Graph, quat: Exprs, v: Vector) -> Vector:
    """A vector of the body's frame in the world."""
    u = Vector(graph, quat[:3])
    t = 2 * u.cross(v)
    return v + quat[3] * t + u.cross(t)


def _turned_by_own(quat: Exprs, omega: Sequence[Expr]) -> Exprs:
    """The derivative of the quaternion: quat ⊗ (ω/2, 0), ω in the body's frame."""
    x, y, z, w = (element / 2 for element in quat)
    a, b, c = omega
    return (w * a - z * b + y * c, z * a + w * b - x * c, -y * a + x * b + w * c, -x * a - y * b - z * c)


def _turned_by(graph: Graph, quat: Exprs, omega: Sequence[Expr]) -> Exprs:
    """The derivative of the quaternion: (ω/2, 0) ⊗ quat, ω in the world."""
    u, half = Vector(graph, quat[:3]), Vector(graph, omega) * (graph.one / 2)
    return (*(quat[3] * half + half.cross(u)), -half.dot(u))
