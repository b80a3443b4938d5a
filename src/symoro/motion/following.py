"""Joints that follow a path of a frame: those of a chain on the branch of their start, or the motors of a platform."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.coordinates import Coordinates, between
from symoro.errors import MotionError, NotApplicable, ShapeError
from symoro.findings import Argument, Finding
from symoro.lazy import lazy
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.branches import in_turn_of
from symoro.models.parallel.motions import PlatformSingularities, motors_of_motion, open_legs
from symoro.models.parallel.platform import is_rigid
from symoro.motion.limits import JointLimits, active_limits, inside, position
from symoro.motion.pose_path import Approach, PathPoses, PosePath
from symoro.motion.profiles import Array
from symoro.motion.state import pose_of_motors
from symoro.motion.trajectory import Motion, Path
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.robot.springs import whole_turn
from symoro.robot.values import evaluate
from symoro.runtime import Function, compile_program
from symoro.runtime.outputs import real_array
from symoro.solve.given import model
from symoro.solve.ways import inverse_geometry

_REACHED, _STEPS, _JUMP = 1e-11, 12, 0.5
"""The error of a pose that is reached, the steps of Newton's method for it, and how far a joint may move in a step."""
_CLOSED = 1e-8
"""By how much a chain or the legs may be away from a pose of the path."""

When = Callable[[float], float]
"""The time at which a motion is at a point s of its path."""


@dataclass(frozen=True, slots=True)
class PathStart:
    """Where a motion begins: the pose of the frame, the positions of a chain, and the number of their branch."""

    pose: Array
    q: Array | None = None
    branch: int | None = None


class Follower(ABC):
    """A frame of a robot that follows paths."""

    robot: Robot
    limits: JointLimits

    @abstractmethod
    def starts(self, q0: ArrayLike, branch: int | None) -> Sequence[PathStart]:
        """Where a motion may begin: at one start, or on some branches of one pose."""

    @abstractmethod
    def _rows(self, start: PathStart, poses: PathPoses, step: float, places: Sequence[Finding]) -> Array:
        """The positions (points, joints) at points of a path; an error says at which place it ends, and why."""

    @abstractmethod
    def _motion(self, wanted: PathPoses, near: Array) -> Motion:
        """The joints at poses, where they are near positions on the path."""

    def follow(self, path: PosePath | Approach, start: PathStart, points: int, when: When) -> Path:
        """The path of the joints from a start on; an error says where it ends, at which time and why."""
        s, step = np.linspace(0.0, path.end, points, retstep=True)
        places = [Finding("trajectories.place", s=float(x), time=when(float(x))) for x in s]
        rows = self._rows(start, path(s), step, places)

        def at(x: Array) -> Motion:
            x = np.asarray(x, dtype=float)
            return self._motion(path(x), rows[np.clip(np.rint(x / step).astype(int), 0, points - 1)])

        return Path(at, path.end)

    def best(self, path: PosePath | Approach, starts: Sequence[PathStart], points: int, when: When) -> Path:
        """The path from the start that is best for it."""
        return self.follow(path, starts[0], points, when)


def follower_of(robot: Robot, link: FrameRef | None, singular: float) -> Follower:
    """What follows a path of a frame of a robot: its chain, or its platform."""
    coordinates = Coordinates.of(robot)
    if not coordinates.followers:
        return ChainFollower(robot, link, singular)
    if link is not None:
        raise MotionError("trajectories.platform_moves", robot=robot.name)
    return PlatformFollower(robot, singular)


class ChainFollower(Follower):
    """A frame of a robot without loops; `singular` is the least singular value of its Jacobian (K13:9.18-9.21)."""

    def __init__(self, robot: Robot, link: FrameRef | None, singular: float) -> None:
        if robot.cuts or robot.base.free:
            raise MotionError("trajectories.no_follower", robot=robot.name)
        self.robot, self.singular, self.link = robot, singular, only_tip(robot) if link is None else link
        self.limits = active_limits(robot, len(topology.with_variables(robot)))
        self._pose = model("forward_geometry", robot, link=self.link).compile()
        self._jacobian = model("jacobian", robot, link=self.link).compile()
        self._bend = model("jdot_qdot", robot, link=self.link, frame=0).compile()
        self._turn = _turn_of_base(robot)

    def starts(self, q0: ArrayLike, branch: int | None) -> Sequence[PathStart]:
        start = real_array("q0", q0)
        if start.shape != (4, 4):
            if branch is not None:
                raise MotionError("trajectories.branch_without_pose")
            q = position("q0", start)
            inside("q0", q, active_limits(self.robot, len(q)))
            return (PathStart(self._pose(q), q),)
        if not np.isfinite(start).all():
            raise ShapeError("trajectories.pose_not_finite")
        try:
            branches = inverse_geometry(self.robot, link=self.link).compile()(start)
        except NotApplicable as reason:
            raise MotionError("trajectories.no_inverse", reason=reason.finding) from None
        valid = [int(k) for k in np.flatnonzero(branches.valid)]
        if not valid:
            raise MotionError("trajectories.start_out_of_reach", robot=self.robot.name)
        if branch is not None and branch not in valid:
            raise MotionError("trajectories.no_branch", branch=branch, allowed=valid)
        chosen = valid if branch is None else [branch]
        pose = self._pose(branches.q[chosen[0]])
        return tuple(PathStart(pose, branches.q[k], k) for k in chosen)

    def jacobian(self, q: Array) -> Array:
        """J in the world, in which the base may be turned: poses are those of the world."""
        return np.asarray(self._turn @ self._jacobian(q))

    def _reached(self, q: Array, wanted: Array) -> tuple[Array, Array]:
        """q after Newton's method, and the error of its pose."""
        for _ in range(_STEPS):
            e = between(self._pose(q), wanted)
            if np.abs(e).max() <= _REACHED:
                break
            q = q + _times(np.linalg.pinv(self.jacobian(q), rcond=1e-9), e)
        return q, np.abs(between(self._pose(q), wanted)).max(axis=-1)

    def _derivatives(self, q: Array, twist: Array, rate: Array) -> tuple[Array, Array]:
        """q' = J⁻¹ X' (K13:9.19) and q'' = J⁻¹ (X'' − J̇ q') (K13:9.20)."""
        inverse = np.linalg.pinv(self.jacobian(q), rcond=1e-9)
        first = _times(inverse, twist)
        return first, _times(inverse, rate - _times(self._turn, self._bend(q, first)))

    def _rows(self, start: PathStart, poses: PathPoses, step: float, places: Sequence[Finding]) -> Array:
        guess, rows = np.asarray(start.q), []
        for place, T, twist, rate in zip(places, *poses, strict=True):
            q = self._next(guess, T, place)
            first, second = self._derivatives(q, twist, rate)
            guess = q + step * first + step**2 / 2 * second
            rows.append(q)
        return np.array(rows)

    def _next(self, guess: Array, pose: Array, place: Finding) -> Array:
        """q at a point of the path, from a guess that continues the path."""
        q, error = self._reached(guess, pose)
        values, limits = np.linalg.svd(self.jacobian(q), compute_uv=False), self.limits
        if not np.isfinite(q).all() or error > _CLOSED:
            raise MotionError("trajectories.out_of_reach", robot=self.robot.name, where=place, distance=float(error))
        if values[-1] < self.singular:
            raise MotionError("trajectories.singular", robot=self.robot.name, where=place, value=values[-1])
        if np.abs(q - guess).max() > _JUMP:
            joint = limits.names[int(np.argmax(np.abs(q - guess)))]
            raise MotionError("trajectories.jumps", joint=joint, where=place)
        for joint, x, low, high in zip(limits.names, q, limits.lower, limits.upper, strict=True):
            if not low - 1e-9 <= x <= high + 1e-9:
                raise MotionError("trajectories.leaves_limits", joint=joint, where=place, x=x, low=low, high=high)
        return q

    def _motion(self, wanted: PathPoses, near: Array) -> Motion:
        q, _ = self._reached(near, wanted.T)
        return Motion(q, *self._derivatives(q, wanted.twist, wanted.rate))

    def best(self, path: PosePath | Approach, starts: Sequence[PathStart], points: int, when: When) -> Path:
        """The path that stays farthest from singular configurations; an error says why each branch ends."""
        if starts[0].branch is None:
            return self.follow(path, starts[0], points, when)
        paths, reasons = [], []
        for start in starts:
            try:
                inside(Finding("trajectories.start_of_branch", branch=start.branch), np.asarray(start.q), self.limits)
                paths.append(self.follow(path, start, points, when))
            except MotionError as error:
                reasons.append(Finding("trajectories.branch_ends", branch=start.branch, reason=error.finding))
        if not paths:
            raise MotionError("trajectories.no_branch_followed", reasons=reasons)
        return max(paths, key=self._distance)

    def _distance(self, path: Path) -> float:
        """The least singular value of the Jacobian matrix on a path."""
        q = path.at(np.linspace(0.0, path.end, 101)).q
        return float(np.linalg.svd(self.jacobian(q), compute_uv=False).min())


class PlatformFollower(Follower):
    """The platform of a parallel robot, whose legs stay in their branches at the home pose.

    Joints that belong to no leg stay where they are at the start. `singular` is the inverse of the condition of motors
    and constraints below which a path is refused.
    """

    def __init__(self, robot: Robot, singular: float) -> None:
        self.robot: Robot = robot
        self.singular, coordinates = singular, Coordinates.of(robot)
        joints = coordinates.motors
        self.limits = active_limits(robot, len(joints))
        numbers = robot.values.numbers()
        self._turns = np.array([whole_turn(joint, numbers) for joint in joints])
        self._driving = np.array([joint in coordinates.driving for joint in joints])

    @lazy
    def motors(self) -> Function:
        """QA, QP and QDP of the motors for T, V and VP."""
        motors: Function = compile_program(motors_of_motion(self.robot))
        return motors

    def starts(self, q0: ArrayLike, branch: int | None) -> Sequence[PathStart]:
        """A pose, or that of positions of the motors near the home pose."""
        if branch is not None:
            raise MotionError("trajectories.platform_moves", robot=self.robot.name)
        start = real_array("q0", q0)
        if start.shape != (4, 4):
            q = position("q0", start, len(self.limits.names))
            return (PathStart(pose_of_motors(self.robot, q[self._driving], {}), q),)
        if not is_rigid(start):
            raise MotionError("trajectories.no_pose")
        return (PathStart(start, np.zeros(len(self.limits.names))),)

    def _with_others(self, driving: Array, others: Array) -> Array:
        """The positions of all motors: those of the legs, and those of joints that belong to no leg."""
        positions = np.zeros((*driving.shape[:-1], len(self._driving)))
        positions[..., self._driving], positions[..., ~self._driving] = driving, others[..., ~self._driving]
        return positions

    def _rows(self, start: PathStart, poses: PathPoses, step: float, places: Sequence[Finding]) -> Array:
        others = np.zeros(len(self._driving)) if start.q is None else start.q
        q = self._with_others(self.motors(*poses).QA, others)
        self._require(poses.T, q, places)
        columns = zip(q.T, self._turns, strict=True)
        rows: Array = np.stack([np.unwrap(x, period=turn) if turn else x for x, turn in columns], axis=1)
        inside(Finding("motion.on_path"), rows, self.limits)
        return rows

    def _require(self, T: Array, q: Array, places: Sequence[Finding]) -> None:
        """An error at the first pose that the legs do not reach or allow, or at which the motors do not hold it."""
        name, apart = self.robot.name, compile_program(open_legs(self.robot))(T)[..., 0]
        lost = ~(np.isfinite(q).all(axis=-1) & (apart <= _CLOSED))
        if lost.any():
            k = int(np.argmax(lost))
            raise MotionError("trajectories.legs_do_not_allow", robot=name, where=places[k], residual=apart[k])
        condition = PlatformSingularities(self.robot).at(T).platform
        near = ~(condition < 1 / self.singular)
        if near.any():
            k = int(np.argmax(near))
            raise MotionError("trajectories.singular_pose", robot=name, where=places[k], condition=condition[k])

    def _motion(self, wanted: PathPoses, near: Array) -> Motion:
        driving, still = self.motors(*wanted), np.zeros(len(self._driving))
        q = self._with_others(driving[0], near)
        qd, qdd = (self._with_others(x, still) for x in driving[1:])
        return Motion(in_turn_of(q, self._turns, near), qd, qdd)


def only_tip(robot: Robot) -> int:
    """The only tip of a robot."""
    tips = topology.tips(robot)
    if len(tips) != 1:
        raise MotionError("motion.several_tips", robot=robot.name, count=len(tips), link=Argument("link"))
    return tips[0].index


def _turn_of_base(robot: Robot) -> Array:
    """The rotation from frame 0 to the world, for [v; ω]."""
    numbers = robot.values.numbers()
    rows = [[evaluate(value, numbers) for value in row[:3]] for row in robot.base.pose[:3]]
    return np.kron(np.eye(2), np.array(rows))


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])
