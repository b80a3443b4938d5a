"""Other ways to read the measurements: what would explain them better than the way they were given.

Each reading changes one thing: two columns are exchanged, a sign, a unit, or the rate. Along some samples parameters
are fitted again. A reading is named where it fits far better, or where the robot's description explains it far better.
What fits as well and has no description to compare with cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, pi

import numpy as np
from scipy.optimize import minimize_scalar

from symoro.errors import CannotClose
from symoro.identification.arrays import Array
from symoro.identification.process.filters import low_pass
from symoro.identification.process.processing import Moved, Processing, moved
from symoro.identification.read.runs import Run
from symoro.identification.regress.terms import Terms
from symoro.identification.subject.branch import LoopBranch
from symoro.identification.subject.paths import scattered
from symoro.identification.subject.subject import Subject
from symoro.solve.loops import loop_geometry

_SAMPLES = 400
"""Samples on which readings are compared."""
MOST_MOTORS = 12
"""Robots with more motors have too many readings."""
_CERTAIN, _NEAR = 0.02, 0.1
"""Errors of the fit, and of the description, up to which nothing is suspected."""
_FITS, _AGREES = 0.75, 0.5
"""Errors of the fit, and of the description, over those of the data as it was given, of a reading that is named."""
_EXPLAINED = 0.35
"""Error of the fit above which a reading is no explanation."""
_AS_GOOD = 1.2
"""Score over the least one of a usual factor of the rate that is taken."""
_ALIKE = 1.3
"""Error over the least one, of readings that cannot be told apart."""
RATES = (1e-3, 1e-2, 0.1, 0.2, 0.25, 0.4, 0.5, 2 / 3, 0.8, 1.25, 1.5, 2.0, 2.5, 4.0, 5.0, 10.0, 100.0, 1e3)
"""True rates over the given one that are tried."""
_BAND = 0.4
"""Cut-off frequency of torques over the decimated rate."""
_SETTLED = 4.0
"""Periods of the cut-off frequency that are left out at each end of a run."""
_ARRAYS = ("t", "q", "qd", "qdd", "torques", "speeds")


@dataclass(frozen=True)
class Sampled:
    """Samples of all runs, and the columns of the regression for them."""

    terms: Terms
    names: tuple[str, ...]
    motion: Moved
    slowest: Array
    """The speed of each row below which its samples do not count."""
    described: dict[str, float] = field(default_factory=dict)
    """Inertial parameters of the description, where it has numbers."""

    @classmethod
    def of(
        cls, terms: Terms, runs: Sequence[Run], how: Processing, names: Sequence[str], described: dict[str, float]
    ) -> Sampled:
        rows = len(terms.subject.row_names)
        motions = [moved(terms.subject, run, _in_band(how, run)) for run in runs]
        most = _SAMPLES // 4 if terms.subject.robot.cuts else _SAMPLES  # loops are closed again for each reading
        step = max(1, sum(motion.count for motion in motions) // most)
        parts = [_some(motion, how.decimation or 1, step) for motion in motions]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        base = {name: np.concatenate([part.base[name] for part in parts]) for name in parts[0].base}
        slowest = np.array([how.dead_zone_of(k, rows) for k in range(rows)])
        return cls(terms, tuple(names), Moved(**arrays, base=base, period=motions[0].period), slowest, described)

    def errors(self, motion: Moved) -> tuple[float, float]:
        """Relative errors of the fit, and of the description with friction fitted, for a reading; rows count alike."""
        places = [self.terms.names.index(name) for name in self.names]
        kept = np.abs(self.motion.speeds) >= self.slowest
        size = np.sqrt(np.mean(motion.torques**2, axis=0))
        kept &= size > 0
        y = (motion.torques / np.where(size > 0, size, 1.0))[kept]
        W = (self.terms.evaluate(motion, slice(None))[:, :, places] / np.where(size > 0, size, 1.0)[:, None])[kept]
        own = [k for k, name in enumerate(self.names) if name in self.described]
        others = [k for k in range(len(self.names)) if k not in own]
        known = np.array([self.described[self.names[k]] for k in own])
        return _left(W, y), _left(W[:, others], y - W[:, own] @ known) if own else np.inf


def _in_band(how: Processing, run: Run) -> Processing:
    """The processing with positions in the band of the decimated torques: their noise is no reason for other rates."""
    if (how.decimation or 1) == 1:
        return how
    band = _BAND / ((how.decimation or 1) * run.period)
    cutoff = band if how.cutoff is None else min(band, how.cutoff)
    return replace(
        how, cutoff=cutoff, border=max(how.border, min(ceil(_SETTLED / (cutoff * run.period)), run.count // 10))
    )


def _left(W: Array, y: Array) -> float:
    """‖y − W β‖ / √n for the best β."""
    if not np.isfinite(W).all() or not np.isfinite(y).all():
        return float("inf")
    scale = np.linalg.norm(W, axis=0)
    W = W / np.where(scale > 0, scale, 1.0)
    beta = np.linalg.lstsq(W, y, rcond=1e-9)[0] if W.shape[1] else np.zeros(0)
    return float(np.linalg.norm(y - W @ beta) / np.sqrt(max(len(y), 1)))


def _some(motion: Moved, factor: int, step: int) -> Moved:
    """Some samples of a motion; torques are those below the band of the decimation, positions have been filtered."""
    band = _BAND / (factor * motion.period) if factor > 1 else None
    whole = replace(motion, torques=low_pass(motion.torques, motion.period, band))
    base = {name: x[::step] for name, x in motion.base.items()}
    return replace(whole, **{name: getattr(whole, name)[::step] for name in _ARRAYS}, base=base)


Reading = tuple[str, Callable[[Moved], Moved]]
"""What would be wrong with the data, and the motion that was meant."""


def readings(subject: Subject) -> Iterator[Reading]:
    """Every reading of a robot's measurements that changes one thing; those of all joints are the most plausible."""
    motors = [joint.label for joint in subject.motors]
    if len(motors) > 1:
        yield from _of_all(subject)
    for k, (name, joint) in enumerate(zip(motors, subject.motors, strict=True)):
        yield f"torque of joint {name} has the other sign", _torques(subject, {k: (k, -1.0)})
        yield f"torque of joint {name} is 1000 times too large (mA, N·mm)", _torques(subject, {k: (k, 1e-3)})
        if not subject.springs:  # both sides of a spring are compared when they are read
            yield f"position of joint {name} has the other sign", _positions(subject, {k: (k, -1.0)})
            for text, factor in _UNITS if joint.revolute else _LENGTHS:
                yield f"position of joint {name} is {text}", _positions(subject, {k: (k, factor)})
    for a, b in combinations(range(len(motors)), 2):
        swapped = {a: (b, 1.0), b: (a, 1.0)}
        yield f"torques of joints {motors[a]} and {motors[b]} are exchanged", _torques(subject, swapped)
        if not subject.springs:
            yield f"positions of joints {motors[a]} and {motors[b]} are exchanged", _positions(subject, swapped)


_SMALL = ("1000 times too small", 1e3)
_UNITS = (("in degrees", pi / 180), ("in radians, not in degrees", 180 / pi), _SMALL)
_LENGTHS = (("in millimetres", 1e-3), _SMALL)


def _of_all(subject: Subject) -> Iterator[Reading]:
    """Readings that change all joints alike."""
    every = range(len(subject.motors))
    yield "all torques have the other sign", _torques(subject, {k: (k, -1.0) for k in every})
    if subject.springs:
        yield "all positions have the other sign", _mirrored
        return
    yield "all positions have the other sign", _positions(subject, {k: (k, -1.0) for k in every})
    turning = {k: (k, pi / 180) for k, joint in enumerate(subject.motors) if joint.revolute}
    if len(turning) > 1:
        yield "all positions are in degrees", _positions(subject, turning)


def _mirrored(motion: Moved) -> Moved:
    return replace(motion, q=-motion.q, qd=-motion.qd, qdd=-motion.qdd)


Changes = dict[int, tuple[int, float]]
"""Motor: the motor whose column is meant, and a factor."""


def _positions(subject: Subject, changes: Changes) -> Callable[[Moved], Moved]:
    """The motion with other positions of motors; passive joints of loops follow."""
    at = [subject.variables.index(joint) for joint in subject.motors]
    moving = [subject.moving.index(joint) for joint in subject.motors]

    def meant(motion: Moved) -> Moved:
        q, qd, qdd = _changed(motion.q, at, changes), *(_changed(x, moving, changes) for x in (motion.qd, motion.qdd))
        if subject.robot.cuts:
            q = scattered(LoopBranch(subject), _assembled(subject, q[0, at], motion.q[0]), q[:, at])
        return replace(motion, q=q, qd=qd, qdd=qdd)

    return meant


def _assembled(subject: Subject, qa: Array, other: Array) -> Array:
    """All positions for those of the motors, on the branch that is taken when they are read; `other` where none is."""
    try:
        return np.asarray(loop_geometry(subject.robot).compile()(qa))
    except CannotClose:
        return other


def _torques(subject: Subject, changes: Changes) -> Callable[[Moved], Moved]:
    return lambda motion: replace(motion, torques=_changed(motion.torques, subject.motor_rows, changes))


def _changed(x: Array, places: Sequence[int], changes: Changes) -> Array:
    found = x.copy()
    for k, (source, factor) in changes.items():
        found[:, places[k]] = factor * x[:, places[source]]
    return found


def faster(motion: Moved, factor: float) -> Moved:
    """The motion at another rate."""
    return replace(motion, qd=factor * motion.qd, qdd=factor**2 * motion.qdd, speeds=factor * motion.speeds)


@dataclass(frozen=True)
class _Judged:
    """A reading with the error that it leaves, and its errors over those of the data as it was given."""

    text: str
    left: float
    fit: float
    near: float

    @property
    def score(self) -> float:
        return self.fit * self.near if np.isfinite(self.near) else self.fit

    @property
    def agrees(self) -> bool:
        """Whether the description explains a reading far better, and the reading fits about as well."""
        return self.near < _AGREES and self.fit < 1 / _FITS


def misread(of: Sampled, rate: float | None) -> Iterator[str]:
    """A warning about the reading that explains the data far better than the way they were given.

    Other rates are tried where `rate` is given. A reading that leaves a large error is no explanation.
    """
    fit, near = of.errors(of.motion)
    if fit < _CERTAIN and (near < _NEAR or not of.described):
        return
    found = []
    for text, meant in readings(of.terms.subject):
        a, b = of.errors(meant(of.motion))
        found.append(_Judged(text, a, a / fit, b / near))
    found += [] if rate is None else [_other_rate(of, fit, near, rate)]
    found = [one for one in found if one.left < _EXPLAINED]
    good = [one for one in found if (fit > _CERTAIN and one.fit < _FITS) or (near > _NEAR and one.agrees)]
    best = min((one.score for one in good), default=0.0)
    if named := [one.text for one in sorted(good, key=lambda one: one.score) if one.score < _ALIKE * best]:
        yield f"{'; or '.join(named[:3])}: that would explain the data far better"


def _other_rate(of: Sampled, fit: float, near: float, rate: float) -> _Judged:
    """The rate that explains the data best: one of some factors, or one near the best factor that is clearly better."""

    def judged(factor: float) -> _Judged:
        a, b = of.errors(faster(of.motion, factor))
        return _Judged(f"the rate is about {factor * rate:.3g} Hz, not {rate:.6g} Hz", a, a / fit, b / near)

    best = min(RATES, key=lambda factor: judged(factor).score)
    ends = float(np.log(best)) - 0.3, float(np.log(best)) + 0.3
    found = minimize_scalar(lambda x: judged(float(np.exp(x))).score, bounds=ends, method="bounded")
    usual, other = judged(best), judged(float(np.exp(found.x)))
    return usual if usual.score < _AS_GOOD * other.score else other
