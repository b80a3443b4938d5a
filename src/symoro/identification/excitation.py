"""`symoro.excite`: motions along which the parameters of a robot are seen best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from symoro.errors import MotionError, NotApplicable
from symoro.identification.excitation_cost import Box, cost, information, log_condition, smooth_condition
from symoro.identification.fourier_motion import Basis, Series
from symoro.identification.readers.columns import Array
from symoro.identification.subject import Subject
from symoro.interface import robot_numbers
from symoro.model import model
from symoro.motion.trajectory import Motion, Trajectory
from symoro.motion.trajectory import Path as Curve
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, symbols

CRITERIA = ("condition", "information")
_SHRINK = 1 - 1e-12
_SAMPLES = 40
"""Samples for each harmonic."""


@dataclass(frozen=True)
class Excitation:
    """A periodic motion that excites the parameters of a robot; it starts and ends at rest."""

    subject: Subject = field(repr=False)
    series: Series = field(repr=False)
    condition: float
    """Condition number of the regressor along the motion, without columns of friction."""

    @property
    def trajectory(self) -> Trajectory:
        """One period of the motion, as `symoro.simulate` takes it."""
        names = tuple(joint.name or str(joint.variable) for joint in self.subject.variables)
        series = self.series
        return Trajectory(names, series.duration, Curve(lambda s: Motion(*series.at(s)), series.duration), self._at)

    def _at(self, t: Array) -> Motion:
        return Motion(*self.series.at(t))

    @cached_property
    def sigma(self) -> dict[str, float]:
        """Expected σ of each base parameter for a period sampled at 100 Hz, with torque noise of 1 N·m or 1 N."""
        t = np.arange(0, self.series.duration, 0.01)
        W = self.subject.evaluate(*self.series.at(t)).reshape(-1, len(self.subject.columns))
        R = np.linalg.qr(W, mode="r")
        return dict(zip(self.subject.columns, np.linalg.norm(np.linalg.inv(R), axis=1).tolist(), strict=True))

    def to_csv(self, path: str | Path, rate: float = 1000.0, periods: int = 1) -> Path:
        """Write t, q, qd and qdd of one or several periods at a rate in Hz; the path."""
        if not (np.isfinite(rate) and rate > 0) or periods < 1:
            raise MotionError(f"rate = {rate} and periods = {periods}: allowed are more than 0, and 1 and more")
        t = np.arange(round(periods * self.series.duration * rate) + 1) / rate
        n = len(self.subject.variables)
        names = ["t", *(f"{what}{k}" for what in ("q", "qd_", "qdd_") for k in range(1, n + 1))]
        table = np.column_stack([t, *self.series.at(t)])
        np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
        return Path(path)

    def __str__(self) -> str:
        lines = [
            f"{self.series.duration:g} s, {self.series.harmonics} harmonics, condition number {self.condition:.4g}"
        ]
        lines += [f"{name:6} σ = {x:.3g}" for name, x in self.sigma.items()]
        return "\n".join(lines)


def excite(
    robot: Robot | str | Path,
    *,
    duration: float = 10.0,
    harmonics: int = 5,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    criterion: str = "condition",
    starts: int = 8,
    steps: int = 250,
    seed: int = 0,
) -> Excitation:
    """A periodic motion that minimises the condition number of the base regressor, or maximises information.

    It is a Fourier series of each joint that starts and ends at rest, the best of several random starts. `position` are
    limits (joints, 2); those, `velocity` and `effort` are the robot's where none are given. `acceleration` limits, one
    number or one for each joint, and all others hold exactly. With `effort` the motion is slowed down until the
    torques of the robot's own parameters are within their limits.
    """
    subject = Subject.of(robot, described_friction=False)
    _require_tree(subject)
    if criterion not in CRITERIA:
        raise MotionError(f"criterion = {criterion!r} is not allowed (allowed: {', '.join(CRITERIA)})")
    for name, x, least in (("harmonics", harmonics, 2), ("starts", starts, 1), ("steps", steps, 1)):
        if not isinstance(x, int) or x < least:
            raise MotionError(f"{name} = {x!r} is not allowed (allowed: whole numbers from {least} on)")
    if not (np.isfinite(duration) and duration > 0):
        raise MotionError(f"duration = {duration!r} is not allowed (allowed: seconds, more than 0)")
    box = _box(subject, position, velocity, acceleration)
    basis = Basis(harmonics, duration, _SAMPLES * harmonics)
    found = [_optimised(subject, basis, box, criterion, steps, seed + k) for k in range(starts)]
    best = min(found, key=lambda series: _quality(subject, series, criterion))
    best = _slowed(subject, best, effort) if effort is not None else best
    return Excitation(subject, best, float(np.exp(_quality(subject, best, "condition"))))


def _require_tree(subject: Subject) -> None:
    if subject.robot.cuts or subject.has_free_base or subject.variables != subject.moving or not subject.motors:
        raise NotApplicable(
            f"{subject.robot.name}: exciting motions are found for trees on a fixed base, without loops"
        )


def _box(subject: Subject, position: Any, velocity: Any, acceleration: Any) -> Box:
    """The limits that are given, else those of the robot, else ±2 rad or 0.3 m, 3 rad/s or 0.5 m/s."""
    n, joints = len(subject.variables), subject.variables
    turns = np.array([joint.revolute for joint in joints])
    usual = np.where(turns, 2.0, 0.3)
    own = np.array(
        [[_limit(subject, j, "lower", -u), _limit(subject, j, "upper", u)] for j, u in zip(joints, usual, strict=True)]
    )
    limits = own if position is None else np.asarray(position, dtype=float).reshape(-1, 2)
    if limits.shape != (n, 2) or not np.isfinite(limits).all() or not (limits[:, 0] < limits[:, 1]).all():
        raise MotionError(f"position is not allowed (allowed: a lower and an upper limit for each of {n} joints)")
    speed = np.array([_limit(subject, j, "velocity", 3.0 if t else 0.5) for j, t in zip(joints, turns, strict=True)])
    fastest = _each("velocity", speed if velocity is None else velocity, n)
    hardest = _each("acceleration", np.where(turns, 10.0, 2.0) if acceleration is None else acceleration, n)
    return Box(limits[:, 0], limits[:, 1], fastest, hardest)


def _limit(subject: Subject, joint: Joint, name: str, usual: float) -> float:
    value, numbers = getattr(joint.limits, name), robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else usual


def _each(name: str, given: Any, n: int) -> Array:
    try:
        found = np.broadcast_to(np.asarray(given, dtype=float), (n,))
    except (TypeError, ValueError):
        found = np.zeros(n)
    if not np.isfinite(found).all() or not (found > 0).all():
        raise MotionError(f"{name} = {given!r} is not allowed (allowed: one number or {n}, more than 0)")
    return found


def _optimised(subject: Subject, basis: Basis, box: Box, criterion: str, steps: int, seed: int) -> Series:
    """A local optimum from a random start, scaled joint by joint so that it fills its limits."""
    start = random_series(basis, box, seed)
    free = start.coefficients @ basis.free
    x = np.concatenate([start.middle, free.ravel()])
    last = log_condition if criterion == "condition" else information
    for measure, count in ((smooth_condition, max(1, steps // 4)), (last, steps)):
        target = partial(cost, subject, basis, box, measure)
        x = minimize(target, x, jac=True, method="L-BFGS-B", options={"maxiter": count}).x
    n = len(subject.variables)
    margin = 0.02 * (box.high - box.low)
    middle = np.clip(x[:n], box.low + margin, box.high - margin)
    return filled(Series(middle, x[n:].reshape(n, -1) @ basis.free.T, basis.duration), box)


def random_series(basis: Basis, box: Box, seed: int) -> Series:
    """A random motion that fills the limits."""
    rng = np.random.default_rng(seed)
    n = len(box.low)
    middle = box.low + (box.high - box.low) * rng.uniform(0.35, 0.65, n)
    c = rng.normal(size=(n, 2 * basis.harmonics - 2)) @ basis.free.T
    return filled(Series(middle, c / np.tile(np.arange(1, basis.harmonics + 1), 2), basis.duration), box)


def filled(series: Series, box: Box) -> Series:
    """The motion with the amplitude of each joint as large as its limits allow."""
    low, high, speed, acceleration = series.extremes()
    m = series.middle
    ratios = [
        (high - m) / (box.high - m),
        (m - low) / (m - box.low),
        speed / box.speed,
        acceleration / box.acceleration,
    ]
    worst = np.max(ratios, axis=0)
    return series.scaled(_SHRINK / np.where(worst > 0, worst, 1.0))


def _quality(subject: Subject, series: Series, criterion: str) -> float:
    t = np.linspace(0, series.duration, 400, endpoint=False)
    W = subject.evaluate(*series.at(t)).reshape(-1, len(subject.columns))
    return (log_condition if criterion == "condition" else information)(W)[0]


def _slowed(subject: Subject, series: Series, effort: ArrayLike) -> Series:
    """The same motion in a longer time, until the torques are within their limits."""
    limits = _each("effort", effort, len(subject.motors))
    torques = model("inverse_dynamics", subject.given).compile()
    for k in range(60):
        slow = replace(series, duration=series.duration * 1.05**k)
        t = np.linspace(0, slow.duration, 2000)
        if (np.abs(torques(*slow.at(t))).max(axis=0) <= limits).all():
            return slow
    raise MotionError("effort: no slower motion keeps these limits: gravity alone, or friction, needs more")
