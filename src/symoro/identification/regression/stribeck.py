"""Stribeck's curve with a speed of each motor: sign(q̇) (FS + (FST − FS) exp(−BST |q̇|)) (K13:7.26).

BST, the inverse of the speed at which the curve fades, is not linear in the torques. Cross-validation chooses one speed
of some for all motors. From it on BST of each motor is found by the Gauss-Newton method, with the other parameters
solved at each step (Golub and Pereyra 1973). The slope by BST becomes a column of the regression: BST gets a σ, and the
σ of all other parameters contain that BST is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.least_squares import weighted
from symoro.identification.regression.regression import Regression
from symoro.identification.rows.friction import Curve, Law
from symoro.identification.rows.rows import rows_of
from symoro.identification.rows.terms import Terms
from symoro.identification.rows.triangles import triangles_of

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


def refined(given: Regression) -> Regression:
    """The regression with BST of each motor as a parameter, where the law is Stribeck's; else as it is.

    Where a motor shows no curve, or one that does not fade below its largest speed, BST is not found: it stays as it
    was chosen.
    """
    if given.law is None or given.law.speed is None:
        return given
    largest = np.array(given.terms.largest)
    low, high = 1 / (_FASTEST * largest), 1 / (_SLOWEST * largest)
    weights = weighted(given.triangles).deviations
    first = BST = 1 / (given.law.speed * largest)
    here = _at(given, BST, weights)
    seen = np.abs(here.heights) > _SEEN * here.height_sigma
    for _ in range(_MOST):
        moved = np.where(seen, np.clip(BST + here.step, BST / _STEP, BST * _STEP), first)
        if (np.abs(moved - BST) <= _CONVERGED * here.sigma).all():
            break
        outside = seen & ((moved <= low) | (moved >= high))
        if outside.any():
            seen, BST = seen & ~outside, np.where(outside, first, BST)
            here = _at(given, BST, weights)
            continue
        there = _at(given, moved, weights)
        if there.error < here.error:
            BST, here = moved, there
        else:
            here = replace(here, step=here.step / _STEP)
    return _with(given, BST, here.heights, seen)


def _at(given: Regression, BST: Array, weights: Array) -> _At:
    """The columns for some BST. The slope by BST is that of a curve of height 1, times the height that is found."""
    t = triangles_of(rows_of(_terms(given, (Curve(b, 1.0) for b in BST.tolist())), given.runs, given.how))
    numbers = [joint.index for joint in given.subject.motors]
    linear = t.only([name for name in t.names if not name.startswith("BST")])
    found, every = weighted(linear, fixed=weights), weighted(t, fixed=weights)
    a, b = ([found.names.index(f"{letters}{j}") for j in numbers] for letters in ("FST", "FS"))
    heights = found.beta[a] - found.beta[b]
    C = found.covariance
    variance = C[a, a] + C[b, b] - 2 * C[a, b]
    places = [every.names.index(f"BST{j}") for j in numbers]
    safe = np.where(heights == 0, 1e-300, heights)
    error = float((linear.squares(found.beta) / np.maximum(weights, 1e-300) ** 2).sum())
    return _At(error, heights, np.sqrt(variance), every.beta[places] / safe, np.abs(every.sigma[places] / safe))


def _terms(given: Regression, curves: Iterable[Curve]) -> Terms:
    """The columns of Stribeck's law with BST as a parameter, for curves of the motors."""
    assert given.law is not None
    return replace(given.terms, friction=(*given.law.terms, "BST"), curves=tuple(curves))


def _with(given: Regression, BST: Array, heights: Array, seen: Array) -> Regression:
    """The regression about the values that were found, with columns of BST where it is seen."""
    assert given.law is not None
    motors = given.subject.motors
    terms = _terms(given, map(Curve, BST.tolist(), heights.tolist()))
    about = {f"BST{joint.index}": float(b) for joint, b in zip(motors, BST, strict=True)}
    unseen = [joint for joint, known in zip(motors, seen, strict=True) if not known]
    said = []
    if unseen:
        kept = ", ".join(f"BST{joint.index} = {about[f'BST{joint.index}']:.4g}" for joint in unseen)
        where = ", ".join(joint.label for joint in unseen)
        said.append(f"no Stribeck curve is seen at {where}: {kept} was kept, and has no σ")
    hidden = {f"BST{joint.index}" for joint in unseen}
    rows = rows_of(terms, given.runs, given.how)
    rows = rows.only([name for name in rows.names if name not in hidden])
    return replace(
        given,
        terms=terms,
        rows=rows,
        triangles=triangles_of(rows),
        law=Law(given.law.name, given.law.terms),
        about=about,
        warnings=(*given.warnings, *said),
    )
