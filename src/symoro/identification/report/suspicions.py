"""What a fit says of its data: delays, constant torques, outliers, other signs and units, and other readings of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, pi
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from symoro.errors import CannotClose
from symoro.findings import Finding
from symoro.identification.arrays import Array, letters_of
from symoro.identification.estimate.estimate import Errors, Estimate, divisors, robust_scale, solved
from symoro.identification.estimate.regression import Regression
from symoro.identification.process.checks import cause_is_known, positions_are_wrong
from symoro.identification.process.processing import Moved, Processing, moved
from symoro.identification.process.signals import low_pass
from symoro.identification.read.runs import Run
from symoro.identification.regress.rows import RegressionRows, RowBlock, TriangularFactors
from symoro.identification.regress.terms import Terms
from symoro.identification.subject.subject import Subject, expected_values
from symoro.lazy import lazy

# What a column that the model lacks would be worth, one for each joint: its factor, and the residual that it takes.


@dataclass(frozen=True)
class Added:
    """The factor of the column of a joint with its standard deviation."""

    value: float
    sigma: float
    explained: float
    """The part of the squared residuals of the joint that goes with all added columns."""


def added(rows: RegressionRows, estimate: Estimate, columns: Sequence[Array]) -> dict[str, Added]:
    """The factors of a column for each joint, found together with the parameters; none where it cannot be told.

    `columns` has an array for each block of rows; rows in which it is 0 are left out.
    """
    parts = _regression(rows, estimate, columns)
    p, joints = len(rows.names), len(rows.joints)
    at = solved(np.asarray(np.linalg.qr(np.concatenate([np.zeros((p + joints + 1,) * 2), *parts]), mode="r")))
    sigma = np.sqrt(np.diag(at.covariance(at.inverse / rows.power)))[p:]
    factors = {}
    for j, name in enumerate(rows.joints):
        if np.isfinite(sigma[j]):
            mine = [part for part, block in zip(parts, rows.blocks, strict=True) if block.joint == j]
            factors[name] = Added(float(at.beta[p + j]), float(sigma[j]), _explained(mine, estimate.beta, at.beta))
    return factors


def _regression(rows: RegressionRows, estimate: Estimate, columns: Sequence[Array]) -> list[Array]:
    """[W, a column for each joint, y] of each block, divided by the deviation of its joint."""
    p, sigma = len(rows.names), divisors(estimate.deviations)
    parts = []
    for block, column in zip(rows.blocks, columns, strict=True):
        kept = column != 0.0
        full = np.zeros((int(kept.sum()), p + len(rows.joints) + 1))
        full[:, block.columns] = block.W[kept]
        full[:, p + block.joint], full[:, -1] = column[kept], block.y[kept]
        parts.append(full / sigma[block.joint])
    return parts


def _explained(parts: Sequence[Array], before: Array, behind: Array) -> float:
    more = np.zeros(len(behind) - len(before))
    old, new = (
        sum(float(np.sum((part @ x) ** 2)) for part in parts)
        for x in (np.concatenate([before, more, [-1.0]]), np.append(behind, -1.0))
    )
    return 1 - new / old if old else 0.0


# Torques with a constant part that the model lacks: sensors and amplifiers that are not set to zero.


_SURE = 5.0
"""Deviations of a constant part that is worth a warning."""
_EXPLAINED = 0.5
"""Least part of the residual that goes with it."""


def constants(rows: RegressionRows, estimate: Estimate, motors: Collection[str]) -> Iterator[Finding]:
    """A warning for each motor whose residual is a constant torque for the most part."""
    parts = added(rows, estimate, [np.ones(len(block.y)) for block in rows.blocks])
    for name, part in parts.items():
        if name in motors and abs(part.value) > _SURE * part.sigma and part.explained > _EXPLAINED:
            yield Finding("estimates.constant_part", joint=name, value=part.value)


# The delay between each torque and the motion, from the residuals of a fit.
#
# A torque that is δ earlier than the motion is y = W β + δ d/dt(W β) to first order: β and the δ of all joints are
# found together.


@dataclass(frozen=True)
class Delay:
    """How much earlier a torque is than the motion that it belongs to, in seconds, with its standard deviation."""

    value: float
    sigma: float
    explained: float = 0.0
    """The part of the residual that goes with it: that of a model that lacks something else stays."""


def delays(rows: RegressionRows, estimate: Estimate, how: Processing) -> dict[str, Delay]:
    """The delay of each joint's torque, as the option `delay` takes it; none where it cannot be told."""
    parts = added(rows, estimate, [_slope(block, estimate.beta) for block in rows.blocks])
    measured = {block.joint for block in rows.blocks if block.y.any()}  # rows of springs have no torque
    return {
        name: Delay(parts[name].value + how.delay_of(j), parts[name].sigma, parts[name].explained)
        for j, name in enumerate(rows.joints)
        if j in measured and name in parts
    }


def _slope(block: RowBlock, beta: Array) -> Array:
    """d/dt(W β), 0 beside gaps."""
    y = block.W @ beta[block.columns]
    if len(y) < 3:
        return np.zeros_like(y)
    step = np.diff(block.t)
    usual = step <= 1.5 * np.median(step)
    whole = np.concatenate([[False], usual]) & np.concatenate([usual, [False]])
    return np.where(whole, np.gradient(y, block.t), 0.0)


def late(delays_of: dict[str, Delay], how: Processing, joints: tuple[str, ...], period: float) -> Iterator[Finding]:
    """Warnings about torques that are more than a sample earlier or later than the processing takes them."""
    for j, name in enumerate(joints):
        if name in delays_of:
            rest = delays_of[name].value - how.delay_of(j)
            if abs(rest) > max(period, _SURE * delays_of[name].sigma) and delays_of[name].explained > _EXPLAINED:
                code = "estimates.torque_earlier" if rest > 0 else "estimates.torque_later"
                yield Finding(code, joint=name, delay=1e3 * abs(rest), samples=abs(rest) / period)


# Rows far from the model: spikes of torques, which least squares takes as seriously as all other rows.


_FAR = 5.0
"""Residual over its robust deviation, of a row far from the model: one of 1.7 million with normal noise."""
_HEAVY = 1.5
"""Deviation of all residuals over the robust one, from which on such rows decide the deviation."""
_MATTERS = 1e-3
"""Residual over the torques, below which nothing is said."""


def outliers(rows: RegressionRows, beta: Array) -> Iterator[Finding]:
    """A warning for each joint whose residuals have far more large values than normal noise.

    Rows of a joint without a motor have no measured torque, and so no spikes.
    """
    for k, name in enumerate(rows.joints):
        mine = [block for block in rows.blocks if block.joint == k and len(block.y)]
        if not mine:
            continue
        e = np.concatenate([block.y - block.W @ beta[block.columns] for block in mine])
        t, y = (np.concatenate([getattr(block, channel) for block in mine]) for channel in ("t", "y"))
        far = np.abs(e) > _FAR * robust_scale(e)
        deviation, size = (float(np.sqrt(np.mean(x**2))) for x in (e, y))
        if size and far.any() and deviation > max(_HEAVY * robust_scale(e), _MATTERS * size):
            first = float(t[far][0])
            yield Finding("estimates.outliers", far=int(far.sum()), rows=len(e), joint=name, t=first)


# What a fit says about the measurements: torques of the other sign or unit, columns that belong to another joint.


_UNEXPLAINED = 0.5
"""Relative error of a joint that the model does not explain."""
_CORRELATED = 0.99
_SIZE = 30.0
"""Torques over those of the description: a larger ratio is probably one of units."""
_OPPOSITE = 0.7
"""Correlation with the torques of the description, as a negative number, from which on the sign is wrong."""
_ALIKE = 0.25
"""Relative difference of ratios that are taken as equal."""
_TIMES = 2.0
"""Inertias over those of the description, from which on the rate is suspected."""


def suspicions(
    t: TriangularFactors, estimate: Estimate, fit: Errors, described: Mapping[str, float], rate: float | None
) -> Iterator[Finding]:
    """Warnings, the most serious first; `rate` is judged where it is given."""
    yield from _signs(t, estimate)
    yield from _sizes(t, described)
    if rate is not None and fit.total < _UNEXPLAINED:
        yield from _rates(estimate, described, rate)
    for name, error in fit.joints.items():
        if error > _UNEXPLAINED and np.isfinite(error):
            yield Finding("estimates.unexplained", joint=name, percent=100 * error)


def unidentifiable(estimate: Estimate) -> Iterator[Finding]:
    """Warnings about parameters that the motion does not show, or does not tell apart."""
    for group in estimate.confused:
        if len(group) == 1:
            yield Finding("estimates.no_effect", name=group[0])
        else:
            many = len(group) > 5
            first_ones = Finding("estimates.and_others", names=group[:4], more=len(group) - 4)
            yield Finding("estimates.together", names=first_ones if many else group, first=group[0])
    yield from _correlated(estimate)


def _signs(t: TriangularFactors, estimate: Estimate) -> Iterator[Finding]:
    """Friction that drives a joint: the torque, or the position, has the other sign."""
    value = dict(zip(estimate.names, estimate.beta, strict=True))
    sigma = dict(zip(estimate.names, estimate.sigma, strict=True))
    for k, joint in enumerate(t.joints):
        friction = [n for n in estimate.names if letters_of(n) in ("FV", "FS", "FVP", "FVN", "FSP", "FSN")]
        mine = [
            n
            for n in friction
            if any(j == k and estimate.names.index(n) in part.columns for (_, j), part in t.parts.items())
        ]
        if mine and all(value[n] < -_SURE * sigma[n] for n in mine):
            yield Finding("estimates.negative_friction", joint=joint, names=mine)


def _sizes(t: TriangularFactors, described: Mapping[str, float]) -> Iterator[Finding]:
    """Torques that are far larger or smaller than those of the description's parameters, or of the other sign."""
    if not described or not all(np.isfinite(x) for x in described.values()):
        return
    beta = np.array([described.get(name, 0.0) for name in t.names])
    for k, joint in enumerate(t.joints):
        parts = [part for (_, j), part in t.parts.items() if j == k]
        model = [part.R[:, :-1] @ beta[part.columns] for part in parts]
        expected = np.sqrt(sum(float(x @ x) for x in model))
        measured = np.sqrt(sum(part.left for part in parts))
        common = sum(float(x @ part.R[:, -1]) for x, part in zip(model, parts, strict=True))
        if common < -_OPPOSITE * expected * measured:
            yield Finding("estimates.other_sign", joint=joint)
        ratio = measured / expected if expected else 1.0
        if measured and not 1 / _SIZE < ratio < _SIZE:
            code = "estimates.too_large" if ratio > 1 else "estimates.too_small"
            yield Finding(code, joint=joint, ratio=float(ratio), units="units={'tau': factor}")


def _rates(estimate: Estimate, described: Mapping[str, float], rate: float) -> Iterator[Finding]:
    """Inertias that are all as many times those of the description, while first moments agree: the time is wrong.

    A time that is s times too long makes accelerations s² times too small, and inertias as much too large.
    """
    inertias = _ratios(estimate, described, ("XX", "YY", "ZZ", "IA"))
    moments = _ratios(estimate, described, ("MX", "MY", "MZ", "M"))
    if not len(inertias) or (middle := float(np.median(inertias))) <= 0:
        return
    alike = np.mean(np.abs(inertias / middle - 1) < _ALIKE) > 0.5
    weighs = not len(moments) or abs(float(np.median(moments)) - 1) < _ALIKE
    if alike and weighs and not 1 / _TIMES < middle < _TIMES:
        yield Finding("estimates.inertias", ratio=middle, rate=rate, other=float(rate * np.sqrt(middle)))


def _ratios(estimate: Estimate, described: Mapping[str, float], letters: tuple[str, ...]) -> Array:
    """Parameters over those of the description, where the data tell them well."""
    chosen = [
        value / described[name]
        for name, value, sigma in zip(estimate.names, estimate.beta, estimate.sigma, strict=True)
        if described.get(name)
        and name not in estimate.regrouped
        and sigma < _ALIKE * abs(value)
        and letters_of(name).rstrip("RP") in letters  # R: regrouped, P: of the platform
    ]
    return np.array(chosen)


def _correlated(estimate: Estimate) -> Iterator[Finding]:
    """Pairs of parameters whose errors nearly determine each other."""
    C = correlations(estimate)
    pairs = [(abs(C[i, k]), i, k) for i in range(len(C)) for k in range(i) if _CORRELATED < abs(C[i, k]) < 1.5]
    for r, i, k in sorted(pairs, reverse=True)[:5]:
        yield Finding("estimates.correlated", first=estimate.names[k], second=estimate.names[i], correlation=float(r))


def correlations(estimate: Estimate) -> Array:
    """The correlations of the errors of all parameters; 0 where one cannot be found."""
    sigma = np.where(np.isfinite(estimate.sigma), estimate.sigma, 0.0)
    C = np.where(np.isfinite(estimate.covariance), estimate.covariance, 0.0)
    scale = np.outer(sigma, sigma)
    return np.asarray(np.divide(C, scale, out=np.zeros_like(C), where=scale > 0))


# Other ways to read the measurements: what would explain them better than the way they were given.
#
# Each reading changes one thing: two columns are exchanged, a sign, a unit, or the rate. Along some samples parameters
# are fitted again. A reading is named where it fits far better, or where the robot's description explains it far
# better. What fits as well and has no description to compare with cannot be told.


_SAMPLES = 400
"""Samples on which readings are compared."""
MOST_MOTORS = 12
"""Robots with more motors have too many readings."""
_CERTAIN, _NEAR = 0.02, 0.1
"""Errors of the fit, and of the description, up to which nothing is suspected."""
_FITS, _AGREES = 0.75, 0.5
"""Errors of the fit, and of the description, over those of the data as it was given, of a reading that is named."""
_NO_EXPLANATION = 0.35
"""Error of the fit above which a reading is no explanation."""
_AS_GOOD = 1.2
"""Score over the least one of a usual factor of the rate that is taken."""
_APART = 1.3
"""Error over the least one, of readings that cannot be told apart."""
RATES = (1e-3, 1e-2, 0.1, 0.2, 0.25, 0.4, 0.5, 2 / 3, 0.8, 1.25, 1.5, 2.0, 2.5, 4.0, 5.0, 10.0, 100.0, 1e3)
"""True rates over the given one that are tried."""
_BAND = 0.4
"""Cut-off frequency of torques over the decimated rate."""
_SETTLED = 4.0
"""Periods of the cut-off frequency that are left out at each end of a run."""
_ARRAYS = ("t", "q", "qd", "qdd", "torques", "speeds")


_ROUGH = ("FR", "FRP", "FRN", "FC", "FST", "BST")
"""Columns of friction that are no polynomials of second degree in the speed."""


@dataclass(frozen=True)
class Sampled:
    """Samples of all runs, and the columns of the regression for them.

    What a reading leaves of the torques follows from triangular factors: R of [W y], from which β and the residual
    follow, has as many rows as columns, whatever the number of samples.
    """

    terms: Terms
    names: tuple[str, ...]
    motion: Moved
    slowest: Array
    """The speed of each row below which its samples do not count."""
    described: dict[str, float] = field(default_factory=dict)
    """Inertial parameters of the description, where it has numbers."""

    @classmethod
    def of(cls, regression: Regression) -> Sampled:
        terms, how, subject = regression.terms, regression.how, regression.subject
        rows = len(subject.row_names)
        motions = [moved(subject, run, _in_band(how, run)) for run in regression.runs]
        most = _SAMPLES // 4 if subject.robot.cuts else _SAMPLES  # loops are closed again for each reading
        step = max(1, sum(motion.count for motion in motions) // most)
        parts = [_some(motion, how.decimation or 1, step) for motion in motions]
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        base = {name: np.concatenate([part.base[name] for part in parts]) for name in parts[0].base}
        slowest = np.array([how.dead_zone_of(k, rows) for k in range(rows)])
        motion = Moved(**arrays, base=base, period=motions[0].period)
        return cls(terms, regression.triangles.names, motion, slowest, expected_values(subject))

    @lazy
    def _places(self) -> list[int]:
        """The columns: those that are always fitted, then those that the description has numbers for."""
        names = [n for n in self.names if n not in self.described] + [n for n in self.names if n in self.described]
        return [self.terms.names.index(name) for name in names]

    @lazy
    def _known(self) -> Array:
        """The numbers of the description for the last columns."""
        return np.array([self.described[name] for name in self.names if name in self.described])

    @lazy
    def _kept(self) -> Array:
        return np.abs(self.motion.speeds) >= self.slowest

    def _columns(self, motion: Moved) -> Array:
        return self.terms.evaluate(motion, slice(None))[:, :, self._places]

    def errors(self, motion: Moved) -> Left:
        """What a reading leaves of the torques; rows count alike."""
        size = np.sqrt(np.mean(motion.torques**2, axis=0))
        kept = self._kept & (size > 0)
        scale = np.where(size > 0, size, 1.0)
        W, y = (self._columns(motion) / scale[:, None])[kept], (motion.torques / scale)[kept]
        return self._left(_factor(np.column_stack([W, y])), len(y))

    def _left(self, R: Array | None, count: int) -> Left:
        """‖y − W β‖ / √n for the best β, and for the description with the other columns fitted, from R of [W y]."""
        if R is None:
            return Left(np.inf, np.inf)
        others, root = len(self._places) - len(self._known), np.sqrt(max(count, 1))
        fit = float(np.linalg.norm(R[len(self._places) :, -1]))
        near = float(np.linalg.norm(R[others:, -1] - R[others:, others:-1] @ self._known))
        return Left(fit / root, near / root if len(self._known) else np.inf)

    # readings that change torques alone, by the factor of each row with all torques behind its columns

    @lazy
    def _torque_factors(self) -> tuple[list[Array | None], Array]:
        """R of [W torques] for each row of the regressor, and the number of samples of each."""
        W, torques = self._columns(self.motion), self.motion.torques
        rows = enumerate(self._kept.T)
        factors = [_factor(np.column_stack([W[kept, row], torques[kept]])) for row, kept in rows]
        return factors, self._kept.sum(axis=0)

    def torque_errors(self, changes: Changes) -> Left:
        """What is left where torques of motors are those of other motors, times a factor."""
        factors, counts = self._torque_factors
        rows, p = self.terms.subject.motor_rows, len(self._places)
        meant = {row: (row, 1.0) for row in range(len(factors))}
        meant |= {rows[k]: (rows[source], factor) for k, (source, factor) in changes.items()}
        sizes = np.sqrt(np.mean(self.motion.torques**2, axis=0))
        parts, count = [], 0
        for row, (source, factor) in meant.items():
            R, size = factors[row], abs(factor) * sizes[source]
            if R is None:
                return Left(np.inf, np.inf)
            if size > 0:
                parts.append(np.column_stack([R[:, :p], factor * R[:, p + source]]) / size)
                count += int(counts[row])
        return self._left(_factor(np.concatenate(parts)), count)

    # other rates: the rows are polynomials of second degree in the factor of the rate

    @lazy
    def _rate_factor(self) -> tuple[Array | None, int]:
        """R of [W0 W1 W2 y] with the rows W0 + f W1 + f² W2 for f times the rate, and the number of rows."""
        half, one, two = (self._columns(faster(self.motion, f)) for f in (0.5, 1.0, 2.0))
        W2 = (4 * half - 6 * one + 2 * two) / 3  # divided differences at 1/2, 1 and 2
        W1 = 2 * (one - half) - 1.5 * W2
        W0 = one - W1 - W2
        size = np.sqrt(np.mean(self.motion.torques**2, axis=0))
        kept, scale = self._kept & (size > 0), np.where(size > 0, size, 1.0)
        y = (self.motion.torques / scale)[kept]
        every = [(W / scale[:, None])[kept] for W in (W0, W1, W2)]
        return _factor(np.column_stack([*every, y])), len(y)

    def rate_errors(self, factor: float) -> Left:
        """What is left at another rate."""
        if any(letters_of(name) in _ROUGH for name in self.names):
            return self.errors(faster(self.motion, factor))
        R, count = self._rate_factor
        if R is None:
            return Left(np.inf, np.inf)
        p = len(self._places)
        W = R[:, :p] + factor * R[:, p : 2 * p] + factor**2 * R[:, 2 * p : 3 * p]
        return self._left(_factor(np.column_stack([W, R[:, -1]])), count)


class Left(NamedTuple):
    """Relative errors of the fit, and of the description with friction fitted."""

    fit: float
    near: float


def _factor(rows: Array) -> Array | None:
    """R of rows; None where one is not finite."""
    return np.asarray(np.linalg.qr(rows, mode="r")) if np.isfinite(rows).all() else None


def _in_band(how: Processing, run: Run) -> Processing:
    """The processing with positions in the band of the decimated torques: their noise is no reason for other rates."""
    if (how.decimation or 1) == 1:
        return how
    band = _BAND / ((how.decimation or 1) * run.period)
    cutoff = band if how.cutoff is None else min(band, how.cutoff)
    return replace(
        how, cutoff=cutoff, border=max(how.border, min(ceil(_SETTLED / (cutoff * run.period)), run.count // 10))
    )


def _some(motion: Moved, factor: int, step: int) -> Moved:
    """Some samples of a motion; torques are those below the band of the decimation, positions have been filtered."""
    band = _BAND / (factor * motion.period) if factor > 1 else None
    whole = replace(motion, torques=low_pass(motion.torques, motion.period, band))
    base = {name: x[::step] for name, x in motion.base.items()}
    return replace(whole, **{name: getattr(whole, name)[::step] for name in _ARRAYS}, base=base)


Changes = dict[int, tuple[int, float]]
"""Motor: the motor whose column is meant, and a factor."""


@dataclass(frozen=True)
class OtherReading:
    """What would be wrong with the data: other torques, or the motion that was meant."""

    finding: Finding
    torques: Changes | None = None
    motion: Callable[[Moved], Moved] | None = None

    def left(self, of: Sampled) -> Left:
        """What it leaves of the torques."""
        if self.motion is not None:
            return of.errors(self.motion(of.motion))
        if "FL" in map(letters_of, of.names):  # friction by the torques, which change
            return of.errors(_with_torques(of, self.torques or {}))
        return of.torque_errors(self.torques or {})


def readings(subject: Subject) -> Iterator[OtherReading]:
    """Every reading of a robot's measurements that changes one thing; those of all joints are the most plausible."""
    motors = [joint.label for joint in subject.motors]
    if len(motors) > 1:
        yield from _of_all(subject)
    for k, (name, joint) in enumerate(zip(motors, subject.motors, strict=True)):
        yield OtherReading(Finding("estimates.torque_sign", joint=name), {k: (k, -1.0)})
        yield OtherReading(Finding("estimates.torque_unit", joint=name), {k: (k, 1e-3)})
        if not subject.springs:  # both sides of a spring are compared when they are read
            for code, factor in _SIGN + (_UNITS if joint.revolute else _LENGTHS):
                yield OtherReading(Finding(code, joint=name), motion=_positions(subject, {k: (k, factor)}))
    for a, b in combinations(range(len(motors)), 2):
        first, second, swapped = motors[a], motors[b], {a: (b, 1.0), b: (a, 1.0)}
        yield OtherReading(Finding("estimates.torques_exchanged", first=first, second=second), swapped)
        if not subject.springs:
            finding = Finding("estimates.positions_exchanged", first=first, second=second)
            yield OtherReading(finding, motion=_positions(subject, swapped))


_SIGN = (("estimates.position_sign", -1.0),)
_SMALL = ("estimates.position_too_small", 1e3)
_UNITS = (("estimates.position_in_degrees", pi / 180), ("estimates.position_in_radians", 180 / pi), _SMALL)
_LENGTHS = (("estimates.position_in_millimetres", 1e-3), _SMALL)


def _of_all(subject: Subject) -> Iterator[OtherReading]:
    """Readings that change all joints alike."""
    opposite: Changes = {k: (k, -1.0) for k in range(len(subject.motors))}
    yield OtherReading(Finding("estimates.all_torques_sign"), opposite)
    if subject.springs:
        yield OtherReading(Finding("estimates.all_positions_sign"), motion=_mirrored)
        return
    yield OtherReading(Finding("estimates.all_positions_sign"), motion=_positions(subject, opposite))
    turning = {k: (k, pi / 180) for k, joint in enumerate(subject.motors) if joint.revolute}
    if len(turning) > 1:
        yield OtherReading(Finding("estimates.all_in_degrees"), motion=_positions(subject, turning))


def _mirrored(motion: Moved) -> Moved:
    return replace(motion, q=-motion.q, qd=-motion.qd, qdd=-motion.qdd)


def _positions(subject: Subject, changes: Changes) -> Callable[[Moved], Moved]:
    """The motion with other positions of motors; passive joints of loops follow."""
    at = [subject.variables.index(joint) for joint in subject.motors]
    moving = [subject.moving.index(joint) for joint in subject.motors]

    def meant(motion: Moved) -> Moved:
        q, qd, qdd = _changed(motion.q, at, changes), *(_changed(x, moving, changes) for x in (motion.qd, motion.qdd))
        if subject.robot.cuts:
            from symoro.identification.subject.branch import LoopBranch
            from symoro.identification.subject.paths import scattered

            q = scattered(LoopBranch(subject), _assembled(subject, q[0, at], motion.q[0]), q[:, at])
        return replace(motion, q=q, qd=qd, qdd=qdd)

    return meant


def _assembled(subject: Subject, qa: Array, other: Array) -> Array:
    """All positions for those of the motors, on the branch that is taken when they are read; `other` where none is."""
    from symoro.solve.loops import loop_geometry

    try:
        return np.asarray(loop_geometry(subject.robot).compile()(qa))
    except CannotClose:
        return other


def _with_torques(of: Sampled, changes: Changes) -> Moved:
    return replace(of.motion, torques=_changed(of.motion.torques, of.terms.subject.motor_rows, changes))


def _changed(x: Array, places: Sequence[int], changes: Changes) -> Array:
    changed = x.copy()
    for k, (source, factor) in changes.items():
        changed[:, places[k]] = factor * x[:, places[source]]
    return changed


def faster(motion: Moved, factor: float) -> Moved:
    """The motion at another rate."""
    return replace(motion, qd=factor * motion.qd, qdd=factor**2 * motion.qdd, speeds=factor * motion.speeds)


@dataclass(frozen=True)
class _Judged:
    """A reading with the error that it leaves, and its errors over those of the data as they are."""

    finding: Finding
    left: float
    fit: float
    near: float

    @classmethod
    def of(cls, finding: Finding, left: Left, as_recorded: Left) -> _Judged:
        return cls(finding, left.fit, left.fit / as_recorded.fit, left.near / as_recorded.near)

    @property
    def score(self) -> float:
        return self.fit * self.near if np.isfinite(self.near) else self.fit

    @property
    def agrees(self) -> bool:
        """Whether the description explains a reading far better, and the reading fits about as well."""
        return self.near < _AGREES and self.fit < 1 / _FITS


def misread(regression: Regression) -> Iterator[Finding]:
    """A warning where another way to read the data would explain it far better; none where the cause is known.

    Other rates are tried where the positions are not suspected. A reading that leaves a large error is no explanation.
    """
    subject = regression.subject
    known = cause_is_known((*regression.warnings, *regression.how.notes))
    if not regression.runs or known or subject.coordinates.followers or len(subject.motors) > MOST_MOTORS:
        return
    sampled = Sampled.of(regression)
    as_recorded = sampled.errors(sampled.motion)
    fit, near = as_recorded
    if fit < _CERTAIN and (near < _NEAR or not sampled.described):
        return
    judged = [_Judged.of(one.finding, one.left(sampled), as_recorded) for one in readings(subject)]
    if not (subject.has_free_base or positions_are_wrong(regression.warnings)):
        judged.append(_other_rate(sampled, as_recorded, regression.rate))
    explaining = [one for one in judged if one.left < _NO_EXPLANATION]
    good = [one for one in explaining if (fit > _CERTAIN and one.fit < _FITS) or (near > _NEAR and one.agrees)]
    best = min((one.score for one in good), default=0.0)
    named = [one.finding for one in sorted(good, key=lambda one: one.score) if one.score < _APART * best]
    if named:
        yield Finding("estimates.misread", reading=_either(named[:3]))


def _either(findings: Sequence[Finding]) -> Finding:
    """Findings of which one holds, as one."""
    if len(findings) == 1:
        return findings[0]
    return Finding("estimates.or", first=findings[0], second=_either(findings[1:]))


def _other_rate(of: Sampled, as_recorded: Left, rate: float) -> _Judged:
    """The rate that explains the data best: one of some factors, or one near the best factor that is clearly better."""

    def judged(factor: float) -> _Judged:
        finding = Finding("estimates.rate", rate=factor * rate, recorded=rate)
        return _Judged.of(finding, of.rate_errors(factor), as_recorded)

    best = min(RATES, key=lambda factor: judged(factor).score)
    ends = float(np.log(best)) - 0.3, float(np.log(best)) + 0.3
    near = minimize_scalar(lambda x: judged(float(np.exp(x))).score, bounds=ends, method="bounded")
    usual, other = judged(best), judged(float(np.exp(near.x)))
    return usual if usual.score < _AS_GOOD * other.score else other
