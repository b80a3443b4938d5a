"""A quick motion for the page: rows of positions, torques and errors between two configurations of the motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import MotionError
from symoro.motion.controller import Controller
from symoro.motion.controllers import computed_torque, pd_gravity
from symoro.motion.inertia import largest_inertias
from symoro.motion.pid import pid
from symoro.motion.planning import trajectory
from symoro.motion.profile import Array
from symoro.motion.simulate import simulate
from symoro.motion.simulation import Simulation
from symoro.motion.torques import Torques
from symoro.motion.trajectory import Trajectory
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.web.requests import Play

RATE = 60
"""Rows a second that the page gets; it draws in between."""
PERIOD = 1e-3


@dataclass(frozen=True, slots=True)
class Rows:
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
    stopped: str = ""

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
            "stopped": self.stopped,
        }

    @property
    def _poses(self) -> dict[str, Array | None]:
        return {"position": self.position, "quat": self.quat, "twist": self.twist}


def _rounded(array: Array) -> Any:
    return np.round(array, 9).tolist()


def played(robot: Robot, asked: Play) -> dict[str, Any]:
    """The motion that is asked for."""
    motors = [joint for joint in robot.joints[: robot.link_count] if joint.movable and joint.actuated]
    if not motors:
        raise MotionError(f"{robot.name} has no motor: nothing can follow a motion (allowed: a joint with a motor)")
    wanted = _trajectory(motors, asked)
    rows = _exact(robot, wanted) if asked.law == "exact" else _simulated(robot, motors, wanted, asked)
    return rows.data(motors)


def _at(motors: Sequence[Joint], given: Mapping[str, float]) -> Array:
    return np.array([given.get(str(joint.variable), 0.0) for joint in motors])


def _trajectory(motors: Sequence[Joint], asked: Play) -> Trajectory:
    return between(_at(motors, asked.start), _at(motors, asked.end), asked)


def between(first: Array, last: Array, asked: Play) -> Trajectory:
    """A motion that takes the time that is asked for; a trapezoid has ramps of a third of it."""
    T = asked.duration
    way = np.maximum(np.abs(last - first), 1e-9)
    if float(way.max()) <= 1e-9:
        raise MotionError("start and end are the same configuration: move a slider, or choose another start")
    limits = {"velocity": 1.5 * way / T, "acceleration": 4.5 * way / T**2} if asked.profile == "trapezoid" else {}
    return trajectory(first, last, asked.profile, duration=None if limits else T, **limits)


def _exact(robot: Robot, wanted: Trajectory) -> Rows:
    """The joints move as they shall, and the inverse dynamic model gives the torques."""
    torques = Torques(robot)
    t = np.linspace(0.0, wanted.duration, max(2, round(RATE * wanted.duration) + 1))
    motion = wanted(t)
    q = torques.configuration(motion.q)
    tau = torques.rigid(q, motion.qd, motion.qdd) + torques.friction(q, motion.qd)
    return Rows(t, list(_variables(robot)), q, tau, np.zeros_like(motion.q))


def _simulated(robot: Robot, motors: Sequence[Joint], wanted: Trajectory, asked: Play) -> Rows:
    """The robot under a controller, from a start that may be off."""
    begin = _at(motors, asked.start) + asked.offset
    run = simulate(
        robot,
        controller(robot, motors, asked),
        wanted,
        duration=1.25 * wanted.duration,
        q0=_first(robot, motors, begin, asked),
        period=PERIOD,
        every=kept_rows(),
    )
    base = {name: run.part(name) for name in ("position", "quat") if name in run.plant.places}
    names = _variables(robot)
    q = np.column_stack([_of_joint(run, name, j) for name, j in names.items()])
    return Rows(run.t, list(names), q, run.tau, run.error, **base, stopped=run.stopped)


def _of_joint(run: Simulation, name: str, j: int) -> Array:
    """The positions of a joint; one with a spring is two joints of the simulated robot, motor and spring."""
    columns = dict(zip(run.names, run.q.T, strict=True))
    found: Array = columns[name] if name in columns else columns[f"qm{j}"] + columns[f"qs{j}"]
    return found


def kept_rows() -> int:
    """Each such row of a simulation goes to the page."""
    return max(1, round(1 / (RATE * PERIOD)))


def controller(robot: Robot, motors: Sequence[Joint], asked: Play) -> Controller:
    """The controller that is asked for."""
    w = asked.frequency
    if asked.law == "computed_torque":
        return computed_torque(robot, frequency=w)
    if asked.law == "pid":
        return pid(robot, frequency=w)
    a = largest_inertias(robot, [joint.index for joint in motors])
    return pd_gravity(robot, KP=a * w**2, KD=2 * a * w)


def _first(robot: Robot, motors: Sequence[Joint], begin: Array, asked: Play) -> Array | None:
    """The first configuration: of an open chain all joints; of closed loops the motors, or what the page shows."""
    if any(joint.elastic for joint in robot.joints):
        return None
    if robot.cuts and asked.offset:
        return begin
    known = {**asked.start, **dict(zip((str(j.variable) for j in motors), begin, strict=True))}
    return np.array([known.get(name, 0.0) for name in _variables(robot)])


def _variables(robot: Robot) -> dict[str, int]:
    """The variables and their joints."""
    return {str(joint.variable): joint.index for joint in topology.with_variables(robot)}
