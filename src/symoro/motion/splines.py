"""Motions through points: splines without a stop, or a stop at each point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PPoly, make_interp_spline

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.motion.limits import JointLimits, inside
from symoro.motion.profiles import Array, limit_of_joint
from symoro.motion.trajectory import Motion, Path, Trajectory

DEGREES = {"cubic": 3, "quintic": 5}
"""The splines by the name of the profile: from rest to rest, the quintic one with acceleration 0 at both ends."""


@dataclass(frozen=True, slots=True)
class JointSpline:
    """A piecewise polynomial of each joint over the same times."""

    columns: tuple[PPoly, ...]

    @property
    def end(self) -> float:
        return float(self.columns[0].x[-1])

    def __call__(self, time: Array, order: int = 0) -> Array:
        return np.stack([column(time, order) for column in self.columns], axis=-1)

    def extremes(self, order: int) -> Array:
        """The values (2, joints) of a derivative, least and greatest: from the roots of the next derivative."""
        return np.array([_extremes(column, order) for column in self.columns]).T

    def most(self, order: int) -> Array:
        """The greatest magnitude of a derivative of each joint."""
        return np.asarray(np.abs(self.extremes(order)).max(axis=0))


def _extremes(column: PPoly, order: int) -> tuple[float, float]:
    curve = column.derivative(order) if order else column
    roots = curve.derivative().roots(discontinuity=False, extrapolate=False)
    jumps = np.nextafter(curve.x[1:], -np.inf)  # a derivative may jump at a point: both of its sides count
    values = curve(np.concatenate([curve.x, jumps, roots[np.isfinite(roots)]]))
    return float(values.min()), float(values.max())


def spline(points: Array, times: Array, degree: int) -> JointSpline:
    """Through points (points, joints) at rest at both ends."""
    if degree == 3:
        curve = CubicSpline(times, points, bc_type="clamped")
        return JointSpline(tuple(PPoly(curve.c[..., j], curve.x) for j in range(points.shape[1])))
    rest = [(1, 0.0), (2, 0.0)]
    columns = (make_interp_spline(times, points[:, j], k=5, bc_type=(rest, rest)) for j in range(points.shape[1]))
    return JointSpline(tuple(_without_empty_pieces(PPoly.from_spline(column)) for column in columns))


def _without_empty_pieces(pieces: PPoly) -> PPoly:
    kept = np.flatnonzero(np.diff(pieces.x) > 0)
    return PPoly(pieces.c[:, kept], np.append(pieces.x[kept], pieces.x[-1]))


def through(
    points: Array,
    degree: int,
    times: Array | None,
    duration: float | None,
    limits: Mapping[str, Array],
    known: JointLimits,
) -> Trajectory:
    """A spline through all points: at given times, in a given duration, or as fast as the limits allow.

    Without times, each part gets a share of the time by its distance. A change of the time scale does not change the
    curve, so that the shortest duration follows exactly from the greatest derivatives.
    """
    if degree == 3 and np.isfinite(limits["J"]).any():
        raise MotionError("trajectories.cubic_jerk")
    knots = _shares(points, limits["V"]) if times is None else times
    curve = spline(points, knots, degree)
    wanted = knots[-1] if times is not None else duration
    total = _duration(curve, wanted, limits, known.names)
    curve = spline(points, knots * (total / knots[-1]), degree)
    inside(Finding("motion.between_points"), curve.extremes(0), known)
    return of_spline(curve, known.names)


def _shares(points: Array, velocity: Array) -> Array:
    """Times of the points: between two of them, the time of the joint that needs the longest."""
    scale = np.where(np.isfinite(velocity), velocity, 1.0)
    steps = np.max(np.abs(np.diff(points, axis=0)) / scale, axis=1)
    if not steps.any():
        raise MotionError("trajectories.points_equal")
    if not steps.all():
        place = int(np.argmin(steps))
        raise MotionError("trajectories.two_points_equal", first=place, second=place + 1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _duration(curve: JointSpline, wanted: float | None, limits: Mapping[str, Array], joints: Sequence[str]) -> float:
    """The wanted duration where the limits allow it; the shortest one where none is wanted."""
    least = 0.0
    broken: Finding | None = None
    for order, letter in enumerate("VAJ", 1):
        factors = (curve.most(order) / limits[letter]) ** (1 / order)
        j = int(np.argmax(factors))
        if factors[j] * curve.end > least:
            least = factors[j] * curve.end
            broken = limit_of_joint(letter, limits[letter][j], joints[j])
    if wanted is None and not least:
        raise MotionError("trajectories.no_times")
    if wanted is not None and wanted < least * (1 - 1e-12):
        raise MotionError("trajectories.too_short", duration=wanted, least=least, limits=broken)
    return least if wanted is None else wanted


def in_sequence(parts: Sequence[Trajectory]) -> Trajectory:
    """Motions one after the other; each begins where the one before ends."""
    starts = np.concatenate([[0.0], np.cumsum([part.duration for part in parts])])
    ends = np.concatenate([[0.0], np.cumsum([part.path.end for part in parts])])

    def joined(pieces: Sequence[Callable[[Array], Motion]], begins: Array) -> Callable[[Array], Motion]:
        def motion(x: Array) -> Motion:
            which = np.clip(np.searchsorted(begins, x, side="right") - 1, 0, len(parts) - 1)
            motions = [np.array(piece(x - begin)) for piece, begin in zip(pieces, begins, strict=False)]
            return Motion(*np.take_along_axis(np.array(motions), which[None, None, ..., None], axis=0)[0])

        return motion

    motion = joined([part.__call__ for part in parts], starts)
    return Trajectory(
        parts[0].joints, float(starts[-1]), Path(joined([p.path.at for p in parts], ends), ends[-1]), motion
    )


def of_spline(curve: JointSpline, joints: Sequence[str]) -> Trajectory:
    """The motion of a spline whose parameter is the time."""

    def motion(time: Array) -> Motion:
        return Motion(curve(time), curve(time, 1), curve(time, 2))

    return Trajectory(tuple(joints), curve.end, Path(motion, curve.end), motion)
