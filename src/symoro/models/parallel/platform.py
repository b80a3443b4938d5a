"""A platform on legs: its letters in one graph, numbers and poses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.binding import bind
from symoro.bind.interface import inputs
from symoro.bind.symbols import PLATFORM_ACCELERATION, PLATFORM_POSE, PLATFORM_VELOCITY, State, Symbols
from symoro.errors import InputError, NotApplicable, ShapeError
from symoro.ir.evaluate import evaluator
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.ir.program import Variable
from symoro.lazy import lazy
from symoro.models.sampling import numbers_of
from symoro.robot import library
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import evaluate as number
from symoro.robot.values import symbols

if TYPE_CHECKING:
    from symoro.models.parallel.leg import Leg


# The letters of a parallel robot's platform in one graph: its pose and its motion.


@dataclass(frozen=True, eq=False)
class PoseSymbols(Symbols):
    """The symbols of a platform, made when they are asked for; the joints of its legs follow from its pose."""

    pose: tuple[Matrix, Vector] | None = None
    """The orientation and the origin of the platform where they are no inputs, but follow from the joints."""

    def __post_init__(self) -> None:
        if self.state is None:
            none = zeros(self.graph, 6)
            object.__setattr__(self, "state", State({}, {}, {}, none, none, none[:3], {}))

    def _in_state(self, names: Iterable[str]) -> Vector:
        return self._vector(f"{name}{self.state.suffix}" for name in names)

    @lazy
    def T(self) -> Matrix:
        """The pose of the platform in frame 0."""
        return Matrix(self.graph, map(self._in_state, PLATFORM_POSE))

    @lazy
    def orientation(self) -> Matrix:
        """The orientation of the platform."""
        if self.pose:
            return self.pose[0]
        return Matrix(self.graph, (row[:3] for row in self.T.rows[:3]))

    @lazy
    def p(self) -> Vector:
        """The origin of the platform's frame, in frame 0."""
        return self.pose[1] if self.pose else self.T.column(3)[:3]

    @lazy
    def V(self) -> Vector:
        """[v; ω] of the origin of the platform's frame, in frame 0."""
        return self._in_state(PLATFORM_VELOCITY)

    @lazy
    def VP(self) -> Vector:
        """The time derivative of the six numbers of V."""
        return self._in_state(PLATFORM_ACCELERATION)

    @lazy
    def target(self) -> Vector:
        """Wanted positions of the motors."""
        return self._vector(f"QA{j}_{i + 1}" for i, j in self.robot.motors)

    @lazy
    def gravity(self) -> Vector:
        """The acceleration of gravity as the robot's table has it: in frame 0, or in the world of a floating base."""
        return Vector(self.graph, (bind(self.graph, x, {}) for x in self.robot.gravity))


# Numbers of a parallel robot: values of expressions at poses of the platform, and small motions of it.


Array = NDArray[Any]
Function = Callable[..., Array]
#: Newton's method on a pose ends below the first residual (metres or radians); below the second, the legs are closed.
_EXACT, _HELD = 1e-14, 1e-11


def has_numbers(robot: Robot) -> bool:
    """Whether every parameter of the geometry has a number."""
    return not without_numbers(robot)


def without_numbers(robot: Robot) -> list[str]:
    """The parameters of the geometry that have no number."""
    return sorted(geometric_symbols(robot) - robot.values.numbers().keys())


def few_poses(robot: Robot) -> NotApplicable:
    """The error where random poses near home are not reached; parameters without a number had arbitrary ones."""
    if names := without_numbers(robot):
        return NotApplicable("platforms.few_poses_of_symbols", robot=robot.name, names=names)
    return NotApplicable("platforms.few_poses", robot=robot.name)


def geometric_symbols(robot: Robot) -> set[str]:
    """The symbols of the geometry that are no variables: they decide which poses the legs reach."""
    joints = [(j.gamma, j.b, j.alpha, j.d, j.theta, j.r) for leg in robot.legs for j in leg.joints]
    frames = [frame.pose for leg in robot.legs for frame in leg.frames]
    tables = (tuple(joints), tuple(frames), tuple(a.pose for a in robot.attachments))
    variables = {j.variable for leg in robot.legs for j in leg.joints}
    return {name for x in parameters(tables) for name in symbols(x)} - variables


def home(robot: Robot, numbers: Mapping[str, float] | None = None) -> Array:
    """The home pose."""
    known = robot.values.numbers() if numbers is None else numbers
    return np.array([[number(x, known) for x in row] for row in robot.home_pose])


def function_of(letters: PoseSymbols, elements: Sequence[Expr], names: Sequence[str] = ("T",)) -> Function:
    """A function of T, and of V and VP where named, that gives the elements as numbers."""
    result = Result("X", (len(elements),), tuple(elements), ())
    named = [f"{name}{letters.state.suffix}" for name in names]
    program = extract(letters.graph, inputs(letters, named), map(Variable, letters.parameter_names), [result])
    values = evaluator(program, numbers_of(letters))

    def f(*arrays: Array) -> Array:
        return values(dict(zip(named, arrays, strict=True)))["X"]

    return f


class ConstraintFunctions(NamedTuple):
    """The constraints that legs are for a pose T of the platform."""

    C: Function
    """The rows (n, 6) of all legs."""
    e: Function
    """How far the pose breaks them, to first order: it is 0 as well where a leg is singular."""
    gaps: Function
    """How far the ends of the legs are from the platform, in parts of its radius where this is more than 1."""


def constraint_functions(letters: PoseSymbols, legs: Sequence[Leg]) -> ConstraintFunctions:
    """The constraints of all legs as functions of T."""
    rows = [row for leg in legs for row in leg.constraints]
    f = function_of(letters, [x for row in rows for x in row])
    e = function_of(letters, [x for leg in legs if leg.free for x in leg.excess(leg.residual)])
    r, large = function_of(letters, [x for leg in legs for x in leg.residual]), max(1.0, size(letters.robot))
    return ConstraintFunctions(lambda T: f(T).reshape(len(rows), 6), e, lambda T: r(T) / large)


def variables(elements: Iterable[Expr]) -> tuple[Variable, ...]:
    """The variables of symbols."""
    return tuple(Variable(str(x.node.value)) for x in elements)


def moved(T: Array, twist: Array) -> Array:
    """Poses after small motions [v; ω] in frame 0, with the rotation by Rodrigues' formula."""
    angle = np.linalg.norm(twist[..., 3:], axis=-1)[..., None, None]
    x, y, z = np.moveaxis(twist[..., 3:] / np.where(angle > 0, angle, 1.0)[..., 0], -1, 0)
    o = np.zeros_like(x)
    K = np.moveaxis(np.array([[o, -z, y], [z, o, -x], [-y, x, o]]), (0, 1), (-2, -1))
    poses = np.array(np.broadcast_to(T, (*twist.shape[:-1], 4, 4)), dtype=float)
    poses[..., :3, :3] = (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K) @ poses[..., :3, :3]
    poses[..., :3, 3] += twist[..., :3]
    return poses


def allowed(T: Array, legs: ConstraintFunctions) -> Array | None:
    """The nearest pose that the legs allow, by Newton's method; None where a leg does not reach."""
    for _ in range(20):
        rows, error = legs.C(T), legs.e(T)
        if not (np.isfinite(rows).all() and np.isfinite(error).all()):
            return None
        if np.abs(error).max(initial=0.0) < _EXACT:
            break
        T = moved(T, -np.linalg.lstsq(rows, error, rcond=1e-9)[0])
    return T if np.abs(legs.gaps(T)).max() < _HELD and np.isfinite(legs.C(T)).all() else None


def size(robot: Robot) -> float:
    """The radius of the platform: the largest distance of an attachment from its origin, at least 0.1."""
    known = robot.values.numbers()
    points = [[number(x, known) if symbols(x) <= known.keys() else 1.0 for x in a.point] for a in robot.attachments]
    return max(0.1, *(float(np.linalg.norm(point)) for point in points))


def twist_sizes(robot: Robot) -> Array:
    """What is a large [v; ω]: the radius of the platform, and 1 rad."""
    return np.array([size(robot)] * 3 + [1.0] * 3)


# Poses of platforms, checked.


def parallel(robot: Robot) -> Robot:
    """The robot, which must be a parallel one."""
    if not robot.platforms:
        known = ", ".join(library.parallel_names())
        raise NotApplicable("platforms.not_parallel", robot=robot.name, known=known)
    return robot


def poses_of(T: ArrayLike) -> Array:
    """Poses as an array, with the right shape."""
    try:
        poses = np.array(T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("runtime.not_real", subject="T", reason=str(error)) from None
    if poses.shape[-2:] != (4, 4):
        raise ShapeError("runtime.pose_shape", shape=str(poses.shape))
    return poses


def is_rigid(T: Array) -> Array:
    """Whether poses are a rotation and a translation, to 1e-6."""
    R = T[..., :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        last = np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(-1)
        right = np.linalg.det(np.where(np.isfinite(R), R, 0.0)) > 0
        rigid: Array = np.isfinite(T).all((-1, -2)) & (error <= 1e-6) & (last <= 1e-6) & right
    return rigid
