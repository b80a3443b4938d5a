"""What a fit says about the measurements: missing columns, delays, outliers, signs, units, exchanged channels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.findings import Finding
from symoro.identification.arrays import Array, letters_of
from symoro.identification.estimate.estimate import Errors, Estimate, divisors, robust_scale, solved
from symoro.identification.process.processing import Processing
from symoro.identification.regress.rows import RegressionRows, RowBlock, TriangularFactors

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
        and name.rstrip("P0123456789_R") in letters
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
