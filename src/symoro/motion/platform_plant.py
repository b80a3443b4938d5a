"""A parallel robot that is simulated: the pose and the velocity of its platform, with those of its motors.

The state has the position and the orientation of the platform, its velocity V = [v; ω] in frame 0, and the positions q
and velocities qd of the motors. These follow from the platform; they are states so that an angle can pass π.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from symoro.formats import valid_robot
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector, total, zeros
from symoro.ir.program import Program
from symoro.model import model
from symoro.models.parallel.letters import Letters
from symoro.motion.plant import POSE, Plant
from symoro.motion.profile import Array
from symoro.motion.writing import Exprs, Writer
from symoro.platforms.motion import allowed_motion, motors_of_motion, open_legs
from symoro.platforms.poses import parallel
from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.runtime import Function, compile_program


def plant_of(robot: Robot | str | Path) -> Plant:
    """The robot that is simulated, of whatever family."""
    described = valid_robot(robot, parallel=True)
    if described.parallel:
        return PlatformPlant(model("direct_dynamics", described))
    return Plant.of(described)


@dataclass(frozen=True)
class PlatformPlant(Plant):
    """A parallel robot with its direct dynamic model; its legs stay in their branches at the home pose."""

    wild: ClassVar[str] = ": a leg may have left its reach"
    lost: ClassVar[str] = "a leg has left its reach, or the motors do not hold the platform there"

    @property
    def platform(self) -> ParallelRobot:
        return parallel(self.robot)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        return Letters(self.platform, Graph()).parameter_names

    @cached_property
    def parts(self) -> dict[str, int]:
        m = len(self.platform.motors)
        return {**POSE, "V": 6, "q": m, "qd": m}

    @cached_property
    def signals(self) -> dict[str, tuple[int, ...]]:
        return {**super().signals, "T": (16,)}

    @property
    def motors(self) -> int:
        return len(self.platform.motors)

    def motor_places(self, name: str) -> list[int]:
        return list(range(self.motors))

    @property
    def variables(self) -> tuple[Joint, ...]:
        first = self.platform.first_joints
        return tuple(self.robot.joint(first[i] + j) for i, j in self.platform.motors)

    @property
    def motor_joints(self) -> tuple[Joint, ...]:
        return self.variables

    # equations

    def measured(self, w: Writer, y: Sequence[Expr]) -> dict[str, Exprs]:
        part = self.split(y)
        return {**part, "T": pose(w.graph, part)}

    def rates(self, w: Writer, y: Sequence[Expr], tau: Sequence[Expr], wrench: Sequence[Expr]) -> Exprs:
        part = self.measured(w, y)
        VP = w.call(self.direct.program, {"T": part["T"], "V": part["V"], "tau": tau})["VP"]
        motors = w.call(self.following, {"T": part["T"], "V": part["V"], "VP": VP})
        turning = turned(w.graph, part["quat"], part["V"][3:])
        return (*part["V"][:3], *turning, *VP, *motors["QP"], *motors["QDP"])

    def projected(self, w: Writer, y: Sequence[Expr]) -> Exprs:
        """The state with a unit quaternion, legs that close, and motors that follow the platform."""
        part = self.split(y)
        if self.allowed is not None:
            step = w.call(self.allowed, {"T": pose(w.graph, part), "V": part["V"]})["DX"]
            part["position"] = _sum(part["position"], step[:3])
            part["quat"] = _sum(part["quat"], turned(w.graph, part["quat"], step[3:]))
            part["V"] = w.call(self.allowed, {"T": pose(w.graph, part), "V": part["V"]})["VN"]
        norm = w.graph.sqrt(total(w.graph, (x * x for x in part["quat"])))
        part["quat"] = tuple(x / norm for x in part["quat"])
        still = tuple(zeros(w.graph, 6))
        motors = w.call(self.following, {"T": pose(w.graph, part), "V": part["V"], "VP": still})
        part["q"] = tuple(self._nearest(w, *pair) for pair in zip(part["q"], motors["QA"], self.variables, strict=True))
        part["qd"] = motors["QP"]
        return tuple(x for name in self.parts for x in part[name])

    def _nearest(self, w: Writer, before: Expr, now: Expr, joint: Joint) -> Expr:
        """The position of a motor; an angle that is nearest to the one before."""
        if joint.prismatic:
            return now
        change = now - before
        return before + w.graph.atan2(w.graph.sin(change), w.graph.cos(change))

    @cached_property
    def following(self) -> Program:
        """What the motors do when the platform moves."""
        return motors_of_motion(self.platform)

    @cached_property
    def allowed(self) -> Program | None:
        """What puts pose and velocity right, where the legs do not allow every motion."""
        return allowed_motion(self.platform)

    # numbers

    def seen(self, y: Array) -> dict[str, Array]:
        return {**super().seen(y), "T": poses(self, y).reshape(*y.shape[:-1], 16)}

    @cached_property
    def apart(self) -> Function:
        """By how much legs are away from the platform, as a function of T."""
        found: Function = compile_program(open_legs(self.platform))
        return found

    def gap(self, states: Array, values: Mapping[str, float]) -> Array:
        known = {name: x for name, x in values.items() if name in self.apart.parameters.known}
        return np.asarray(self.apart(poses(self, states), values=known)[..., 0])

    @property
    def drifts(self) -> bool:
        return True


def pose(graph: Graph, part: Mapping[str, Exprs]) -> Exprs:
    """T of a position and a quaternion x y z w of any length, row by row."""
    x, y, z, w = part["quat"]
    p, q, r = part["position"]
    s = 2 / total(graph, (a * a for a in part["quat"]))
    zero, one = graph.zero, graph.one
    return (
        *(one - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w), p),
        *(s * (x * y + z * w), one - s * (x * x + z * z), s * (y * z - x * w), q),
        *(s * (x * z - y * w), s * (y * z + x * w), one - s * (x * x + y * y), r),
        *(zero, zero, zero, one),
    )


def turned(graph: Graph, quat: Exprs, omega: Sequence[Expr]) -> Exprs:
    """The derivative of a quaternion: (ω/2, 0) ⊗ quat, ω in frame 0."""
    u, half = Vector(graph, quat[:3]), Vector(graph, omega) * (graph.one / 2)
    return (*(quat[3] * half + half.cross(u)), -half.dot(u))


def poses(plant: Plant, states: Array) -> Array:
    """T of each state."""
    from scipy.spatial.transform import Rotation

    quat = states[..., plant.places["quat"]].reshape(-1, 4)
    known = np.isfinite(quat).all(-1, keepdims=True) & (np.abs(quat).max(-1, keepdims=True) > 0)
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    R = np.where(known[..., None], Rotation.from_quat(np.where(known, quat, upright)).as_matrix(), np.nan)
    T = np.zeros((*states.shape[:-1], 4, 4))
    T[..., :3, :3] = R.reshape(*states.shape[:-1], 3, 3)
    T[..., :3, 3] = states[..., plant.places["position"]]
    T[..., 3, 3] = 1.0
    return T


def _sum(a: Exprs, b: Sequence[Expr]) -> Exprs:
    return tuple(x + y for x, y in zip(a, b, strict=True))
