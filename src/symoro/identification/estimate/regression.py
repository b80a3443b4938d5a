"""From measurements to a regression: a prior, a payload, columns, rows, the law of friction that the data chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.findings import Finding
from symoro.identification.arrays import Array
from symoro.identification.estimate.estimate import cross_validated, errors, independent_columns, weighted
from symoro.identification.process.measurements import Measurements
from symoro.identification.process.processing import (
    AUTO,
    Processing,
    found_delay,
    long_runs,
    processing,
    speeds,
)
from symoro.identification.read.runs import Run
from symoro.identification.regress.rows import (
    DataPieces,
    Key,
    RegressionRows,
    Triangle,
    TriangularFactors,
    rows_of,
    triangles_of,
)
from symoro.identification.regress.terms import (
    FrictionLaw,
    StribeckCurve,
    Terms,
    candidates,
    chosen_names,
    full_name,
    is_dry,
    law,
    term_names,
)
from symoro.identification.subject.subject import Subject, described, is_described, keys

# What the description of a robot says beforehand, as rows of the regression: a Bayesian prior from CAD values.


_FLOOR = 0.05
"""Least deviation of a parameter, as a part of the largest one of its kind in the robot."""


def prior_rows(subject: Subject, names: Sequence[str], relative: float) -> Array:
    """Rows [W y] of deviation 1: the standard parameters are normal about the description's, σ a part of each.

    β = K π has the covariance K S Kᵀ; with its Cholesky factor L the rows are L⁻¹ β = L⁻¹ K π⁰.
    """
    if not is_described(subject):
        raise OptionError("estimates.prior_not_described", robot=subject.robot.name)
    pi, letters = described(subject), [key[0] for key in keys(subject)]
    largest = {kind: max(abs(x) for x, k in zip(pi, letters, strict=True) if k == kind) for kind in set(letters)}
    inertia = max((x for kind, x in largest.items() if len(kind) == 2 and kind[0] in "XYZ"), default=1.0)
    floor = np.array([_FLOOR * (largest[kind] or inertia) for kind in letters])
    sigma = relative * np.maximum(np.abs(pi), floor)
    K = subject.matrix
    L = np.linalg.cholesky((K * sigma**2) @ K.T)
    rows = np.zeros((len(K), len(names) + 1))
    places = [names.index(name) for name in subject.inertial]
    rows[:, places] = np.linalg.inv(L)
    rows[:, -1] = np.linalg.solve(L, K @ pi)
    return rows


# The parameters of a payload alone: those of the robot are known, and only a link has changed (Khalil 2007).


ORDER = ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ", "XY", "XZ", "YZ")
"""The parameters of a body, those that are told apart best first."""


def payload_columns(subject: Subject, t: TriangularFactors, link: int, known: dict[str, float]) -> TriangularFactors:
    """The regression for what a body on a link adds: y − W β = W K_link π, over the parameters that have an effect.

    Parameters that have no effect of their own are left out: their columns depend on those of earlier ones.
    """
    standard = keys(subject)
    names = [name for name in ORDER if (name, link) in standard]
    if not names:
        raise OptionError("estimates.link_without_inertia", link=link)
    missing = [name for name in t.names if name not in known]
    if missing:
        raise OptionError("estimates.payload_needs", name=missing[0])
    K = np.zeros((len(t.names), len(names)))
    for row, name in enumerate(t.names):
        if name in subject.inertial:
            line = subject.matrix[subject.inertial.index(name)]
            K[row] = [line[standard.index((letters, link))] for letters in names]
    kept = independent_columns(t.stacked()[:-1, :-1] @ K)
    beta = np.array([known[name] for name in t.names])
    parts: dict[Key, Triangle] = {}
    for key, part in t.parts.items():
        W = part.R[:, :-1] @ K[part.columns][:, kept]
        y = part.R[:, -1] - part.R[:, :-1] @ beta[part.columns]
        parts[key] = Triangle(np.arange(len(kept)), np.column_stack([W, y]), part.count, part.norm)
    return replace(t, names=tuple(f"{names[k]}L" for k in kept), parts=parts, prior=None)


# From measurements to a regression: columns, processing, rows, and the law of friction that the data chooses.


_RICH = "asymmetric-root"
"""The law of friction with which a delay is found."""
_AS_GOOD = 1.01
"""Error over the least one of a law of friction that is taken because it has fewer parameters."""


@dataclass(frozen=True)
class Regression:
    """Everything that an estimator needs."""

    subject: Subject
    terms: Terms
    how: Processing
    rate: float
    triangles: TriangularFactors
    rows: RegressionRows | None = None
    law: FrictionLaw | None = None
    laws: dict[str, float] = field(default_factory=dict)
    """Error in cross-validation of each law of friction that was tried."""
    warnings: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = field(default=(), repr=False)
    """The runs that the rows belong to."""
    about: dict[str, float] = field(default_factory=dict)
    """Values of parameters that act nonlinearly: columns are slopes there, and estimates are differences from them."""


def laws_of(friction: str | None, offset: bool | None) -> list[FrictionLaw] | None:
    """The laws of friction to try: one by its name, all with "auto", or None for that of the description.

    Where `offset` is not given, "auto" tries laws with a constant torque. Stribeck's law is tried with several speeds.
    """
    if friction is None:
        return None
    if friction == AUTO:
        return candidates(offset is not False)
    of_name = [one for one in candidates(bool(offset)) if one.name == friction]
    return of_name or [law(friction, bool(offset))]


def terms_of(data: Measurements, laws: Sequence[FrictionLaw] | None) -> Terms:
    """The columns: of the regressor, of all laws to try, and of transmissions that couple joints."""
    subject, gears = data.subject, data.transmission
    described = bool(subject.robot.coupling)
    coupled = gears.turning if gears is not None and not described and _couples(gears.R) else None
    turning = gears.turning if gears is not None and described and laws is not None else None
    return Terms(subject, tuple(term_names(laws or [])), turning, coupled)


def _couples(R: Any) -> bool:
    return bool(np.count_nonzero(R - np.diag(np.diag(R))))


def columns_and_processing(
    data: Measurements, laws: Sequence[FrictionLaw] | None, options: Mapping[str, Any]
) -> tuple[Terms, Processing]:
    """The columns, and the processing that the data chooses; `options` are those of `settings.processing`."""
    subject, terms = data.subject, terms_of(data, laws)
    how = processing(data, **options, dry=is_dry(terms.names))
    places = [subject.moving.index(joint) for joint in subject.motors]
    terms = replace(terms, largest=tuple(map(float, speeds(data, how)[places])))
    if isinstance(options["delay"], str):
        how = replace(how, delay=_delay(long_runs(data, how), terms, how, laws))
    return terms, how


def regression_of(pieces: DataPieces, terms: Terms, how: Processing, laws: Sequence[FrictionLaw] | None) -> Regression:
    """The regression of all pieces, with the law of friction that fits best."""
    every, rows, warnings = pieces.reduced(terms, how)
    _require_rows(every)
    law, tried = chosen_law(every, terms, laws)
    names = with_law(every.names, terms, law)
    if rows is None and law is not None and law.speed is not None:
        warnings = (*warnings, Finding("estimates.speed_of_stream"))
    data = pieces.sample
    warnings = (*data.warnings, *warnings, *_late(data, how))
    kept, runs = (None, ()) if rows is None else (rows.only(names), long_runs(data, how).runs)
    return Regression(data.subject, terms, how, data.rate, every.only(names), kept, law, tried, warnings, runs)


def _require_rows(t: TriangularFactors) -> None:
    n, p = int(t.count().sum()), len(t.names)
    if n <= p:
        raise DataError("estimates.few_rows", rows=n, parameters=p)


def chosen_law(
    t: TriangularFactors, terms: Terms, laws: Sequence[FrictionLaw] | None
) -> tuple[FrictionLaw | None, dict[str, float]]:
    """The law with the least error in cross-validation, or one with fewer terms that is as good within 1 %."""
    if not laws:
        return None, {}
    if len(laws) == 1:
        return laws[0], {}
    tried = {}
    for one in laws:
        validation = cross_validated(t.only(with_law(t.names, terms, one)), weighted)
        tried[str(one)] = validation.total
    least = min(tried.values())
    good = [one for one in laws if tried[str(one)] <= _AS_GOOD * least]
    return min(good, key=lambda one: (len(one.terms), tried[str(one)])), tried


def with_law(names: Sequence[str], terms: Terms, chosen: FrictionLaw | None) -> list[str]:
    """The columns that a law of friction needs."""
    if chosen is None:
        return list(names)
    return chosen_names(names, [full_name(chosen, term) for term in chosen.terms], terms.friction)


def _delay(data: Measurements, terms: Terms, how: Processing, laws: Sequence[FrictionLaw] | None) -> float:
    """The delay with the least error, for a law of friction that is rich enough not to be taken for a delay.

    It is a multiple of half a sample: torques are held for a sample, and computing takes whole ones.
    """
    lean = replace(terms, friction=tuple(term_names([law(_RICH, offset=False)]))) if laws else terms

    def error(delay: float) -> float:
        t = triangles_of(rows_of(lean, data.runs, replace(how, delay=delay)))
        return errors(t, weighted(t).beta).total

    half = data.runs[0].period / 2
    return half * round(found_delay(data.runs[0].period, error) / half)


def _late(data: Measurements, how: Processing) -> list[Finding]:
    """A warning about a delay of several samples."""
    samples = how.delay / data.runs[0].period
    if abs(samples) < 2:
        return []
    code = "estimates.earlier" if samples > 0 else "estimates.later"
    return [Finding(code, delay=1e3 * abs(how.delay), samples=abs(samples))]


# Stribeck's curve with a speed of each motor: sign(q̇) (FS + (FST − FS) exp(−BST |q̇|)) (K13:7.26).
#
# BST, the inverse of the speed at which the curve fades, is not linear in the torques. Cross-validation chooses one
# speed of some for all motors. From it on BST of each motor is found by the Gauss-Newton method, with the other
# parameters solved at each step (Golub and Pereyra 1973). The slope by BST becomes a column of the regression: BST gets
# a σ, and the σ of all other parameters contain that BST is not known.


_MOST = 20
_CONVERGED = 0.02
"""Step of BST over its σ at which nothing changes any more."""
_STEP = 3.0
"""Most times that BST becomes larger or smaller in a step."""
_SLOWEST, _FASTEST = 0.003, 1.0
"""Speeds at which a curve may fade, as parts of the largest speed of its motor."""
_SEEN = 3.0
"""FST − FS over its σ, of a curve that is seen."""


@dataclass(frozen=True)
class _At:
    """What the regression for some BST says: the error of the best fit, FST − FS with its σ, and the next step."""

    error: float
    heights: Array
    height_sigma: Array
    step: Array
    sigma: Array


def refined(regression: Regression) -> Regression:
    """The regression with BST of each motor as a parameter, where the law is Stribeck's; else as it is.

    Where a motor shows no curve, or one that does not fade below its largest speed, BST is not found: it stays as it
    was chosen.
    """
    if regression.law is None or regression.law.speed is None:
        return regression
    largest = np.array(regression.terms.largest)
    low, high = 1 / (_FASTEST * largest), 1 / (_SLOWEST * largest)
    weights = weighted(regression.triangles).deviations
    first = BST = 1 / (regression.law.speed * largest)
    here = _at(regression, BST, weights)
    seen = np.abs(here.heights) > _SEEN * here.height_sigma
    for _ in range(_MOST):
        moved = np.where(seen, np.clip(BST + here.step, BST / _STEP, BST * _STEP), first)
        if (np.abs(moved - BST) <= _CONVERGED * here.sigma).all():
            break
        outside = seen & ((moved <= low) | (moved >= high))
        if outside.any():
            seen, BST = seen & ~outside, np.where(outside, first, BST)
            here = _at(regression, BST, weights)
            continue
        there = _at(regression, moved, weights)
        if there.error < here.error:
            BST, here = moved, there
        else:
            here = replace(here, step=here.step / _STEP)
    return _with(regression, BST, here.heights, seen)


def _at(regression: Regression, BST: Array, weights: Array) -> _At:
    """The columns for some BST. The slope by BST is that of a curve of height 1, times the height that is found."""
    t = triangles_of(
        rows_of(_terms(regression, (StribeckCurve(b, 1.0) for b in BST.tolist())), regression.runs, regression.how)
    )
    numbers = [joint.index for joint in regression.subject.motors]
    linear = t.only([name for name in t.names if not name.startswith("BST")])
    fit, every = weighted(linear, fixed=weights), weighted(t, fixed=weights)
    a, b = ([fit.names.index(f"{letters}{j}") for j in numbers] for letters in ("FST", "FS"))
    heights = fit.beta[a] - fit.beta[b]
    C = fit.covariance
    variance = C[a, a] + C[b, b] - 2 * C[a, b]
    places = [every.names.index(f"BST{j}") for j in numbers]
    safe = np.where(heights == 0, 1e-300, heights)
    error = float((linear.squares(fit.beta) / np.maximum(weights, 1e-300) ** 2).sum())
    return _At(error, heights, np.sqrt(variance), every.beta[places] / safe, np.abs(every.sigma[places] / safe))


def _terms(regression: Regression, curves: Iterable[StribeckCurve]) -> Terms:
    """The columns of Stribeck's law with BST as a parameter, for curves of the motors."""
    assert regression.law is not None
    return replace(regression.terms, friction=(*regression.law.terms, "BST"), curves=tuple(curves))


def _with(regression: Regression, BST: Array, heights: Array, seen: Array) -> Regression:
    """The regression about the values that were found, with columns of BST where it is seen."""
    assert regression.law is not None
    motors = regression.subject.motors
    terms = _terms(regression, map(StribeckCurve, BST.tolist(), heights.tolist()))
    about = {f"BST{joint.index}": float(b) for joint, b in zip(motors, BST, strict=True)}
    unseen = [joint for joint, known in zip(motors, seen, strict=True) if not known]
    hidden = [f"BST{joint.index}" for joint in unseen]
    kept = [Finding("estimates.value", name=name, value=about[name]) for name in hidden]
    no_curve = Finding("estimates.no_curve", joints=[joint.label for joint in unseen], kept=kept)
    rows = rows_of(terms, regression.runs, regression.how)
    rows = rows.only([name for name in rows.names if name not in hidden])
    return replace(
        regression,
        terms=terms,
        rows=rows,
        triangles=triangles_of(rows),
        law=FrictionLaw(regression.law.name, regression.law.terms),
        about=about,
        warnings=(*regression.warnings, *([no_curve] if unseen else [])),
    )
