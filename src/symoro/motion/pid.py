"""PID control in joint space (K13:9.5-9.10), and the two forms of it that do not overshoot."""

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
from symoro.motion.law import Law
from symoro.motion.platform_law import law_of
from symoro.motion.profile import Array
from symoro.motion.writing import Exprs, Writer
from symoro.robot.robot import Robot

Form = Literal["pid", "i-pd", "prefilter"]
_STATES = {
    "pid": "the integral of each motor, as a torque",
    "i-pd": "the integral of each motor, as a torque",
    "prefilter": "of each motor the integral, as a torque; then the filtered wanted positions; then their rates",
}


def pid(
    robot: Robot | str | Path,
    frequency: ArrayLike | None = None,
    *,
    KP: ArrayLike | None = None,
    KD: ArrayLike | None = None,
    KI: ArrayLike | None = None,
    form: Form = "pid",
    inertia: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    tracking_time: float | None = None,
) -> Controller:
    """Γ = K_p e + K_d ė + K_I ∫ e dt, by gains or by a frequency (rad/s) that gives a triple pole (K13:9.5, 9.10).

    With a frequency, K_p = 3 a ω², K_d = 3 a ω − F_v and K_I = a ω³. a is `inertia`: the largest A_jj among random
    configurations where none is given. This law overshoots by 21 to 25 % on a step of the wanted position. Two forms do
    not: in i-pd only the integral sees the wanted position; prefilter is PID of the wanted position behind the filter
    K_I / (K_d s² + K_p s + K_I), which cancels the zeros of K13:9.7. Both begin without a jump wherever the robot is.

    `effort` limits the torques; the integral then follows the limited torque within `tracking_time` seconds (1/ω where
    none is given), which keeps it from winding up.
    """
    if form not in _STATES:
        raise MotionError(f"no form {form!r} (allowed: {', '.join(_STATES)})")
    law = law_of(robot)
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
    law: Law, frequency: ArrayLike | None, given: dict[str, ArrayLike | None], inertia: ArrayLike | None
) -> dict[str, Array]:
    if (frequency is None) == any(x is None for x in given.values()):
        raise MotionError("PID control takes a frequency, or all of KP, KD and KI")
    if frequency is not None:
        return law.triple_pole(frequency, inertia)
    return {name: law.numbers(name, x) for name, x in given.items() if x is not None}


def _less(a: Exprs, b: Exprs) -> Exprs:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _filter(law: Law, gains: tuple[Exprs, Exprs, Exprs], x: Exprs, xd: Exprs) -> list[Expr]:
    """The rates of x and ẋ: K_d ẍ + K_p ẋ + K_I x = K_I q^d, with the denominator that is the numerator of K13:9.7."""
    rows = zip(*gains, law.wanted["qr"], x, xd, strict=True)
    return [*xd, *((ki * (wanted - here) - kp * rate) / kd for kp, kd, ki, wanted, here, rate in rows)]


def _start(law: Law, form: Form, KP: Sequence[float] | Array) -> Model | None:
    """The states with which a law begins without a jump: of i-pd the integral K_p q, of a filter the position q."""
    if form == "pid":
        return None
    w = Writer()
    q = w.vector("q", len(law.joints), "position of each motor", law.joints)
    if form == "i-pd":
        found = [w.parameter(f"KP{j}", float(k)) * x for j, k, x in zip(law.joints, KP, q, strict=True)]
    else:
        none = [w.graph.zero] * len(q)
        found = [*none, *q, *none]
    return Model(law.robot, w.program(Z0=found), "pid_start", "States of PID control at the start", "K13:9.5")
