"""`symoro.excite`: motions along which the parameters of a robot are seen best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from symoro.errors import MotionError
from symoro.identification.excitation_cost import AnyBasis, Box, cost, information, log_condition, smooth_condition
from symoro.identification.excitation_limits import Curves, box_of, each, filled, within, workspace_of
from symoro.identification.excited import Excited
from symoro.identification.fourier_motion import Basis
from symoro.identification.readers.columns import Array
from symoro.identification.spline_motion import SplineBasis
from symoro.identification.subject import Subject
from symoro.model import model
from symoro.motion.trajectory import Motion, Trajectory
from symoro.motion.trajectory import Path as Curve
from symoro.robot.robot import Robot

CRITERIA = ("condition", "information")
KINDS = ("fourier", "spline")
_SAMPLES = 40
"""Samples for each harmonic, or for two pieces of a spline."""


@dataclass(frozen=True)
class Excitation:
    """A periodic motion that excites the parameters of a robot; it starts and ends at rest."""

    excited: Excited = field(repr=False)
    series: Curves = field(repr=False)
    condition: float
    """Condition number of the regressor along the motion, without columns of friction."""

    @property
    def subject(self) -> Subject:
        return self.excited.subject

    @property
    def trajectory(self) -> Trajectory:
        """One period of the motion, as `symoro.simulate` takes it."""
        names = tuple(joint.name or str(joint.variable) for joint in self.excited.joints)
        series = self.series
        return Trajectory(names, series.duration, Curve(lambda s: Motion(*series.at(s)), series.duration), self._at)

    def _at(self, t: Array) -> Motion:
        return Motion(*self.series.at(t))

    @cached_property
    def sigma(self) -> dict[str, float]:
        """Expected σ of each base parameter for a period sampled at 100 Hz, with torque noise of 1 N·m or 1 N."""
        t = np.arange(0, self.series.duration, 0.01)
        W = self.excited.evaluate(*self.series.at(t)).reshape(-1, len(self.subject.columns))
        R = np.linalg.qr(W, mode="r")
        return dict(zip(self.subject.columns, np.linalg.norm(np.linalg.inv(R), axis=1).tolist(), strict=True))

    def to_csv(self, path: str | Path, rate: float = 1000.0, periods: int = 1) -> Path:
        """Write t, q, qd and qdd of one or several periods at a rate in Hz; the path."""
        if not (np.isfinite(rate) and rate > 0) or periods < 1:
            raise MotionError(f"rate = {rate} and periods = {periods}: allowed are more than 0, and 1 and more")
        t = np.arange(round(periods * self.series.duration * rate) + 1) / rate
        n = len(self.excited.joints)
        names = ["t", *(f"{what}{k}" for what in ("q", "qd_", "qdd_") for k in range(1, n + 1))]
        table = np.column_stack([t, *self.series.at(t)])
        np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
        return Path(path)

    def __str__(self) -> str:
        lines = [f"{self.series.duration:g} s, {self.series}, condition number {self.condition:.4g}"]
        lines += [f"{name:6} σ = {x:.3g}" for name, x in self.sigma.items()]
        return "\n".join(lines)


def excite(
    robot: Robot | str | Path,
    *,
    duration: float = 10.0,
    kind: str = "fourier",
    harmonics: int = 5,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    workspace: ArrayLike | None = None,
    tool: int | str | None = None,
    criterion: str = "condition",
    starts: int = 8,
    steps: int = 250,
    seed: int = 0,
) -> Excitation:
    """A periodic motion that minimises the condition number of the base regressor, or maximises information.

    It is a Fourier series of each motor, or a quintic spline with twice as many pieces as `harmonics` (kind="spline"),
    that starts and ends at rest, the best of several random starts. `position` are limits (motors, 2); those and
    `velocity` are the robot's where none are given. `acceleration` limits, one number or one for each motor, and all
    others hold exactly. With `effort` the motion is slowed down until the torques of the robot's own parameters are
    within their limits. `workspace` is a box in frame 0, (3, 2), which the origin of the frame `tool`, the last link
    where none is given, does not leave.
    """
    subject = Subject.of(robot, described_friction=False)
    excited = Excited(subject, workspace_of(subject, workspace, tool))
    _require_known("criterion", criterion, CRITERIA)
    _require_known("kind", kind, KINDS)
    for name, x, least in (("harmonics", harmonics, 2), ("starts", starts, 1), ("steps", steps, 1)):
        if not isinstance(x, int) or x < least:
            raise MotionError(f"{name} = {x!r} is not allowed (allowed: whole numbers from {least} on)")
    if not (np.isfinite(duration) and duration > 0):
        raise MotionError(f"duration = {duration!r} is not allowed (allowed: seconds, more than 0)")
    box = box_of(excited, position, velocity, acceleration)
    samples = _SAMPLES * harmonics
    basis = Basis(harmonics, duration, samples) if kind == "fourier" else SplineBasis(2 * harmonics, duration, samples)
    found = [_optimised(excited, basis, box, criterion, steps, seed + k) for k in range(starts)]
    best = min((one for one in found if one), key=lambda series: _quality(excited, series, criterion), default=None)
    if best is None:
        raise MotionError("no motion was found within these limits (allowed: more starts, a smaller position range)")
    best = _slowed(excited, best, effort) if effort is not None else best
    return Excitation(excited, best, float(np.exp(_quality(excited, best, "condition"))))


def _require_known(name: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise MotionError(f"{name} = {given!r} is not allowed (allowed: {', '.join(allowed)})")


def _optimised(excited: Excited, basis: AnyBasis, box: Box, criterion: str, steps: int, seed: int) -> Curves | None:
    """A local optimum from a random start, scaled so that it fills its limits; None where there is none."""
    start = _inside(excited, random_series(basis, box, seed), box, seed)
    if start is None:
        return None
    free = start.coefficients @ basis.free
    x = np.concatenate([start.middle, free.ravel()])
    last = log_condition if criterion == "condition" else information
    for measure, count in ((smooth_condition, max(1, steps // 4)), (last, steps)):
        target = partial(cost, excited, basis, box, measure)
        x = minimize(target, x, jac=True, method="L-BFGS-B", options={"maxiter": count}).x
    n = len(excited.joints)
    margin = 0.02 * (box.high - box.low)
    middle = np.clip(x[:n], box.low + margin, box.high - margin)
    found = filled(basis.motion(middle, x[n:].reshape(n, -1) @ basis.free.T), box)
    return within(excited, found) or start  # the optimum may lie outside of the workspace


def random_series(basis: AnyBasis, box: Box, seed: int) -> Curves:
    """A random motion that fills the limits."""
    rng = np.random.default_rng(seed)
    n = len(box.low)
    middle = box.low + (box.high - box.low) * rng.uniform(0.35, 0.65, n)
    return filled(basis.motion(middle, basis.random(rng, n)), box)


def _inside(excited: Excited, series: Curves, box: Box, seed: int) -> Curves | None:
    """The motion about a configuration whose point is inside the workspace, of many random ones the most central."""
    if excited.workspace is None:
        return series
    rng, space = np.random.default_rng(seed), excited.workspace
    q = box.low + (box.high - box.low) * rng.uniform(0.1, 0.9, (20_000, len(box.low)))
    away = np.abs(excited.points(q) - (space.low + space.high) / 2) / (space.high - space.low)
    best = int(np.argmin(away.max(axis=1)))
    if away[best].max() >= 0.5:
        return None
    return within(excited, filled(replace(series, middle=q[best]), box))


def _quality(excited: Excited, series: Curves, criterion: str) -> float:
    t = np.linspace(0, series.duration, 400, endpoint=False)
    W = excited.evaluate(*series.at(t)).reshape(-1, len(excited.subject.columns))
    return (log_condition if criterion == "condition" else information)(W)[0]


def _slowed(excited: Excited, series: Curves, effort: ArrayLike) -> Curves:
    """The same motion in a longer time, until the torques are within their limits."""
    limits = each("effort", effort, len(excited.joints))
    torques = model("inverse_dynamics", excited.subject.given).compile()
    for k in range(60):
        slow = replace(series, duration=series.duration * 1.05**k)
        t = np.linspace(0, slow.duration, 2000)
        if (np.abs(torques(*slow.at(t))).max(axis=0) <= limits).all():
            return slow
    raise MotionError("effort: no slower motion keeps these limits: gravity alone, or friction, needs more")
