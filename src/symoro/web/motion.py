"""A quick motion for the page: rows of positions, torques and errors between two configurations or poses.

A platform moves on a line and turns about one axis. Where its legs do not allow the poses between, such as those of a
3-RPS, the motors move together from their first positions to the last, and the platform follows. Motors that belong to
no leg move at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.bind.coordinates import Coordinates, quaternions
from symoro.bind.symbols import Symbols
from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.ir.graph import Graph
from symoro.model import Model
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
from symoro.motion.trajectory import Motion, Path, Trajectory, timed
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

    def data(self, robot: Robot) -> dict[str, Any]:
        """What the page plays; the label of a motor stands in names, as 2_1 in that of a joint of a leg."""
        label, motors = Symbols(robot, Graph()).label, Coordinates.of(robot).motors
        return {
            "t": _rounded(self.t),
            "names": list(self.names),
            "q": _rounded(self.q),
            "motors": [
                {"joint": j.index, "label": label[j.index], "name": j.name, "turns": j.revolute} for j in motors
            ],
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
    return rows.data(robot)


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
        inverse, (T, V, VP) = model("inverse_dynamics", robot), wanted.platform(t)
        if "QDP" in inverse.outputs:
            raise MotionError("trajectories.other_coordinates", robot=robot.name)
        others = dict(zip(("q", "qd", "qdd"), (x[:, ~_driving(robot)] for x in motion), strict=True))
        tau = _outputs(inverse, T=T, V=V, VP=VP, **others)
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
    T0, T1 = _poses(robot, asked)
    q0, q1 = _positions(robot, asked.start), _positions(robot, asked.end)
    if np.allclose(T0, T1, atol=1e-9) and np.allclose(q0, q1, atol=1e-9):
        raise MotionError("page.same_pose")
    follower = PlatformFollower(robot, _SINGULAR)
    (origin, length), (turn, angle) = line(T0[:3, 3], T1[:3, 3]), about_axis(T0[:3, :3], T1[:3, :3])
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
        joints = follower.follow(path, PathStart(T0, q0), _POINTS, when)
    except MotionError as reason:
        return _by_motors(follower, (T0, T1), (q0, q1), asked, reason)
    motors = _moved_on(timed(joints, steps, clock.duration, follower.limits.names), clock, q1 - q0)
    return PlayedMotion(motors, _start(robot, motors, T0, asked), platform)


def _driving(robot: Robot) -> Array:
    """Which of the motors are those of legs."""
    coordinates = Coordinates.of(robot)
    return np.array([joint in coordinates.driving for joint in coordinates.motors])


def _positions(robot: Robot, at: Mapping[str, float]) -> Array:
    """The positions of the motors that belong to no leg; 0 for those of legs, which follow the platform."""
    q = np.array([at.get(str(joint.variable), 0.0) for joint in Coordinates.of(robot).motors])
    return np.where(_driving(robot), 0.0, q)


def _moved_on(motors: Trajectory, clock: Trajectory, way: Array) -> Trajectory:
    """The motion with a way beside it that is gone as the clock says."""

    def motion(time: Array) -> Motion:
        return Motion(*(x + s * way for x, s in zip(motors.motion(time), clock.motion(time), strict=True)))

    return replace(motors, motion=motion, path=Path(motion, motors.duration))


def _outputs(of: Model, **known: Array) -> Array:
    """The result of a model at these inputs; others that it needs are 0."""
    optional = {array.name for array in of.program.inputs if array.optional}
    needed = {name: shape for name, shape in of.inputs.items() if name not in optional}
    return np.asarray(of.compile()(*(known.get(name, np.zeros(shape)) for name, shape in needed.items())))


def _poses(robot: Robot, asked: Play) -> tuple[Array, Array]:
    if asked.poses is None:
        raise MotionError("page.two_poses", robot=robot.name)
    first, last = (np.vstack([np.reshape(pose, (3, 4)), [0.0, 0.0, 0.0, 1.0]]) for pose in asked.poses)
    if not (is_rigid(first) and is_rigid(last)):
        raise MotionError("page.pose_of_platform")
    return first, last


def _start(robot: Robot, motors: Trajectory, first: Array, asked: Play) -> dict[str, Array]:
    """Where a simulation begins: at a pose of the platform, or with its motors off the positions of this pose."""
    coordinates, begin = Coordinates.of(robot), motors(0.0).q + asked.offset
    q = asked.start | {str(joint.variable): x for joint, x in zip(coordinates.motors, begin, strict=True)}
    shown = [joint for joint in coordinates.shown if asked.offset or joint not in coordinates.followers]
    q0 = np.array([q.get(str(joint.variable), 0.0) for joint in shown])
    return ({} if asked.offset else {"T0": first}) | ({"q0": q0} if shown else {})


Pair = tuple[Array, Array]
"""Poses, or positions of all motors, at the start and at the end."""


def _by_motors(follower: PlatformFollower, T: Pair, others: Pair, asked: Play, reason: MotionError) -> PlayedMotion:
    """The motors move together; `reason` says why the platform cannot move straight on."""
    still, driving = np.zeros((2, 6)), _driving(follower.robot)
    of_legs = follower.motors(np.array(T), still, still).QA
    if not np.isfinite(of_legs).all() or np.allclose(of_legs[0], of_legs[1], atol=1e-9):
        raise reason
    q0, q1 = np.array(others)
    q0[driving], q1[driving] = of_legs
    motors, robot = _profile(q0, q1, asked), follower.robot

    def platform(t: Array) -> tuple[Array, Array, Array]:
        return _followed(robot, motors, T[0], t)

    try:
        poses, *_ = platform(motors.times(31))
    except MotionError:
        raise reason from None
    if not np.allclose(poses[-1], T[1], atol=1e-6):
        raise reason
    return PlayedMotion(motors, _start(robot, motors, T[0], asked), platform)


def _followed(robot: Robot, motors: Trajectory, first: Array, t: Array) -> tuple[Array, Array, Array]:
    """T, V = J_p q̇ and VP = J_p q̈ + J̇_p q̇ of the platform for a motion of the motors (K10:60)."""
    q, qd, qdd = (x[..., _driving(robot)] for x in motors(t))
    track, near, poses = forward_geometry(robot).compile(), first, []
    for time, row in zip(t, q, strict=True):
        assembly = track(row, guess=near)
        if not assembly.valid.all():
            raise MotionError("page.cannot_follow", robot=robot.name, time=time)
        near = assembly.T[0]
        poses.append(near)
    T = np.array(poses)
    J = _outputs(model("jacobian", robot), T=T)
    V = (J @ qd[..., None])[..., 0]
    return T, V, (J @ qdd[..., None])[..., 0] + _outputs(model("jdot_qdot", robot), T=T, V=V)
