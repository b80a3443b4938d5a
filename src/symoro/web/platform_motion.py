"""A quick motion of a parallel robot for the page: its platform goes from one pose to another.

The platform moves on a line and turns about one axis. Where its legs do not allow the poses between, such as those of
a 3-RPS, the motors move together from their first positions to the last, and the platform follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import MotionError
from symoro.model import model
from symoro.motion.limits import active_limits
from symoro.motion.platform_path import PlatformFollower
from symoro.motion.pose_path import PosePath, about_axis, line
from symoro.motion.profile import Array
from symoro.motion.simulate import simulate
from symoro.motion.trajectory import Trajectory, timed
from symoro.platforms.forward import forward_geometry
from symoro.platforms.poses import is_rigid
from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.web.motion import PERIOD, RATE, Rows, between, controller, kept_rows
from symoro.web.requests import Play

_SINGULAR, _POINTS = 1e-4, 101


@dataclass(frozen=True)
class Wanted:
    """The motion of the motors, and the poses, velocities and accelerations of the platform at times."""

    motors: Trajectory
    path: PosePath | None
    clock: Trajectory
    first: Array

    def platform(self, robot: ParallelRobot, t: Array) -> tuple[Array, Array, Array]:
        """T, V and VP of each time."""
        if self.path is None:
            return _followed(robot, self.motors, self.first, t)
        s, sd, sdd = self.clock(t)
        at = self.path(s[..., 0])
        return at.T, at.twist * sd, at.twist * sdd + at.rate * sd**2


def platform_played(robot: ParallelRobot, asked: Play) -> dict[str, Any]:
    """The motion that is asked for."""
    motors = [robot.joint(robot.first_joints[i] + j) for i, j in robot.motors]
    if not motors:
        raise MotionError(f"{robot.name} has no motor: nothing can follow a motion (allowed: a joint with a motor)")
    if asked.poses is None:
        raise MotionError(f"{robot.name} is a parallel robot: its platform moves between two poses (poses)")
    first, last = (np.vstack([np.reshape(pose, (3, 4)), [0.0, 0.0, 0.0, 1.0]]) for pose in asked.poses)
    wanted = _wanted(robot, motors, first, last, asked)
    rows = _exact(robot, motors, wanted) if asked.law == "exact" else _simulated(robot, motors, wanted, asked)
    return rows.data(motors)


def _wanted(robot: ParallelRobot, motors: list[Joint], first: Array, last: Array, asked: Play) -> Wanted:
    if not (is_rigid(first) and is_rigid(last)):
        raise MotionError("a pose of the platform is no rotation and translation")
    if np.allclose(first, last, atol=1e-9):
        raise MotionError("start and end are the same pose: move a slider, or choose another start")
    follower, limits = PlatformFollower(robot, _SINGULAR), active_limits(robot, len(motors))
    (origin, length), (turn, angle) = line(first[:3, 3], last[:3, 3]), about_axis(first[:3, :3], last[:3, :3])
    path, clock = PosePath(origin, turn, length, angle), between(np.zeros(1), np.ones(1), asked)

    def when(s: float) -> float:
        t = clock.times(201)
        return float(np.interp(s, clock(t).q[:, 0], t))

    def steps(time: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = clock(time)
        return s[..., 0], sd[..., 0], sdd[..., 0]

    try:
        joints = follower.follow(path, _POINTS, limits, when)
    except MotionError as reason:
        return _by_motors(follower, first, last, asked, clock, reason)
    return Wanted(timed(joints, steps, clock.duration, limits.names), path, clock, first)


def _by_motors(
    follower: PlatformFollower, first: Array, last: Array, asked: Play, clock: Trajectory, reason: MotionError
) -> Wanted:
    """The motors move together; `reason` says why the platform cannot move straight on."""
    still = np.zeros((2, 6))
    q0, q1 = follower.motors(np.array([first, last]), still, still).QA
    if not (np.isfinite(q0).all() and np.isfinite(q1).all()) or np.allclose(q0, q1, atol=1e-9):
        raise reason
    wanted = Wanted(between(q0, q1, asked), None, clock, first)
    try:
        T, *_ = wanted.platform(follower.robot, clock.times(31))
    except MotionError:
        raise reason from None
    if not np.allclose(T[-1], last, atol=1e-6):
        raise reason
    return wanted


def _followed(robot: ParallelRobot, motors: Trajectory, first: Array, t: Array) -> tuple[Array, Array, Array]:
    """T, V = J_p q̇ and VP = J_p q̈ + J̇_p q̇ of the platform for a motion of the motors (K10:60)."""
    q, qd, qdd = motors(t)
    track, near, poses = forward_geometry(robot).compile(), first, []
    for time, row in zip(t, q, strict=True):
        found = track(row, guess=near)
        if not found.valid.all():
            raise MotionError(f"{robot.name}: the platform cannot follow its motors at {time:.3g} s")
        near = found.T[0]
        poses.append(near)
    T = np.array(poses)
    J = np.asarray(model("jacobian", robot).compile()(T))
    V = (J @ qd[..., None])[..., 0]
    return T, V, (J @ qdd[..., None])[..., 0] + np.asarray(model("jdot_qdot", robot).compile()(T, V))


def _exact(robot: ParallelRobot, motors: list[Joint], wanted: Wanted) -> Rows:
    """The platform moves as it shall, and the inverse dynamic model gives the torques."""
    t = wanted.motors.times(max(2, round(RATE * wanted.motors.duration) + 1))
    T, V, VP = wanted.platform(robot, t)
    tau = np.asarray(model("inverse_dynamics", robot).compile()(T, V, VP))
    q = wanted.motors(t).q
    quat = Rotation.from_matrix(T[:, :3, :3]).as_quat()
    return Rows(t, _names(motors), q, tau, np.zeros_like(q), T[:, :3, 3], quat, V)


def _simulated(robot: ParallelRobot, motors: list[Joint], wanted: Wanted, asked: Play) -> Rows:
    """The robot under a controller, from a start that may be off."""
    q0 = wanted.motors(0.0).q
    start: dict[str, Any] = {"q0": q0 + asked.offset} if asked.offset else {"T0": wanted.first}
    run = simulate(
        robot,
        controller(robot, motors, asked),
        wanted.motors,
        duration=1.25 * wanted.motors.duration,
        period=PERIOD,
        every=kept_rows(),
        **start,
    )
    position, quat, twist = (run.part(name) for name in ("position", "quat", "V"))
    return Rows(run.t, _names(motors), run.q, run.tau, run.error, position, quat, twist, run.stopped)


def _names(motors: list[Joint]) -> list[str]:
    return [str(joint.variable) for joint in motors]
