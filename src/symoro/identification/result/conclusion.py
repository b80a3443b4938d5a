"""From a regression to a result: the estimator, smaller sets of parameters, uncertainty, and what is to be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array
from symoro.identification.diagnosis.delays import Delay, delays, late
from symoro.identification.diagnosis.outliers import outliers
from symoro.identification.diagnosis.suspicions import suspicions, untold
from symoro.identification.estimators.estimate import Estimate, divisors, solved
from symoro.identification.estimators.least_squares import ordinary, weighted
from symoro.identification.estimators.robust import robust
from symoro.identification.estimators.total import total
from symoro.identification.estimators.validation import Errors, cross_validated, errors
from symoro.identification.measurements.checks import named_first
from symoro.identification.physical.consistency import Nonlinear, consistent, way_of
from symoro.identification.physical.consistent import Consistent
from symoro.identification.physical.semidefinite import Boxes
from symoro.identification.regression.essential import Dropped, essential, without
from symoro.identification.regression.payload import payload_columns
from symoro.identification.regression.prior import prior_rows
from symoro.identification.regression.regression import Regression
from symoro.identification.result.parameter import block_spread
from symoro.identification.result.result import Identification
from symoro.identification.rows.friction import CURVED
from symoro.identification.rows.triangles import Triangles, fold_of
from symoro.identification.subject.described import described_values, expected_values
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.standard import without_a_place
from symoro.identification.subject.subject import Subject

METHODS = ("ols", "wls", "irls", "tls", "iv", "didim", "cloe")
CLOSED_LOOP = ("iv", "didim", "cloe")
"""Methods that simulate the robot under its controller."""
_PIECE = 0.3
"""Seconds within which residuals may be correlated."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of a regression."""

    method: str = "wls"
    essential: str | None = None
    physical: bool | str = False
    prior: float | None = None
    boxes: Boxes | None = None
    payload: int | None = None
    known: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"method = {self.method!r} is not allowed (allowed: {', '.join(METHODS)})")
        if self.method in CLOSED_LOOP and (self.essential or self.payload is not None or self.known):
            raise OptionError(f"method={self.method!r} is not allowed with essential, payload or known")
        if self.prior is not None and self.method != "wls":
            raise OptionError("a prior needs method='wls': its weight is that of rows with known deviations")
        if self.payload is not None and (self.physical or self.prior is not None or self.known):
            raise OptionError("payload is identified alone: without physical, prior and known")
        if self.boxes and not self.physical:
            raise OptionError("boxes are conditions of physical=True")
        way_of(self.physical, nonlinear=False)


def concluded(
    given: Regression, wanted: Wanted, estimate: Estimate | None = None, nonlinear: Nonlinear | None = None
) -> Identification:
    """The result of a regression; `estimate` is that of a method that simulates, `nonlinear` one that is not linear."""
    full, known = _prepared(given, wanted)
    t, found = full, estimate or _fit(given, full, wanted.method, known)
    dropped: tuple[Dropped, ...] = ()
    if wanted.essential is not None:
        wider = _wider(given, full, found, known, wanted.payload)
        dropped = essential(full, wanted.essential, found.weighting, wider, _kept(given))
        t = without(full, [one.name for one in dropped])
        found = _fit(given, t, wanted.method, known)
    fit = errors(t, found.beta)
    way = way_of(wanted.physical, nonlinear=nonlinear is not None)
    linear = full.only([name for name in full.names if name not in given.about])
    made = None if way is None else consistent(given.subject, linear, found, way, wanted.boxes, nonlinear)
    late_by = _delays(given, t, found, known) if wanted.payload is None else {}
    expected = {} if wanted.payload is not None else expected_values(given.subject)
    rate = given.rate if given.rows is None else None  # with rows, other readings of the data were compared
    said = suspicions(t, found, fit, expected, rate)
    return Identification(
        subject=given.subject,
        method=wanted.method,
        estimate=found,
        triangles=t,
        terms=given.terms,
        how=given.how,
        rate=given.rate,
        error=fit,
        validation=_validation(given, t, wanted.method, known),
        warnings=(
            *named_first(
                (
                    *(*given.warnings, *found.notes, *said),
                    *late(late_by, given.how, t.joints, 1 / given.rate),
                    *_spikes(given, t, found, wanted, known),
                )
            ),
            *untold(found),
            *_left_out(given.subject, t.names, wanted.payload, made),
        ),
        delays=late_by,
        law=given.law,
        laws=given.laws,
        rows=given.rows if wanted.payload is None else None,
        consistent=made,
        known=known | {name: x for name, x in given.about.items() if name not in given.triangles.names},
        spread=_spread(given, t, found, known) if wanted.payload is None else None,
        payload=wanted.payload,
        dropped=dropped,
        about=given.about,
    )


def _kept(given: Regression) -> list[str]:
    """The parameters of Stribeck's curves, which stay together."""
    return [name for name in given.triangles.names if given.about and name.rstrip("0123456789") in CURVED]


def _spikes(
    given: Regression, t: Triangles, found: Estimate, wanted: Wanted, known: Mapping[str, float]
) -> Iterator[str]:
    """Warnings about rows far from the model, of methods that take all rows as they are."""
    if given.rows is not None and wanted.payload is None and wanted.method in ("ols", "wls", "tls"):
        yield from outliers(given.rows.less(dict(known)).only(t.names), found.beta)


def _left_out(subject: Subject, names: Sequence[str], payload: int | None, made: Consistent | None) -> Sequence[str]:
    """What the robot of the result does not have: laws of friction that its drives cannot describe."""
    if isinstance(subject, PlatformSubject) or payload is not None:
        return []
    friction = [name for name in names if name not in subject.inertial] if made is None else list(made.others)
    others = without_a_place(friction)
    told = f"the robot of the result has no place for {', '.join(others)}: its torques leave them out"
    return [told] if others else []


def _prepared(given: Regression, wanted: Wanted) -> tuple[Triangles, dict[str, float]]:
    """The regression without parameters that are known, with a prior, or that of a payload; and what is known."""
    t = given.triangles
    if wanted.payload is not None:
        values = described_values(given.subject, t.names)
        return payload_columns(given.subject, t, wanted.payload, values), values
    if wanted.prior is not None:
        t = replace(t, prior=prior_rows(given.subject, t.names, wanted.prior))
    known = {name: float(x) for name, x in (wanted.known or {}).items()}
    for name, x in known.items():
        allowed = [one for one in t.names if one not in given.about]
        if name not in allowed or not np.isfinite(x):
            raise OptionError(f"known: {name} = {x} is not allowed (allowed: numbers for {', '.join(allowed)})")
    return (t.less(known) if known else t), known


def _fit(given: Regression, t: Triangles, method: str, known: Mapping[str, float]) -> Estimate:
    """The estimate by a method."""
    if method == "irls":
        if given.rows is None:
            raise OptionError("robust least squares needs the rows: it cannot follow a stream")
        return robust(given.rows.less(dict(known)).only(t.names))
    return {"ols": ordinary, "wls": weighted, "tls": total}[method](t)


def _validation(given: Regression, t: Triangles, method: str, known: Mapping[str, float]) -> Errors:
    """Cross-validation of a method over blocks of time."""
    if len(t.folds) < 2 or method in CLOSED_LOOP:
        return Errors(float("nan"))
    if method == "irls" and given.rows is not None:
        rows = given.rows.less(dict(known)).only(t.names)
        folds = fold_of(rows)

        def again(t: Triangles, some: Sequence[int]) -> Estimate:
            return robust(rows.only(t.names, [np.isin(fold, list(some)) for fold in folds]))

        return cross_validated(t, again)
    if method == "tls":
        return cross_validated(t, lambda t, some: total(replace(t, parts=t.chosen(some))))
    return cross_validated(t, {"ols": ordinary, "wls": weighted}[method])


def _spread(given: Regression, t: Triangles, found: Estimate, known: Mapping[str, float]) -> Array | None:
    """σ with residuals that are correlated in time."""
    if given.rows is None:
        return None
    rows = given.rows.less(dict(known)).only(t.names)
    sigma = divisors(found.weighting)
    at = solved(t.stacked(1 / sigma), t.names)
    inverse = at.covariance(at.inverse)
    blocks = []
    for block in rows.blocks:
        e = block.y - block.W @ found.beta[block.columns]
        blocks.append((block.t, block.columns, block.W / sigma[block.joint], e / sigma[block.joint]))
    return block_spread(blocks, inverse, _PIECE)


def _wider(
    given: Regression, t: Triangles, found: Estimate, known: Mapping[str, float], payload: int | None
) -> dict[str, float]:
    """σ with residuals that are correlated in time over that of white ones, where both are known."""
    spread = None if payload is not None else _spread(given, t, found, known)
    if spread is None:
        return {}
    pairs = zip(t.names, spread, found.sigma, strict=True)
    return {name: float(x / y) for name, x, y in pairs if np.isfinite(x) and np.isfinite(y) and y > 0}


def _delays(given: Regression, t: Triangles, found: Estimate, known: Mapping[str, float]) -> dict[str, Delay]:
    """The delay of each torque, where rows were kept and belong to instants."""
    if given.rows is None or given.how.model == "energy":
        return {}
    return delays(given.rows.less(dict(known)).only(t.names), found, given.how)
