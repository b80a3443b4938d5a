"""A quick motion for the page: rows of positions, torques and errors between two configurations or poses.

A platform moves on a line and turns about one axis. Where its legs do not allow the poses between, such as those of a
3-RPS, the motors move together from their first positions to the last, and the platform follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.bind.coordinates import Coordinates, quaternions
from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.models.parallel.platform import is_rigid
from symoro.motion.controller import Controller
from symoro.motion.controllers import computed_torque, pd_gravity, pid
from symoro.motion.following import PathStart, PlatformFollower
from symoro.motion.law import largest_inertias
from symoro.motion.planning import trajectory
from symoro.motion.pose_path import PosePath, about_axis, line
from symoro.motion.profiles import Array
from symoro.motion.simulate import simulate
from symoro.motion.simulation import Simulation
from symoro.motion.torques import Torques
from symoro.motion.trajectory import Trajectory, timed
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.solve.assemblies import forward_geometry
from symoro.solve.given import model
from symoro.web.requests import Play

RATE = 60
"""PlayedRows a second that the page gets; it draws in between."""
PERIOD = 1e-3


@dataclass(frozen=True, slots=True)
class PlayedRows:
    """A motion in rows: times, variables of joints, torques of the motors, errors; the pose of a free base or platform.

    `twist` is the velocity [v; ω] of a platform.
    """

    t: Array
    names: Sequence[str]
    q: Array
    tau: Array
    error: Array
    position: Array | None = None
    quat: Array | None = None
    twist: Array | None = None
    stopped: Finding | None = None

    def data(self, motors: Sequence[Joint]) -> dict[str, Any]:
        """What the page plays."""
        return {
            "t": _rounded(self.t),
            "names": list(self.names),
            "q": _rounded(self.q),
            "motors": [{"joint": j.index, "name": j.name, "turns": j.revolute} for j in motors],
            "tau": _rounded(self.tau),
            "error": _rounded(self.error),
            **{name: None if x is None else _rounded(x) for name, x in self._poses.items()},
            "stopped": self.stopped or "",
        }

    @property
    def _poses(self) -> dict[str, Array | None]:
        return {"position": self.position, "quat": self.quat, "twist": self.twist}


def _rounded(array: Array) -> Any:
    return np.round(array, 9).tolist()


@dataclass(frozen=True, slots=True)
class PlayedMotion:
    """The motion that is asked for: that of the motors, and of a platform that they follow."""

    motors: Trajectory
    start: Mapping[str, Any]
    """Where a simulation begins: a configuration, or a pose of the platform."""
    platform: Callable[[Array], tuple[Array, Array, Array]] | None = None
    """T, V and VP of each time."""


def played(robot: Robot, asked: Play) -> dict[str, Any]:
    """The motion that is asked for."""
    robot = robot.taking(None)
    coordinates = Coordinates.of(robot)
    motors = coordinates.motors
    if not motors:
        raise MotionError("page.no_motor", robot=robot.name)
    wanted = _between_poses(robot, asked) if coordinates.followers else _between(robot, motors, asked)
    rows = _exact(robot, wanted) if asked.law == "exact" else _simulated(robot, wanted, asked)
    return rows.data(motors)


def _between(robot: Robot, motors: Sequence[Joint], asked: Play) -> PlayedMotion:
    """From one configuration of the motors to another."""
    first, last = (np.array([at.get(str(j.variable), 0.0) for j in motors]) for at in (asked.start, asked.end))
    return PlayedMotion(_profile(first, last, asked), {"q0": _first(robot, motors, first + asked.offset, asked)})


def _profile(first: Array, last: Array, asked: Play) -> Trajectory:
    """A motion that takes the time that is asked for; a trapezoid has ramps of a third of it."""
    T = asked.duration
    way = np.maximum(np.abs(last - first), 1e-9)
    if float(way.max()) <= 1e-9:
        raise MotionError("page.same_configuration")
    limits = {"velocity": 1.5 * way / T, "acceleration": 4.5 * way / T**2} if asked.profile == "trapezoid" else {}
    return trajectory(first, last, asked.profile, duration=None if limits else T, **limits)


def _exact(robot: Robot, wanted: PlayedMotion) -> PlayedRows:
    """Joints or platform move as they shall, and the inverse dynamic model gives the torques."""
    t = wanted.motors.times(max(2, round(RATE * wanted.motors.duration) + 1))
    motion, names = wanted.motors(t), list(_shown(robot))
    still = np.zeros_like(motion.q)
    if wanted.platform is not None:
        if robot.base.free:
            raise MotionError("page.free_base", robot=robot.name)
        T, V, VP = wanted.platform(t)
        tau = np.asarray(model("inverse_dynamics", robot).compile()(T, V, VP))
        return PlayedRows(t, names, motion.q, tau, still, T[:, :3, 3], quaternions(T), V)
    torques = Torques(robot)
    q = torques.configuration(motion.q)
    return PlayedRows(t, names, q, torques.rigid(q, motion.qd, motion.qdd) + torques.friction(q, motion.qd), still)


def _simulated(robot: Robot, wanted: PlayedMotion, asked: Play) -> PlayedRows:
    """The robot under a controller, from a start that may be off."""
    run = simulate(
        robot,
        _controller(robot, asked),
        wanted.motors,
        duration=1.25 * wanted.motors.duration,
        period=PERIOD,
        every=max(1, round(1 / (RATE * PERIOD))),
        **wanted.start,
    )
    parts = {"twist": "V"}
    for body in run.plant.coordinates.bodies:  # the last one is shown: of a platform on a free base, the platform
        parts |= zip(("position", "quat"), body.parts, strict=True)
    poses = {name: run.part(part) for name, part in parts.items() if part in run.plant.places}
    shown = _shown(robot)
    q = np.column_stack([_of_joint(run, name, j) for name, j in shown.items()])
    return PlayedRows(run.t, list(shown), q, run.tau, run.error, **poses, stopped=run.ended)


def _of_joint(run: Simulation, name: str, j: int) -> Array:
    """The positions of a joint; one with a spring is two joints of the simulated robot, motor and spring."""
    columns = dict(zip(run.names, run.q.T, strict=True))
    positions: Array = columns[name] if name in columns else columns[f"qm{j}"] + columns[f"qs{j}"]
    return positions


def _controller(robot: Robot, asked: Play) -> Controller:
    """The controller that is asked for."""
    w = asked.frequency
    if asked.law == "computed_torque":
        return computed_torque(robot, frequency=w)
    if asked.law == "pid":
        return pid(robot, frequency=w)
    a = largest_inertias(robot)
    return pd_gravity(robot, KP=a * w**2, KD=2 * a * w)


def _first(robot: Robot, motors: Sequence[Joint], begin: Array, asked: Play) -> Array | None:
    """The first configuration: of an open chain all joints; of closed loops the motors, or what the page shows."""
    if any(joint.elastic for joint in robot.joints):
        return None
    if robot.cuts and asked.offset:
        return begin
    known = {**asked.start, **dict(zip((str(j.variable) for j in motors), begin, strict=True))}
    return np.array([known.get(name, 0.0) for name in _shown(robot)])


def _shown(robot: Robot) -> dict[str, int]:
    """The variables of the rows and their joints."""
    return {str(joint.variable): joint.index for joint in Coordinates.of(robot).shown}


# a platform from one pose to another

_SINGULAR, _POINTS = 1e-4, 101


def _between_poses(robot: Robot, asked: Play) -> PlayedMotion:
    first, last = _poses(robot, asked)
    follower = PlatformFollower(robot, _SINGULAR)
    (origin, length), (turn, angle) = line(first[:3, 3], last[:3, 3]), about_axis(first[:3, :3], last[:3, :3])
    path, clock = PosePath(origin, turn, length, angle), _profile(np.zeros(1), np.ones(1), asked)

    def when(s: float) -> float:
        t = clock.times(201)
        return float(np.interp(s, clock(t).q[:, 0], t))

    def steps(time: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = clock(time)
        return s[..., 0], sd[..., 0], sdd[..., 0]

    def platform(t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd = clock(t)
        at = path(s[..., 0])
        return at.T, at.twist * sd, at.twist * sdd + at.rate * sd**2

    try:
        joints = follower.follow(path, PathStart(first), _POINTS, when)
    except MotionError as reason:
        return _by_motors(follower, first, last, asked, reason)
    motors = timed(joints, steps, clock.duration, follower.limits.names)
    return PlayedMotion(motors, _start(motors, first, asked), platform)


def _poses(robot: Robot, asked: Play) -> tuple[Array, Array]:
    if asked.poses is None:
        raise MotionError("page.two_poses", robot=robot.name)
    first, last = (np.vstack([np.reshape(pose, (3, 4)), [0.0, 0.0, 0.0, 1.0]]) for pose in asked.poses)
    if not (is_rigid(first) and is_rigid(last)):
        raise MotionError("page.pose_of_platform")
    if np.allclose(first, last, atol=1e-9):
        raise MotionError("page.same_pose")
    return first, last


def _start(motors: Trajectory, first: Array, asked: Play) -> dict[str, Array]:
    return {"q0": motors(0.0).q + asked.offset} if asked.offset else {"T0": first}


def _by_motors(follower: PlatformFollower, first: Array, last: Array, asked: Play, reason: MotionError) -> PlayedMotion:
    """The motors move together; `reason` says why the platform cannot move straight on."""
    still = np.zeros((2, 6))
    q0, q1 = follower.motors(np.array([first, last]), still, still).QA
    if not (np.isfinite(q0).all() and np.isfinite(q1).all()) or np.allclose(q0, q1, atol=1e-9):
        raise reason
    motors, robot = _profile(q0, q1, asked), follower.robot

    def platform(t: Array) -> tuple[Array, Array, Array]:
        return _followed(robot, motors, first, t)

    try:
        T, *_ = platform(motors.times(31))
    except MotionError:
        raise reason from None
    if not np.allclose(T[-1], last, atol=1e-6):
        raise reason
    return PlayedMotion(motors, _start(motors, first, asked), platform)


def _followed(robot: Robot, motors: Trajectory, first: Array, t: Array) -> tuple[Array, Array, Array]:
    """T, V = J_p q̇ and VP = J_p q̈ + J̇_p q̇ of the platform for a motion of the motors (K10:60)."""
    q, qd, qdd = motors(t)
    track, near, poses = forward_geometry(robot).compile(), first, []
    for time, row in zip(t, q, strict=True):
        assembly = track(row, guess=near)
        if not assembly.valid.all():
            raise MotionError("page.cannot_follow", robot=robot.name, time=time)
        near = assembly.T[0]
        poses.append(near)
    T = np.array(poses)
    J = np.asarray(model("jacobian", robot).compile()(T))
    V = (J @ qd[..., None])[..., 0]
    return T, V, (J @ qdd[..., None])[..., 0] + np.asarray(model("jdot_qdot", robot).compile()(T, V))
