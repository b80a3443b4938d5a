"""The controllers of K13 chapter 9 in joint space: PID, PD with gravity, and computed torque."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.motion.controller import Controller
from symoro.motion.platform_law import law_of
from symoro.robot.robot import Robot

Scheme = Literal["tracking", "position", "predictive"]


def computed_torque(
    robot: Robot | str | Path,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    scheme: Scheme = "tracking",
    *,
    effort: ArrayLike | None = None,
) -> Controller:
    """Computed torque control in joint space, with errors of given frequency (rad/s) and damping (K13:9.22-9.31).

    tracking: the error obeys ë + K_d ė + K_p e = 0; position: only the wanted position counts; predictive: the model is
    evaluated at the wanted motion. K_p = ω² and K_d = 2 ξ ω (K13:9.26). `effort` limits the torques.
    """
    if scheme not in ("tracking", "position", "predictive"):
        raise MotionError(f"no scheme {scheme!r} (allowed: tracking, position, predictive)")
    law = law_of(robot)
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
    GAM = law.call("inverse_dynamics", state | {"qdd": tuple(wanted)})  # (K13:9.22, 9.31)
    return law.controller("computed_torque", "Computed torque control", "K13:9.22-9.31", law.limited(GAM, effort))


def pd_gravity(
    robot: Robot | str | Path, KP: ArrayLike, KD: ArrayLike, *, effort: ArrayLike | None = None
) -> Controller:
    """Γ = K_p e − K_d q̇ + Q(q): position control with gravity compensated (K13:9.12)."""
    law = law_of(robot)
    kp, kd = law.gain("KP", law.numbers("KP", KP)), law.gain("KD", law.numbers("KD", KD))
    Q = law.call("gravity", law.state)
    e, _ = law.error
    GAM = tuple(a * x - b * v + g for a, b, x, v, g in zip(kp, kd, e, law.v, Q, strict=True))
    return law.controller("pd_gravity", "PD control with gravity", "K13:9.12", law.limited(GAM, effort))


def pid(
    robot: Robot | str | Path,
    frequency: ArrayLike | None = None,
    *,
    KP: ArrayLike | None = None,
    KD: ArrayLike | None = None,
    KI: ArrayLike | None = None,
    form: Literal["pid", "i-pd"] = "pid",
    inertia: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    tracking_time: float | None = None,
) -> Controller:
    """Γ = K_p e + K_d ė + K_I ∫ e dt, by gains or by a frequency (rad/s) that gives a triple pole (K13:9.5, 9.10).

    With a frequency, K_p = 3 a ω², K_d = 3 a ω − F_v and K_I = a ω³. a is `inertia`: the largest A_jj among random
    configurations where none is given. In the form i-pd only the integral sees the wanted position, so that a step of
    it causes no overshoot. `effort` limits the torques; the integral then follows the limited torque within
    `tracking_time` seconds (1/ω where none is given), which keeps it from winding up.
    """
    if form not in ("pid", "i-pd"):
        raise MotionError(f"no form {form!r} (allowed: pid, i-pd)")
    law = law_of(robot)
    given = {"KP": KP, "KD": KD, "KI": KI}
    if (frequency is None) == any(x is None for x in given.values()):
        raise MotionError("PID control takes a frequency, or all of KP, KD and KI")
    if frequency is None:
        gains = {name: law.numbers(name, x) for name, x in given.items() if x is not None}
    else:
        gains = law.triple_pole(frequency, inertia)
    kp, kd, ki = (law.gain(name, gains[name]) for name in ("KP", "KD", "KI"))
    e, ed = law.error
    if form == "i-pd":
        held = [-(a * x + b * v) for a, b, x, v in zip(kp, kd, law.q, law.v, strict=True)]
    else:
        held = [a * x + b * v for a, b, x, v in zip(kp, kd, e, ed, strict=True)]
    z = law.writer.vector("z", len(e), "the integral of each motor, as a torque", law.joints)
    wanted = tuple(x + y for x, y in zip(held, z, strict=True))  # (K13:9.5)
    GAM = law.limited(wanted, effort)
    rates = [k * x for k, x in zip(ki, e, strict=True)]
    if effort is not None:
        slow = tracking_time or float(np.mean(gains["KP"] / gains["KI"])) / 3  # 1/ω of a triple pole
        T = law.writer.parameter("TT", slow, "time in which an integral follows a limited torque", "s")
        rates = [r + (a - b) / T for r, a, b in zip(rates, GAM, wanted, strict=True)]
    return law.controller("pid", "PID control", "K13:9.5-9.10", GAM, rates)
