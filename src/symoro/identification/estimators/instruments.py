"""Estimators that simulate the closed loop: instrumental variables and direct and inverse models together.

IDIM-IV (Janot, Vandanjon and Gautier 2014): β = (Zᵀ W)⁻¹ Zᵀ y with the columns Z of the simulated motion, which has no
noise. DIDIM (Gautier, Janot and Vandanjon 2013): y = W_s β with the columns W_s of the simulated motion alone, so that
positions are never differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import signal

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.estimators.closed_loop import NOT_SIMULATED, ClosedLoop
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.least_squares import ordinary, weighted
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.rows.rows import Rows, rows_of
from symoro.identification.rows.terms import Terms
from symoro.identification.rows.triangles import Triangles, triangles_of

_MOST = 20
_STEP = 0.05
"""Largest change of a parameter over its σ at which an iteration has converged."""
_FIT = 1e-3
"""Relative change of the residual at which an iteration has converged."""


@dataclass(frozen=True)
class _Step:
    """Parameters, their covariance, and the residual of the torques."""

    beta: Array
    covariance: Array
    residual: float
    deviations: Array

    def near(self, other: _Step) -> bool:
        sigma = np.maximum(np.sqrt(np.diag(self.covariance)), 1e-300)
        moved = np.abs(self.beta - other.beta) / sigma
        return bool(moved.max() < _STEP and abs(self.residual - other.residual) < _FIT * self.residual)


def instrumental(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """IDIM-IV: first with the wanted motion as instrument, then with the simulated one, until nothing changes.

    The delay of the processing puts torques and positions at the same time: half a sample for torques that are held.
    """
    measured = rows_of(terms, [run], replace(how, dead_zone=()))
    clean = replace(how, cutoff=None, dead_zone=())
    step = _solved(rows_of(terms, [loop.wanted()], clean), measured)
    notes: tuple[str, ...] = ("the simulation diverges: the instruments are those of the wanted motion",)
    count = 0
    for count in range(1, _MOST + 1):  # noqa: B007, the number is said in the result
        simulated = loop.simulated(terms.by_name(step.beta))
        if simulated is None:
            break
        notes, before = (), step
        step = _solved(rows_of(terms, [simulated], clean), measured)
        if step.near(before):
            break
    return _estimate(measured, step, count, notes)


def direct_and_inverse(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """DIDIM, from the parameters that the wanted motion as instrument gives.

    The simulated motion is taken between samples: the torque of a sample acts until the next one.
    """
    first = instrumental_start(terms, run, how, loop)
    plain = as_simulated(how)
    values = terms.by_name(first.beta)
    found: Estimate | None = None
    count = 0
    for count in range(1, _MOST + 1):  # noqa: B007
        rows = simulated_rows(terms, run, plain, loop, values)
        if rows is None:
            break
        before = found
        found = weighted(rows)
        values = terms.by_name(found.beta)
        if before is not None and np.abs((found.beta - before.beta) / found.sigma).max() < _STEP:
            break
    if found is None:
        raise DataError(NOT_SIMULATED)
    return replace(found, iterations=count, simulated=True)


def simulated_rows(
    terms: Terms, run: Run, how: Processing, loop: ClosedLoop, values: Mapping[str, float]
) -> Triangles | None:
    """The measured torques over the columns of the simulated motion; None where it cannot be simulated."""
    simulated = loop.between_samples(values)
    if simulated is None:
        return None
    return triangles_of(rows_of(terms, [simulated.with_channels(tau=run["tau"])], how))


def as_simulated(how: Processing) -> Processing:
    """The processing of a motion without noise and delay."""
    return replace(how, cutoff=None, dead_zone=(), delay=0.0)


def instrumental_start(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """The parameters with the wanted motion as instrument, which need no model."""
    measured = rows_of(terms, [run], replace(how, dead_zone=()))
    step = _solved(rows_of(terms, [loop.wanted()], as_simulated(how)), measured)
    return _estimate(measured, step, 0, ())


def _solved(instruments: Rows, measured: Rows) -> _Step:
    """β = (ZᵀΩW)⁻¹ ZᵀΩy, rows divided by the deviations of their joints."""
    W, y, joint = measured.dense()
    Z, _, _ = instruments.dense()
    if len(Z) != len(W):
        raise DataError("the simulated motion has not the rows of the measured one")
    sigma = ordinary(triangles_of(measured)).deviations
    beta = np.linalg.solve(Z.T @ (W / sigma[joint, None] ** 2), Z.T @ (y / sigma[joint] ** 2))
    e = y - W @ beta
    sigma = np.array([np.sqrt(np.mean(e[joint == j] ** 2)) or 1.0 for j in range(len(measured.joints))])
    weight = 1 / sigma[joint, None] ** 2
    G = np.linalg.inv(Z.T @ (W * weight))
    beta = G @ (Z.T @ (y * weight[:, 0]))
    e = y - W @ beta
    middle = sum(
        (coloured(Z[joint == j] / sigma[j] ** 2, e[joint == j]) for j in range(len(sigma))), start=np.zeros_like(G)
    )
    return _Step(beta, G @ middle @ G.T, float(np.linalg.norm(e)), sigma)


def coloured(Z: Array, e: Array) -> Array:
    """Zᵀ Ω Z with the spectrum of the residual: Σ_f Ẑ(f)* S(f) Ẑ(f)ᵀ / n."""
    n = len(e)
    f, power = signal.welch(e, nperseg=min(n, 256), detrend=False, return_onesided=False)
    order = np.argsort(f)
    spectrum = np.fft.fft(Z, axis=0)
    S = np.interp(np.fft.fftfreq(n), f[order], power[order], period=1.0)
    return np.asarray(np.real(spectrum.conj().T @ (S[:, None] * spectrum)) / n)


def _estimate(measured: Rows, step: _Step, count: int, notes: tuple[str, ...]) -> Estimate:
    condition = ordinary(triangles_of(measured)).condition
    found = Estimate(measured.names, step.beta, step.covariance, step.deviations, condition, iterations=count)
    return replace(found, notes=notes, simulated=True)
