"""Rows of the regression: columns along the runs, filtered and decimated in parallel with the torques."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.integrate import cumulative_simpson

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.process.filters import Chebyshev, Fir
from symoro.identification.process.processing import Moved, Processing, moved
from symoro.identification.read.runs import Run
from symoro.identification.regress.terms import Terms

# The columns of a regression along a motion, by one of three models; two of them need no accelerations.
#
# dynamic: Γ = D(q, q̇, q̈) K (K97:39). filtered: F Γ = (F′ D1 + F D2) K (K97:40-46), where F is the filter of the
# decimation, which follows, and F′ its derivative. energy: ∫ q̇ᵀ Γ dt = Δh K + ∫ hf dt K_f (K97:47-54), a row for each
# interval of time.


_CHUNK = 2048
"""Samples of one call of the regressor: more leave the cache."""
Part = Callable[[Moved, slice], Array]


def columns_along(terms: Terms, motion: Moved, model: str) -> list[Array]:
    """For each row of the regressor its columns that are not zero for every motion, at the full rate."""
    if model == "dynamic":
        return _gathered(terms, motion, terms.evaluate)
    momenta, rest = _gathered(terms, motion, terms.momenta), _gathered(terms, motion, terms.without_acceleration)
    step = motion.period
    return [np.gradient(D1, step, axis=0, edge_order=2) + D2 for D1, D2 in zip(momenta, rest, strict=True)]


def _gathered(terms: Terms, motion: Moved, evaluate: Part) -> list[Array]:
    columns = terms.places
    W = [np.empty((motion.count, len(places)), order="F") for places in columns]
    for first in range(0, motion.count, _CHUNK):
        part = slice(first, first + _CHUNK)
        full = evaluate(motion, part)
        for joint, places in enumerate(columns):
            W[joint][part] = full[:, joint, places]
    return W


def energy_along(terms: Terms, motion: Moved, length: int) -> tuple[Array, Array, Array]:
    """Times, columns and work of the motors, for intervals of `length` samples."""
    ends = np.arange(0, motion.count, length)
    whole = slice(0, motion.count)
    stored, lost = terms.energies(motion, whole)
    work = np.einsum("tr,tr->t", motion.speeds, motion.torques)

    def integral(x: Array) -> Array:
        return np.diff(cumulative_simpson(x, dx=motion.period, axis=0, initial=0.0)[ends], axis=0)

    return motion.t[ends[:-1]], np.diff(stored[ends], axis=0) + integral(lost), integral(work)


# Rows of the regression: columns along the runs, filtered and decimated in parallel with the torques.


@dataclass(frozen=True)
class RowBlock:
    """Rows of one joint in one run: y = W β over the columns that are not zero."""

    joint: int
    """The row of the regressor."""
    run: int
    t: Array = field(repr=False)
    columns: Array = field(repr=False)
    """The places of its columns among the names of all."""
    W: Array = field(repr=False)
    y: Array = field(repr=False)


@dataclass(frozen=True)
class RegressionRows:
    """The rows of all joints in all runs."""

    names: tuple[str, ...]
    """A name for each column."""
    joints: tuple[str, ...]
    blocks: tuple[RowBlock, ...] = field(repr=False)
    power: float = 1.0
    """The part of white noise that is left: n rows count as `power` times n (see `filters.passed_power`)."""

    @property
    def count(self) -> int:
        return sum(len(block.y) for block in self.blocks)

    def only(self, names: Sequence[str], kept: Sequence[Array] | None = None) -> RegressionRows:
        """Some of the columns; with `kept`, a mask for each block, some of the rows."""
        at = {self.names.index(name): k for k, name in enumerate(names)}
        blocks = []
        for number, block in enumerate(self.blocks):
            mine = slice(None) if kept is None else kept[number]
            places = [k for k, c in enumerate(block.columns) if c in at]
            columns = np.array([at[block.columns[k]] for k in places], dtype=int)
            blocks.append(replace(block, t=block.t[mine], columns=columns, W=block.W[mine][:, places], y=block.y[mine]))
        return replace(self, names=tuple(names), blocks=tuple(blocks))

    def less(self, known: dict[str, float]) -> RegressionRows:
        """The torques without those of parameters that are known."""
        beta = np.array([known.get(name, 0.0) for name in self.names])
        blocks = tuple(replace(b, y=b.y - b.W @ beta[b.columns]) for b in self.blocks)
        return replace(self, blocks=blocks).only([name for name in self.names if name not in known])

    def dense(self) -> tuple[Array, Array, Array]:
        """W with all columns, y, and the joint of each row."""
        W = np.zeros((self.count, len(self.names)))
        at = 0
        for block in self.blocks:
            W[at : at + len(block.y), block.columns] = block.W
            at += len(block.y)
        y = np.concatenate([block.y for block in self.blocks])
        joint = np.concatenate([np.full(len(block.y), block.joint) for block in self.blocks])
        return W, y, joint


def rows_of(terms: Terms, runs: Sequence[Run], how: Processing) -> RegressionRows:
    """The rows of all runs."""
    by_energy = how.model == "energy"
    decimation = Chebyshev(how.decimation or 1)
    blocks = [
        block
        for number, run in enumerate(runs)
        for block in (
            _intervals(terms, run, number, how) if by_energy else blocks_of(terms, run, number, how, decimation)
        )
    ]
    if not any(len(block.y) for block in blocks):
        raise DataError("estimates.no_row")
    joints = ("energy",) if by_energy else terms.subject.row_names
    return RegressionRows(terms.names, joints, tuple(blocks), 1.0 if by_energy else decimation.power)


def blocks_of(terms: Terms, run: Run, number: int, how: Processing, decimation: Chebyshev | Fir) -> Iterator[RowBlock]:
    """The rows of one run, or of a piece of one, joint by joint: the columns pass the same filter as the torques."""
    motion = moved(terms.subject, run, how)
    W = columns_along(terms, motion, how.model)
    speeds, t = decimation(motion.speeds), decimation.times(motion.t)
    for joint, places in enumerate(terms.places):
        kept = np.abs(speeds[:, joint]) >= how.dead_zone_of(joint, len(W))
        block, W[joint] = decimation(W[joint]), W[joint][:0]
        y = decimation(motion.torques[:, joint])
        yield RowBlock(joint, number, t[kept], places, block[kept], y[kept])


def _intervals(terms: Terms, run: Run, number: int, how: Processing) -> Iterator[RowBlock]:
    """The rows of the energy model: one for each interval, of as many samples as become one in the other models."""
    t, W, y = energy_along(terms, moved(terms.subject, run, how), how.decimation or 1)
    yield RowBlock(0, number, t, np.arange(len(terms.names)), W, y)
