"""The controllers of K13 chapter 9 in joint space that have a model: PD with gravity, and computed torque."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

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
    title, citation = "Computed torque control", "K13:9.22-9.31"
    return law.controller("computed_torque", title, citation, law.limited(GAM, effort), frequency=w)


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
