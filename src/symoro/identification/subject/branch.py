"""One branch of a robot whose motors move more than themselves: what follows from them, without a jump."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import CannotClose, DataError
from symoro.findings import Argument
from symoro.identification.arrays import Array
from symoro.identification.subject.subject import Subject
from symoro.lazy import lazy
from symoro.models.geometric.inverse.branches import in_turn_of
from symoro.models.loops.assembly import Assembler
from symoro.models.parallel.motions import PlatformSingularities, joint_rows, joints_of_pose, singular_matrices
from symoro.models.parallel.platform import home, moved, size
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.parallel import legs_alone
from symoro.robot.robot import Robot
from symoro.robot.springs import ratio, whole_turn
from symoro.runtime import compile_program
from symoro.solve.assemblies import PlatformTracker, forward_geometry, pose_of_guess
from symoro.solve.given import model
from symoro.solve.loops import Assembly, loop_geometry

if TYPE_CHECKING:
    from symoro.runtime import Function


# States at the ends of straight lines of the motors, reached in steps that are halved where they fail.


Stepped = Callable[[Array, Array], Array]
"""States and positions of the motors after a step -> states there; NaN where the step fails."""

Line = Callable[[Array, Array, Array], Array]
"""A state, positions of the motors there, and positions that are wanted -> the state at the end of the line."""


def ends_of_lines(
    stepped: Stepped, start: Array, begin: Array, x: Array, steps: Array, smallest: float = 1e-3
) -> Array:
    """The states at the positions x (samples, motors), from one state `start`, whose motors are at `begin`.

    Each sample may have a state of its own to begin with: then `begin` has a row for each sample.

    `steps` is how many steps each line has at least, which need not be whole. A way has ended where steps fail that are
    smaller than the part `smallest` of those; its state is NaN.
    """
    at = np.array(start if begin.ndim == x.ndim else np.broadcast_to(start, (len(x), *start.shape)))
    begin = np.broadcast_to(begin, x.shape)
    done, longest = np.zeros(len(x)), 1 / np.maximum(steps, 1.0)
    part = longest.copy()
    while len(rows := np.flatnonzero(done < 1.0)):
        ends = np.minimum(done[rows] + part[rows], 1.0)
        to = np.where(ends[:, None] < 1.0, begin[rows] + ends[:, None] * (x[rows] - begin[rows]), x[rows])
        ahead = stepped(at[rows], to)
        good = exists(ahead)
        at[rows[good]], done[rows[good]] = ahead[good], ends[good]
        part[rows] = np.where(good, np.minimum(2 * part[rows], longest[rows]), part[rows] / 2)
        lost = rows[part[rows] < smallest * longest[rows]]
        at[lost], done[lost] = np.nan, 1.0
    return at


def states_along(stepped: Stepped, line: Line, start: Array, x: Array, steps: Array) -> Array:
    """The states along a path x (samples, motors), each on the branch of the one before; NaN behind its end.

    `start` is a state near the first position; `steps` are those between neighbours, which need not be whole. Samples
    between those that are a step apart are found from the one before them, all at once.
    """
    states = np.full((len(x), *start.shape), np.nan)
    block = np.concatenate([[0], np.floor(steps.cumsum()).astype(int)])
    first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(block))])
    here, before = start, 0
    for k in first.tolist():
        here = states[k] = line(here, x[before], x[k])
        if not np.isfinite(here).all():
            return states
        before = k
    begins = first[np.searchsorted(first, np.arange(len(x)), side="right") - 1]
    others = np.setdiff1d(np.arange(len(x)), first)
    states[others] = stepped(states[begins[others]], x[others])
    for k in np.flatnonzero(~exists(states)).tolist():
        states[k] = line(states[k - 1], x[k - 1], x[k])
    return states


def exists(states: Array) -> Array:
    """Which states (samples, ...) have no NaN."""
    return np.asarray(np.isfinite(states).all(axis=tuple(range(1, states.ndim))))


def same_side(a: Array, b: Array) -> Array:
    """Whether no singularity lies between matrices (samples, n, m): the determinants of aᵀ b are positive."""
    return np.asarray(np.linalg.det(a.swapaxes(1, 2) @ b) > 0)


# One branch of a robot whose motors move more than themselves: what follows from them, without a jump.
#
# Positions are reached along straight lines of the motors. Steps go along the tangent, with Newton's method behind
# each. A step that Newton's method has to correct by much is halved; a branch ends where small steps fail. So what
# follows is one continuous function of the motors.
#
# Of closed loops all joints follow. A branch comes to its end at a dead point, where the motors do not determine the
# passive joints, and branches meet. Of a parallel robot the pose of the platform follows, in the assembly of its home
# pose; a step fails, too, where the platform has passed a singularity.


GUESS = Argument("guess")
STEP = 0.15
"""Radians or metres of a motor in one step."""
_CORRECTION = 0.05
"""Radians or metres by which Newton's method may correct a step, or the tangent may miss the next sample."""
_DRAWN = 24
"""Positions of the motors among which the usual configuration is chosen."""
_WIDER = 10
"""Times as many where nothing closes between the limits."""
_FAR = 3.0
"""Condition over the least one, of configurations that are far from dead points."""
_STEADY = 1e-6
"""Change of ∂q/∂x along a step, of loops whose passive joints move evenly with the motors."""
_PLATFORM_STEP = 0.3
"""Radians of a motor, or parts of the platform's radius for a slider, in one step."""
_SMALLEST = 0.05
"""Part of a step below which a way has ended: steps that have to be so small are near a singularity."""
_PLATFORM_CORRECTION = 0.1
"""Radians, or parts of the radius, by which Newton's method may correct a step."""


class Branch(ABC):
    """What follows from the motors: a state is a configuration q of all joints, or a pose T of a platform."""

    @property
    @abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """The joints that positions and speeds belong to."""

    @property
    @abstractmethod
    def steering(self) -> Array:
        """Which motors move more than themselves."""

    @abstractmethod
    def within(self, limit: Array) -> Branch:
        """The branch without states whose condition numbers are above their limits."""

    @abstractmethod
    def reached(self, start: Array, x: Array) -> Array:
        """The states at the ends of straight lines of the motors from `start`; NaN where the branch ends."""

    @abstractmethod
    def nudged(self, at: Array, j: int, step: float) -> Array:
        """The states after a small step of motor j."""

    @abstractmethod
    def continuous(self, at: Array, x: Array) -> bool:
        """Whether states along a motion x of the motors follow each other as their tangents say, without a jump."""

    @abstractmethod
    def conditions(self, at: Array) -> Array:
        """Condition numbers, which are infinite at singularities, (samples, m)."""

    @abstractmethod
    def positions(self, at: Array) -> Array:
        """The positions of all joints, (samples, joints)."""

    @abstractmethod
    def speeds(self, at: Array, xd: Array) -> Array:
        """The velocities of all joints for those of the motors, (samples, joints)."""

    @abstractmethod
    def near(self, q: Array, middle: Array, joints: Sequence[Joint]) -> Array:
        """Positions of some joints, to be compared with limits that have this middle."""

    @abstractmethod
    def motion(self, at: Array, xd: Array, xdd: Array) -> dict[str, Array]:
        """What dynamic models take for a motion of the motors."""


# closed loops


@dataclass(frozen=True)
class LoopBranch(Branch):
    """The loops of a robot by numbers; configurations whose condition is above `limit` are not reached."""

    subject: Subject
    limit: float | Array = np.inf

    @lazy
    def assembly(self) -> Assembly:
        return _compiled(self.subject.robot)[0]

    @lazy
    def _assembler(self) -> Assembler:
        return self.assembly.assembler()

    @lazy
    def _kinematics(self) -> Function:
        return _compiled(self.subject.robot)[1]

    @property
    def reach(self) -> float:
        """The sum of all lengths of the robot."""
        return self._assembler.reach

    @lazy
    def motors(self) -> list[int]:
        """The places of the motors in q."""
        return [self.subject.variables.index(joint) for joint in self.subject.motors]

    @lazy
    def passive(self) -> list[int]:
        """The places of the joints that follow."""
        return [k for k in range(len(self.subject.variables)) if k not in self.motors]

    @property
    def joints(self) -> tuple[Joint, ...]:
        return self.subject.variables

    def within(self, limit: float | Array) -> LoopBranch:
        return replace(self, limit=limit)

    @property
    def periods(self) -> tuple[float, ...]:
        """A whole turn of each variable; 0 where it does not turn."""
        return self._assembler.periods

    @lazy
    def steering(self) -> Array:
        """Which motors move passive joints: those that the closure equations depend on."""
        q = np.random.default_rng(0).normal(size=(8, len(self.subject.variables)))
        return np.asarray((np.abs(self._assembler.gap(q).dE[:, :, self.motors]) > 1e-12).any(axis=(0, 1)))

    # configurations

    def directions(self, q: Array) -> Array:
        """∂q/∂x, (samples, variables, motors)."""
        with np.errstate(all="ignore"):
            return np.asarray(self._kinematics(q, np.zeros((len(q), len(self.motors)))).G)

    def slopes(self, q: Array) -> Array:
        """∂E/∂q of the closure equations by the passive joints, (samples, equations, passive joints)."""
        return np.nan_to_num(self._assembler.gap(q).dE[:, :, self.passive])

    def conditions(self, at: Array) -> Array:
        """Condition numbers of the equations that give the passive joints, (samples, 1); infinite at a dead point."""
        return _condition(self.slopes(at))[:, None]

    def positions(self, at: Array) -> Array:
        return at

    def speeds(self, at: Array, xd: Array) -> Array:
        return np.asarray(np.einsum("tij,tj->ti", self.directions(at), xd))

    def near(self, q: Array, middle: Array, joints: Sequence[Joint]) -> Array:
        """As they are: joints have made their turns."""
        return q

    def motion(self, at: Array, xd: Array, xdd: Array) -> dict[str, Array]:
        return {"q": at, "qd": xd, "qdd": xdd}

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return np.asarray(at + step * self.directions(at)[:, :, j])

    def dead_points(self, q: Array) -> Array:
        """The samples of a motion behind which the loops pass a dead point."""
        slopes = self.slopes(q)
        return np.flatnonzero(~same_side(slopes[:-1], slopes[1:]))

    def apart(self, a: Array, b: Array) -> Array:
        """The largest difference of two configurations, without whole turns."""
        return np.asarray(np.abs(self._assembler.difference(a, b)).max(axis=-1))

    def in_turns(self, a: Array, b: Array) -> tuple[Array, Array]:
        """a − b of configurations as a rest and whole turns."""
        periods = np.asarray(self.periods, dtype=float)
        turns = np.where(periods > 0, np.round((a - b) / np.where(periods > 0, periods, 1.0)) * periods, 0.0)
        return a - b - turns, turns

    def allowed(self, q: Array) -> bool:
        """Whether passive joints are inside the limits of the description."""
        return bool(np.isfinite(q).all()) and len(self._assembler.within(q[None])) == 1

    def chosen(self, guess: Any) -> Array | None:
        """The closed configuration that chooses the branch, a guess or home; None where there is neither."""
        home = self._assembler.home
        if guess is None and home is not None:
            return self._closed(home, "home")
        return None if guess is None else self._closed(guess, GUESS)

    def _closed(self, guess: Any, option: str) -> Array:
        """The closed configuration that a user gives, which may be rounded; an error where it is none."""
        n, robot = len(self.subject.variables), self.subject.robot
        try:
            q = np.asarray(guess, dtype=float)
        except (TypeError, ValueError):
            q = np.zeros(0)
        if q.shape != (n,) or not np.isfinite(q).all():
            names = [str(joint.variable) for joint in self.subject.variables]
            raise DataError("branches.guess", option=option, count=n, names=names)
        q_closed, closed = self._assembler.newton(q[None])
        if not closed[0] or self.apart(q_closed[0], q) > _CORRECTION:
            raise DataError("branches.guess_is_open", option=option, robot=robot.name)
        return np.asarray(q + self._assembler.difference(q_closed[0], q))

    # steps

    def stepped(self, q: Array, x: Array) -> Array:
        """The configurations after a step of the motors to x, (samples, variables); NaN where it leaves the branch."""
        ahead = q + np.einsum("tij,tj->ti", self.directions(q), x - q[:, self.motors])
        ahead[:, self.motors] = x
        with np.errstate(all="ignore"):
            reached, closed = self._assembler.newton(np.nan_to_num(ahead), steps=10)
            moved = self._assembler.difference(reached, ahead)
        near = closed & (np.abs(moved) < _CORRECTION).all(axis=1)  # NaN is not near
        stepped = np.where(near[:, None], ahead + moved, np.nan)
        before, behind = self.slopes(q[near]), self.slopes(stepped[near])
        regular = (_condition(behind) <= self.limit) & (same_side(before, behind) | ~np.isfinite(self.limit))
        stepped[near] = np.where(regular[:, None], stepped[near], np.nan)
        return stepped

    def reached(self, start: Array, x: Array) -> Array:
        """The configurations at the ends of straight lines; each may have a start of its own."""
        begin = np.asarray(start, dtype=float)[..., self.motors]
        length = np.abs((x - begin)[:, self.steering]).max(axis=1, initial=0.0)
        return ends_of_lines(self.stepped, start, begin, x, length / STEP)

    def continuous(self, at: Array, x: Array) -> bool:
        if not np.isfinite(at).all():
            return False
        ahead = np.einsum("tij,tj->ti", self.directions(at[:-1]), np.diff(at[:, self.motors], axis=0))
        return bool((np.abs(np.diff(at, axis=0) - ahead) < _CORRECTION + np.abs(ahead) / 2).all())


def _condition(slopes: Array) -> Array:
    singular = np.linalg.svd(slopes, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(singular[:, 0] / singular[:, -1], nan=np.inf))


@lru_cache(maxsize=8)
def _compiled(robot: Robot) -> tuple[Assembly, Function]:
    """What closes the loops, and their kinematics; those of the last robots are kept."""
    return loop_geometry(robot).compile(), model("loop_kinematics", robot).compile()


def usual_configuration(loops: LoopBranch, low: Array, high: Array, wider: bool = True) -> Array:
    """The closed configuration that is taken where nothing else chooses a branch; `CannotClose` where there is none.

    Of all branches at some positions of the motors between the limits, far from dead points, it is the one with the
    smallest passive joints. Branches on which passive joints move evenly with the motors go first: they are what
    parallelograms are built for. Exciting motions and recordings of the motors alone share this rule. Where nothing
    closes between the limits, sliders of loops may be anywhere, unless `wider` forbids it.
    """
    every = _closed_between(loops, low, high, _DRAWN)
    if wider and not len(every):
        slides = loops.steering & [joint.prismatic for joint in loops.subject.motors]
        low, high = (np.where(slides, side * loops.reach, x) for side, x in ((-1, low), (1, high)))
        every = _closed_between(loops, low, high, _WIDER * _DRAWN)
    if not len(every):
        raise CannotClose("branches.open_between_limits", robot=loops.subject.robot.name)
    condition = loops.conditions(every)[:, 0]
    far = every[condition <= _FAR * condition.min()]
    even = _moves_evenly(loops, far)
    far = far[even] if even.any() else far
    return np.asarray(far[int(np.linalg.norm(far[:, loops.passive], axis=1).argmin())])


def _closed_between(loops: LoopBranch, low: Array, high: Array, count: int) -> Array:
    """Closed configurations in the middle of the limits and at random positions between them."""
    parts = np.vstack([np.full(len(low), 0.5), np.random.default_rng(0).uniform(0.1, 0.9, (count - 1, len(low)))])
    return np.vstack([_ways(loops, low + part * (high - low)) for part in parts])


def _ways(loops: LoopBranch, x: Array) -> Array:
    """All ways to close the loops that are cheap to find, (ways, joints)."""
    try:
        return loops.assembly.branches(x) if loops.assembly.exact else loops.assembly(x)[None]
    except CannotClose:
        return np.zeros((0, len(loops.subject.variables)))


def _moves_evenly(loops: LoopBranch, q: Array) -> Array:
    """At which configurations passive joints have constant velocities while the motors have."""
    ahead = loops.stepped(q, q[:, loops.motors] + STEP * np.linspace(0.4, 1.0, len(loops.motors)))
    change = np.abs(loops.directions(np.nan_to_num(ahead)) - loops.directions(q)).max(axis=(1, 2))
    return np.asarray(np.isfinite(ahead).all(axis=1) & (change < _STEADY))


# platforms


@dataclass(frozen=True, eq=False)
class PlatformKinematics:
    """What follows from poses T (samples, 4, 4) of a platform, by compiled models."""

    robot: Robot

    @lazy
    def tracker(self) -> PlatformTracker:
        compiled: PlatformTracker = forward_geometry(self.robot, optimize=False).compile()
        return compiled

    @lazy
    def _by_motors(self) -> tuple[Function, Function]:
        """J_p of V = J_p q̇, and J̇_p q̇."""
        jacobian, drift = (model(name, self.robot, optimize=False).compile() for name in ("jacobian", "jdot_qdot"))
        return jacobian, drift

    @lazy
    def _of_pose(self) -> Function:
        compiled: Function = compile_program(joints_of_pose(self.robot))
        return compiled

    @lazy
    def _rows(self) -> Function:
        compiled: Function = compile_program(joint_rows(self.robot))
        return compiled

    @lazy
    def _singularities(self) -> PlatformSingularities:
        return PlatformSingularities(self.robot, compile_program(singular_matrices(self.robot)))

    @lazy
    def owners(self) -> tuple[Joint, ...]:
        """The joints of all legs that have variables."""
        return topology.with_variables(self.robot)

    @lazy
    def places(self) -> list[int]:
        """The places of the motors among them."""
        return [k for k, joint in enumerate(self.owners) if joint.actuated]

    @lazy
    def units(self) -> Array:
        """The change of each motor that turns its joint by one radian, or shifts it by the platform's radius."""
        numbers, motors = self.robot.values.numbers(), [self.owners[k] for k in self.places]
        ratios = np.array([ratio(joint, numbers) or 1.0 for joint in motors])
        return np.asarray(np.where([joint.prismatic for joint in motors], self.radius, 1.0) / ratios)

    @lazy
    def turns(self) -> Array:
        """The change of each motor that turns its joint once; 0 of those that move along their axes."""
        numbers = self.robot.values.numbers()
        return np.array([whole_turn(self.owners[k], numbers) for k in self.places])

    @lazy
    def radius(self) -> float:
        return size(self.robot)

    def directions(self, T: Array) -> Array:
        """J_p, (samples, 6, motors)."""
        return np.asarray(self._by_motors[0](T))

    def motion(self, T: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """V = J_p q̇ and V̇ = J_p q̈ + J̇_p q̇ (K10:60)."""
        J = self.directions(T)
        V = np.einsum("tij,tj->ti", J, qd)
        return V, np.einsum("tij,tj->ti", J, qdd) + self._by_motors[1](T, V)

    def joints(self, T: Array) -> Array:
        """The positions of all joints of the legs, angles in (−π, π]."""
        return np.asarray(self._of_pose(T))

    def speeds(self, T: Array, V: Array) -> Array:
        """The velocities of all joints of the legs (K10:61)."""
        B = np.asarray(self._rows(T).B).reshape(len(T), -1, 6)
        return np.asarray(np.einsum("tij,tj->ti", B, V))

    def conditions(self, T: Array) -> Array:
        """Condition numbers of the platform (type 2), then of each leg (type 1): (samples, 1 + legs)."""
        if not len(T):
            return np.zeros((0, 1 + len(self.robot.legs)))
        conditions = self._singularities.at(T)
        return np.asarray(np.nan_to_num(np.column_stack([conditions.platform, conditions.legs]), nan=np.inf))


@dataclass(frozen=True)
class PlatformBranch(Branch):
    """An assembly of a parallel robot; poses with condition numbers above `limit` are not reached."""

    kinematics: PlatformKinematics
    limit: Array = field(default_factory=lambda: np.array(np.inf), repr=False)
    first: Array | None = field(default=None, repr=False)
    """A pose in the assembly; None: the home pose."""

    @lazy
    def home(self) -> Array:
        """The pose from which the motors move the platform."""
        return home(self.kinematics.robot) if self.first is None else self.first

    def starting(self, robot: Robot, guess: Any) -> PlatformBranch:
        """The assembly of a pose that a user gives, or that positions of all joints of the robot mean."""
        T = pose_of_guess(robot, guess)
        met: Array = self.kinematics.tracker(self._motors(T[None])[0], guess=T).T[0]
        if not exists(met[None])[0] or self._apart(met[None], T[None])[0] > _CORRECTION:
            raise DataError("branches.guess_apart", option=GUESS, robot=robot.name)
        return replace(self, first=met)

    @lazy
    def begin(self) -> Array:
        """The positions of the motors at the home pose."""
        return np.asarray(self._motors(self.home[None])[0])

    def _motors(self, T: Array) -> Array:
        return np.asarray(self.kinematics.joints(T)[:, self.kinematics.places])

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints of all legs."""
        return self.kinematics.owners

    def within(self, limit: Array) -> PlatformBranch:
        return replace(self, limit=limit)

    @property
    def steering(self) -> Array:
        return np.full(len(self.kinematics.places), True)

    def conditions(self, at: Array) -> Array:
        return self.kinematics.conditions(at)

    def positions(self, at: Array) -> Array:
        return self.kinematics.joints(at)

    def speeds(self, at: Array, xd: Array) -> Array:
        return self.kinematics.speeds(at, np.einsum("tij,tj->ti", self.kinematics.directions(at), xd))

    def near(self, q: Array, middle: Array, joints: Sequence[Joint]) -> Array:
        """Angles with the whole turns that bring them nearest to the middle of their limits: a pose counts no turns."""
        numbers = self.kinematics.robot.values.numbers()
        turns = np.array([whole_turn(joint, numbers) for joint in joints])
        return in_turn_of(q, turns, np.where(np.isfinite(middle), middle, q))

    def motion(self, at: Array, xd: Array, xdd: Array) -> dict[str, Array]:
        V, VP = self.kinematics.motion(at, xd, xdd)
        return {"T": at, "V": V, "VP": VP}

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return moved(at, step * self.kinematics.directions(at)[:, :, j])

    def stepped(self, T: Array, x: Array) -> Array:
        """The poses after a step of the motors to x, (samples, 4, 4); NaN where it leaves the assembly."""
        kinematics = self.kinematics
        J = kinematics.directions(T)
        ahead = moved(T, np.einsum("tij,tj->ti", J, self._missing(T, x)))
        poses = kinematics.tracker(x, guess=np.where(exists(ahead)[:, None, None], ahead, T)).T[:, 0]
        near = exists(poses)
        near[near] = self._apart(poses[near], ahead[near]) < _PLATFORM_CORRECTION
        near[near] = same_side(J[near], kinematics.directions(poses[near]))
        return np.where(near[:, None, None], poses, np.nan)

    def reached(self, start: Array, x: Array) -> Array:
        poses = self._ends(start, self._motors(start[None])[0], x)
        there = exists(poses)
        there[there] = (self.kinematics.conditions(poses[there]) <= self.limit).all(axis=1)
        return np.where(there[:, None, None], poses, np.nan)

    def along(self, start: Array, x: Array) -> Array:
        """The poses along a path of the motors, each from the one before; NaN behind the end of the assembly.

        `start` is a pose near the first position.
        """
        steps = self._steps(np.diff(x, axis=0))
        return states_along(self.stepped, lambda T, at, to: self._ends(T, at, to[None])[0], start, x, steps)

    def _ends(self, T: Array, begin: Array, x: Array) -> Array:
        """The poses at the ends of straight lines of the motors from a pose, whose motors are at `begin`."""
        return ends_of_lines(self.stepped, T, begin, x, self._steps(x - begin), _SMALLEST)

    def continuous(self, at: Array, x: Array) -> bool:
        if not exists(at).all():
            return False
        step = np.einsum("tij,tj->ti", self.kinematics.directions(at[:-1]), np.diff(x, axis=0))
        return bool((self._apart(at[1:], moved(at[:-1], step)) < _PLATFORM_CORRECTION).all())

    def poses(self, at: Array) -> Array:
        return at

    def unturned(self, x: Array) -> Array:
        """Positions of the motors without whole turns: angles are less than half a turn from those of `home`."""
        return np.asarray(self.begin + self._shortest(x - self.begin))

    def _missing(self, T: Array, x: Array) -> Array:
        """How far motors have to move to x."""
        return self._shortest(x - self._motors(T))

    def _shortest(self, away: Array) -> Array:
        """Motions of motors, angles by less than half a turn."""
        return in_turn_of(away, self.kinematics.turns, np.zeros(1))

    def _steps(self, away: Array) -> Array:
        """How many steps motions of the motors are, (samples,)."""
        sizes = away / self.kinematics.units
        return np.asarray(np.abs(sizes).max(axis=1, initial=0.0) / _PLATFORM_STEP)

    def _apart(self, a: Array, b: Array) -> Array:
        """The largest difference of two poses: of elements of R, and of p in parts of the radius."""
        p = np.abs(a[:, :3, 3] - b[:, :3, 3]).max(axis=1) / self.kinematics.radius
        return np.asarray(np.maximum(p, np.abs(a[:, :3, :3] - b[:, :3, :3]).max(axis=(1, 2))))


@lru_cache(maxsize=8)
def kinematics_of(robot: Robot) -> PlatformKinematics:
    """The compiled models of a platform and its legs; those of the last robots are kept."""
    return PlatformKinematics(legs_alone(robot))


@dataclass(frozen=True)
class BranchBesideOthers(Branch):
    """An assembly of a platform, and joints that belong to no leg: a state has T, row by row, and their positions."""

    platform: PlatformBranch
    others: tuple[Joint, ...]

    @property
    def joints(self) -> tuple[Joint, ...]:
        return (*self.platform.joints, *self.others)

    @property
    def steering(self) -> Array:
        return np.concatenate([self.platform.steering, np.full(len(self.others), False)])

    @property
    def home(self) -> Array:
        return np.concatenate([self.platform.home.ravel(), np.zeros(len(self.others))])

    def poses(self, at: Array) -> Array:
        return at[:, :16].reshape(-1, 4, 4)

    def _motors(self, x: Array) -> tuple[Array, Array]:
        """The motors of the legs, and the others."""
        n = len(self.platform.steering)
        return x[:, :n], x[:, n:]

    def within(self, limit: Array) -> BranchBesideOthers:
        return replace(self, platform=self.platform.within(limit))

    def reached(self, start: Array, x: Array) -> Array:
        motors, others = self._motors(x)
        T = self.platform.reached(start[:16].reshape(4, 4), motors)
        return np.hstack([T.reshape(-1, 16), np.where(exists(T)[:, None], others, np.nan)])

    def nudged(self, at: Array, j: int, step: float) -> Array:
        n = len(self.platform.steering)
        if j < n:
            return np.hstack([self.platform.nudged(self.poses(at), j, step).reshape(-1, 16), at[:, 16:]])
        return np.asarray(at + step * (np.arange(at.shape[1]) == 16 + j - n))

    def continuous(self, at: Array, x: Array) -> bool:
        return self.platform.continuous(self.poses(at), self._motors(x)[0])

    def conditions(self, at: Array) -> Array:
        return self.platform.conditions(self.poses(at))

    def positions(self, at: Array) -> Array:
        return np.hstack([self.platform.positions(self.poses(at)), at[:, 16:]])

    def speeds(self, at: Array, xd: Array) -> Array:
        motors, others = self._motors(xd)
        return np.hstack([self.platform.speeds(self.poses(at), motors), others])

    def near(self, q: Array, middle: Array, joints: Sequence[Joint]) -> Array:
        return self.platform.near(q, middle, joints)

    def motion(self, at: Array, xd: Array, xdd: Array) -> dict[str, Array]:
        (first, qd), (second, qdd) = self._motors(xd), self._motors(xdd)
        return self.platform.motion(self.poses(at), first, second) | {"q": at[:, 16:], "qd": qd, "qdd": qdd}
