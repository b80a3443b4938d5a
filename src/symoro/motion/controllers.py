"""The controllers of K13 chapter 9 in joint space: computed torque, PD with gravity, and PID."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.ir.expr import Expr
from symoro.model import Model
from symoro.motion.controller import Controller
from symoro.motion.law import LawOfMotors
from symoro.motion.options import MOTOR_EFFORT, TRACKING_TIME, damping, each, frequency, gain
from symoro.motion.profiles import Array
from symoro.motion.writing import Exprs, Writer
from symoro.options import NONE, Choice, Option, Schema
from symoro.robot.robot import Robot

Form = Literal["pid", "i-pd", "prefilter"]
_STATES = {
    "pid": "the integral of each motor, as a torque",
    "i-pd": "the integral of each motor, as a torque",
    "prefilter": "of each motor the integral, as a torque; then the filtered wanted positions; then their rates",
}


COMPUTED_TORQUE = Schema(
    "computed_torque",
    (
        frequency("motor", 10.0),
        damping("motor"),
        Option(
            "scheme",
            Choice(("tracking", "position", "predictive")),
            "tracking",
            "What the model is evaluated at, and which of the wanted motion counts.",
            "Où le modèle est évalué, et ce qui compte du mouvement désiré.",
        ),
        MOTOR_EFFORT,
    ),
    MotionError,
)


@COMPUTED_TORQUE.function
def computed_torque(
    robot: Robot | str | Path, frequency: ArrayLike, damping: ArrayLike, scheme: str, *, effort: ArrayLike | None
) -> Controller:
    """Computed torque control in joint space, with errors of given frequency (rad/s) and damping (K13:9.22-9.31).

    tracking: the error obeys ë + K_d ė + K_p e = 0; position: only the wanted position counts; predictive: the model is
    evaluated at the wanted motion. K_p = ω² and K_d = 2 ξ ω (K13:9.26). `effort` limits the torques.
    """
    law = LawOfMotors.of(robot)
    w = law.numbers("frequency", frequency)
    KP = law.gain("KP", w**2)  # (K13:9.26)
    KD = law.gain("KD", 2 * law.numbers("damping", damping) * w)
    e, ed = law.error
    if scheme == "position":
        wanted = [kp * x - kd * v for kp, kd, x, v in zip(KP, KD, e, law.v, strict=True)]  # (K13:9.29)
    else:
        wanted = [
            a + kd * v + kp * x for kp, kd, x, v, a in zip(KP, KD, e, ed, law.wanted["qrdd"], strict=True)
        ]  # (K13:9.24)
    state = law.at_reference() if scheme == "predictive" else law.state
    GAM = law.inverse_dynamics(state, tuple(wanted))  # (K13:9.22, 9.31)
    title, citation = "Computed torque control", "K13:9.22-9.31"
    return law.controller("computed_torque", title, citation, law.limited(GAM, effort), frequency=w)


PD_GRAVITY = Schema("pd_gravity", (gain("KP", "motor", True), gain("KD", "motor", True), MOTOR_EFFORT), MotionError)


@PD_GRAVITY.function
def pd_gravity(robot: Robot | str | Path, KP: ArrayLike, KD: ArrayLike, *, effort: ArrayLike | None) -> Controller:
    """Γ = K_p e − K_d q̇ + Q(q): position control with gravity compensated (K13:9.12)."""
    law = LawOfMotors.of(robot)
    kp, kd = law.gain("KP", law.numbers("KP", KP)), law.gain("KD", law.numbers("KD", KD))
    Q = law.gravity()
    e, _ = law.error
    GAM = tuple(a * x - b * v + g for a, b, x, v, g in zip(kp, kd, e, law.v, Q, strict=True))
    return law.controller("pd_gravity", "PD control with gravity", "K13:9.12", law.limited(GAM, effort))


PID = Schema(
    "pid",
    (
        frequency("motor", None),
        *(gain(name, "motor") for name in ("KP", "KD", "KI")),
        Option(
            "form",
            Choice(tuple(_STATES)),
            "pid",
            "pid overshoots on a step; in i-pd the integral alone sees the wanted position; prefilter filters it.",
            "pid dépasse un échelon ; dans i-pd l'intégrale seule voit la position désirée ; prefilter la filtre.",
        ),
        Option(
            "inertia",
            each("motor") | NONE,
            None,
            "The inertia that each motor sees; else the largest of random configurations.",
            "L'inertie que voit chaque moteur ; sinon la plus grande de configurations aléatoires.",
        ),
        MOTOR_EFFORT,
        TRACKING_TIME,
    ),
    MotionError,
)


@PID.function
def pid(
    robot: Robot | str | Path,
    frequency: ArrayLike | None,
    *,
    KP: ArrayLike | None,
    KD: ArrayLike | None,
    KI: ArrayLike | None,
    form: Form,
    inertia: ArrayLike | None,
    effort: ArrayLike | None,
    tracking_time: float | None,
) -> Controller:
    """Γ = K_p e + K_d ė + K_I ∫ e dt, by gains or by a frequency (rad/s) that gives a triple pole (K13:9.5, 9.10).

    With a frequency, K_p = 3 a ω², K_d = 3 a ω − F_v and K_I = a ω³. a is `inertia`: the largest A_jj among random
    configurations where none is given. This law overshoots by 21 to 25 % on a step of the wanted position. Two forms do
    not: in i-pd only the integral sees the wanted position; prefilter is PID of the wanted position behind the filter
    K_I / (K_d s² + K_p s + K_I), which cancels the zeros of K13:9.7. Both begin without a jump wherever the robot is.

    `effort` limits the torques; the integral then follows the limited torque within `tracking_time` seconds (1/ω where
    none is given), which keeps it from winding up.
    """
    law = LawOfMotors.of(robot)
    gains = _gains(law, frequency, {"KP": KP, "KD": KD, "KI": KI}, inertia)
    pole = 3 * gains["KI"] / gains["KP"]  # ω of a triple pole
    kp, kd, ki = (law.gain(name, gains[name]) for name in ("KP", "KD", "KI"))
    n = len(law.joints)
    many = form == "prefilter"
    z = law.writer.vector("z", 3 * n if many else n, _STATES[form], None if many else law.joints)
    (e, ed), filtered = law.error, []
    if many:
        x, xd = z[n : 2 * n], z[2 * n :]
        e, ed, filtered = _less(x, law.q), _less(xd, law.v), _filter(law, (kp, kd, ki), x, xd)
    none = (law.writer.graph.zero,) * n
    p, d = (_less(none, law.q), _less(none, law.v)) if form == "i-pd" else (e, ed)
    wanted = tuple(a * x + b * y + c for a, b, x, y, c in zip(kp, kd, p, d, z[:n], strict=True))  # (K13:9.5)
    GAM = law.limited(wanted, effort)
    rates = [k * x for k, x in zip(ki, e, strict=True)]
    if effort is not None:
        slow = tracking_time or float(np.mean(1 / pole))
        T = law.writer.parameter("TT", slow, "time in which an integral follows a limited torque", "s")
        rates = [r + (a - b) / T for r, a, b in zip(rates, GAM, wanted, strict=True)]
    start = _start(law, form, gains["KP"])
    return law.controller("pid", "PID control", "K13:9.5-9.10", GAM, [*rates, *filtered], start, pole)


def _gains(
    law: LawOfMotors, frequency: ArrayLike | None, gains: dict[str, ArrayLike | None], inertia: ArrayLike | None
) -> dict[str, Array]:
    if (frequency is None) == any(x is None for x in gains.values()):
        raise MotionError("controllers.gains")
    if frequency is not None:
        return law.triple_pole(frequency, inertia)
    return {name: law.numbers(name, x) for name, x in gains.items() if x is not None}


def _less(a: Exprs, b: Exprs) -> Exprs:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _filter(law: LawOfMotors, gains: tuple[Exprs, Exprs, Exprs], x: Exprs, xd: Exprs) -> list[Expr]:
    """The rates of x and ẋ: K_d ẍ + K_p ẋ + K_I x = K_I q^d, with the denominator that is the numerator of K13:9.7."""
    rows = zip(*gains, law.wanted["qr"], x, xd, strict=True)
    return [*xd, *((ki * (wanted - here) - kp * rate) / kd for kp, kd, ki, wanted, here, rate in rows)]


def _start(law: LawOfMotors, form: Form, KP: Sequence[float] | Array) -> Model | None:
    """The states with which a law begins without a jump: of i-pd the integral K_p q, of a filter the position q."""
    if form == "pid":
        return None
    w = Writer()
    q = w.vector("q", len(law.joints), "position of each motor", law.joints)
    if form == "i-pd":
        states = [w.parameter(f"KP{j}", float(k)) * x for j, k, x in zip(law.joints, KP, q, strict=True)]
    else:
        none = [w.graph.zero] * len(q)
        states = [*none, *q, *none]
    return Model(law.robot, w.program(Z0=states), "pid_start", "States of PID control at the start", "K13:9.5")
