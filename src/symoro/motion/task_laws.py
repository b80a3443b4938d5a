"""The controllers of K13 chapter 9 in task space: PID and computed torque of the pose of a frame.

The wanted pose, velocity and acceleration of the frame are those of the wanted motion of the joints, so that every
trajectory is followed, one of a frame (`symoro.task_trajectory`) too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.findings import Argument
from symoro.formats import valid_robot
from symoro.ir.expr import Expr, Op
from symoro.ir.linalg import Matrix, Vector
from symoro.models.geometric.frames import FrameRef
from symoro.motion.controller import Controller
from symoro.motion.law import LawOfMotors
from symoro.motion.limits import positive
from symoro.motion.options import LINK, MOTOR_EFFORT, TRACKING_TIME, damping, each, frequency, gain
from symoro.motion.profiles import Array
from symoro.motion.writing import Exprs
from symoro.options import NONE, Choice, Option, RealNumber, Schema
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.given import model

Task = Literal["all", "position"]
_TINY, _DAMPED = 1e-300, 1e-4
_GAINS = {"KP": "gain of the position,", "KD": "gain of the velocity,", "KI": "gain of the integral,"}
ROWS = ("x", "y", "z", "rotation x", "rotation y", "rotation z")


_TASK = Option(
    "task",
    Choice(("all", "position")),
    "all",
    "The pose of the frame, or its position.",
    "La situation du repère, ou sa position.",
)
TASK_COMPUTED_TORQUE = Schema(
    "task_computed_torque",
    (
        frequency("coordinate", 10.0),
        damping("coordinate"),
        LINK,
        _TASK,
        Option(
            "null_damping",
            RealNumber("1/s", at_least=0),
            5.0,
            "Damping of velocities that do not move the frame.",
            "Amortissement des vitesses qui ne meuvent pas le repère.",
        ),
        MOTOR_EFFORT,
    ),
    MotionError,
)


@TASK_COMPUTED_TORQUE.function
def task_computed_torque(
    robot: Robot | str | Path,
    frequency: ArrayLike,
    damping: ArrayLike,
    *,
    link: FrameRef | None,
    task: Task,
    null_damping: float,
    effort: ArrayLike | None,
) -> Controller:
    """Computed torque control of the pose of a frame, or of its position (K13:9.33-9.37).

    Each coordinate of the error has a frequency (rad/s) and a damping: ë + K_d ė + K_p e = 0. The error of the
    orientation is the rotation vector of R^d Rᵀ. The generalized inverse of a redundant robot gives the least
    accelerations; velocities that do not move the frame are damped by `null_damping` (1/s).
    """
    law, frame = _begun(robot, link, task)
    w = _numbers("frequency", frequency, frame)
    KP, KD = frame.gain("KP", w**2), frame.gain("KD", 2 * _numbers("damping", damping, frame) * w)
    e, ed = frame.errors
    parts = zip(KP, KD, e, ed, frame.wanted_acceleration, strict=True)
    wanted = [a + kd * y + kp * x for kp, kd, x, y, a in parts]  # (K13:9.35)
    KN = law.writer.parameter("KN", null_damping, "damping of velocities that do not move the frame", "1/s")
    qdd = frame.accelerations(wanted, [-KN * v for v in law.v])
    GAM = law.inverse_dynamics(law.state, qdd)  # (K13:9.33)
    title, citation = "Computed torque control in task space", "K13:9.33-9.37"
    return law.controller("task_computed_torque", title, citation, law.limited(GAM, effort), frequency=w)


TASK_PID = Schema(
    "task_pid",
    (
        *(gain(name, "coordinate", True) for name in ("KP", "KD", "KI")),
        LINK,
        _TASK,
        Option(
            "damping",
            each("motor") | NONE,
            None,
            "Damping of the joints, in N m s or N s; a redundant robot needs it.",
            "Amortissement des articulations, en N m s ou N s ; un robot redondant en a besoin.",
        ),
        MOTOR_EFFORT,
        TRACKING_TIME,
    ),
    MotionError,
)


@TASK_PID.function
def task_pid(
    robot: Robot | str | Path,
    KP: ArrayLike,
    KD: ArrayLike,
    KI: ArrayLike,
    *,
    link: FrameRef | None,
    task: Task,
    damping: ArrayLike | None,
    effort: ArrayLike | None,
    tracking_time: float | None,
) -> Controller:
    """Γ = Jᵀ (K_p e + K_d ė + K_I ∫ e dt) of the pose of a frame, or of its position (K13:9.17).

    `damping` is that of the joints, in N m s or N s; a redundant robot needs it. `effort` limits the torques; the
    integral then follows the forces that the limited torques are worth within `tracking_time` seconds (K_p/3K_I where
    none is given), which keeps it from winding up.
    """
    law, frame = _begun(robot, link, task)
    kp, kd, ki = (frame.gain(name, _numbers(name, x, frame)) for name, x in (("KP", KP), ("KD", KD), ("KI", KI)))
    e, ed = frame.errors
    z = law.writer.vector("z", frame.rows, "the integral of each coordinate of the error")
    force = [a * x + b * y + c for a, b, x, y, c in zip(kp, kd, e, ed, z, strict=True)]
    GAM = tuple(frame.J.T @ Vector(law.writer.graph, force))  # (K13:9.17)
    if damping is not None:
        KV = law.gain("KV", law.numbers("damping", damping))
        GAM = tuple(x - k * v for x, k, v in zip(GAM, KV, law.v, strict=True))
    rates = [k * x for k, x in zip(ki, e, strict=True)]
    limited = law.limited(GAM, effort)
    if effort is not None:
        slow = tracking_time or float(np.mean(_numbers("KP", KP, frame) / _numbers("KI", KI, frame))) / 3
        T = law.writer.parameter("TT", slow, "time in which the integral follows limited torques", "s")
        lost = frame.force([a - b for a, b in zip(limited, GAM, strict=True)])
        rates = [rate + x / T for rate, x in zip(rates, lost, strict=True)]
    return law.controller("task_pid", "PID control in task space", "K13:9.17", limited, rates)


@dataclass(frozen=True)
class ControlledFrame:
    """The motion of a frame, measured and wanted, as expressions; the first `rows` of [v; ω] count."""

    law: LawOfMotors
    link: FrameRef
    rows: int

    @property
    def J(self) -> Matrix:
        """The rows of the Jacobian matrix at the measured positions."""
        return self._jacobian(self.law.q)

    def _call(self, name: str, **inputs: Exprs) -> Exprs:
        options = {"transform": {"i": 0, "j": self.link}, "jdot_qdot": {"link": self.link, "frame": 0}}
        chosen = options.get(name, {"link": self.link})
        return next(iter(self.law.writer.call(model(name, self.law.described, **chosen).program, inputs).values()))

    def _jacobian(self, q: Exprs) -> Matrix:
        J, n = self._call("jacobian", q=q), len(self.law.joints)
        return Matrix(self.law.writer.graph, (J[n * i : n * (i + 1)] for i in range(self.rows)))

    def _velocity(self, q: Exprs, qd: Exprs) -> Vector:
        return self._jacobian(q) @ Vector(self.law.writer.graph, qd)

    def _bend(self, q: Exprs, qd: Exprs) -> Vector:
        """J̇ q̇ (K13:9.21)."""
        return Vector(self.law.writer.graph, self._call("jdot_qdot", q=q, qd=qd)[: self.rows])

    @property
    def errors(self) -> tuple[Vector, Vector]:
        """The error of the pose, and that of the velocity (K13:9.37)."""
        law = self.law
        wanted, reached = (self._call("transform", q=q) for q in (law.wanted["qr"], law.q))  # in frame 0, as J is
        e = [wanted[4 * i + 3] - reached[4 * i + 3] for i in range(3)]
        if self.rows > 3:
            e += self._turn(wanted, reached)
        ed = self._velocity(law.wanted["qr"], law.wanted["qrd"]) - self._velocity(law.q, law.v)
        return Vector(law.writer.graph, e), ed

    def _turn(self, wanted: Exprs, reached: Exprs) -> list[Expr]:
        """The rotation vector of R^d Rᵀ: its axis times sin α, times α / sin α."""
        graph = self.law.writer.graph
        R, now = (Matrix(graph, (T[4 * i : 4 * i + 3] for i in range(3))) for T in (wanted, reached))
        E = [tuple(row) for row in R @ now.T]
        w = Vector(graph, (E[2][1] - E[1][2], E[0][2] - E[2][0], E[1][0] - E[0][1])) * graph.constant(0.5)
        sine, cosine = graph.sqrt(w.dot(w)), (E[0][0] + E[1][1] + E[2][2] - 1) / 2
        factor = graph.atan2(sine, cosine) / graph.apply(Op.MAX, sine, graph.constant(_TINY))
        return [factor * x for x in w]

    @property
    def wanted_acceleration(self) -> Vector:
        """Ẍ^d = J q̈^d + J̇ q̇^d."""
        q, qd, qdd = (self.law.wanted[name] for name in ("qr", "qrd", "qrdd"))
        return self._velocity(q, qdd) + self._bend(q, qd)

    def accelerations(self, wanted: Sequence[Expr], free: Sequence[Expr]) -> Exprs:
        """q̈ = z + Jᵀ (J Jᵀ)⁻¹ (w − J̇ q̇ − J z): for a square J, J⁻¹ (w − J̇ q̇) (K13:9.33 and its note)."""
        graph, J = self.law.writer.graph, self.J
        right = Vector(graph, wanted) - self._bend(self.law.q, self.law.v)
        if self.rows == len(self.law.joints):
            return graph.solve([tuple(row) for row in J], tuple(right))
        z = Vector(graph, free)
        solution = graph.solve([tuple(row) for row in J @ J.T], tuple(right - J @ z))
        return tuple(z + J.T @ Vector(graph, solution))

    def force(self, torques: Sequence[Expr]) -> Exprs:
        """The force f at the frame that torques are worth: (J Jᵀ + δ) f = J Γ; δ keeps it small near singularities."""
        graph, J = self.law.writer.graph, self.J
        rows = [tuple(row) for row in J @ J.T]
        damped = [tuple(x + _DAMPED if i == j else x for j, x in enumerate(row)) for i, row in enumerate(rows)]
        return graph.solve(damped, tuple(J @ Vector(graph, torques)))

    def gain(self, name: str, values: Array) -> Exprs:
        """A gain of each coordinate of the frame, as parameters."""
        texts = zip(ROWS, values, strict=False)
        return tuple(
            self.law.writer.parameter(f"{name}{k}", float(x), f"{_GAINS[name]} {row}")
            for k, (row, x) in enumerate(texts, 1)
        )


def _begun(robot: Robot | str | Path, link: FrameRef | None, task: str) -> tuple[LawOfMotors, ControlledFrame]:
    """A law, and the frame that it controls."""
    law = LawOfMotors.of(valid_robot(robot).taking(None))
    law.coordinates.require_joints(law.robot.name, "a controller in task space")
    rows, name = 6 if task == "all" else 3, law.described.name
    if len(law.state["q"]) != len(law.joints) or law.described.base.free:
        raise MotionError("controllers.not_a_tree", robot=name)
    if len(law.joints) < rows:
        raise MotionError("controllers.few_joints", robot=name, joints=len(law.joints), task=task, rows=rows)
    tips = topology.tips(law.described)
    if link is None and len(tips) != 1:
        raise MotionError("controllers.several_tips", robot=name, count=len(tips), link=Argument("link"))
    return law, ControlledFrame(law, tips[0].index if link is None else link, rows)


def _numbers(name: str, numbers: ArrayLike, frame: ControlledFrame) -> Array:
    return positive(name, numbers, ROWS[: frame.rows])
