"""Rows of the regression: columns along the runs, filtered and decimated in parallel with the torques."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.processing.filtering import decimated, passed_power, unfiltered
from symoro.identification.processing.motion_of_run import moved
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.rows.columns_along import columns_along, energy_along
from symoro.identification.rows.terms import Terms


@dataclass(frozen=True)
class Block:
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
class Rows:
    """The rows of all joints in all runs."""

    names: tuple[str, ...]
    """A name for each column."""
    joints: tuple[str, ...]
    blocks: tuple[Block, ...] = field(repr=False)
    power: float = 1.0
    """The part of white noise that is left: n rows count as `power` times n (see `filtering.passed_power`)."""

    @property
    def count(self) -> int:
        return sum(len(block.y) for block in self.blocks)

    def only(self, names: Sequence[str], kept: Sequence[Array] | None = None) -> Rows:
        """Some of the columns; with `kept`, a mask for each block, some of the rows."""
        at = {self.names.index(name): k for k, name in enumerate(names)}
        blocks = []
        for number, block in enumerate(self.blocks):
            mine = slice(None) if kept is None else kept[number]
            places = [k for k, c in enumerate(block.columns) if c in at]
            columns = np.array([at[block.columns[k]] for k in places], dtype=int)
            blocks.append(replace(block, t=block.t[mine], columns=columns, W=block.W[mine][:, places], y=block.y[mine]))
        return replace(self, names=tuple(names), blocks=tuple(blocks))

    def less(self, known: dict[str, float]) -> Rows:
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


def rows_of(terms: Terms, runs: Sequence[Run], how: Processing) -> Rows:
    """The rows of all runs."""
    by_energy = how.model == "energy"
    made = _intervals if by_energy else _blocks
    blocks = [block for number, run in enumerate(runs) for block in made(terms, run, number, how)]
    if not any(len(block.y) for block in blocks):
        raise DataError("no row is left: every joint is slower than its dead zone, or stands still")
    joints = ("energy",) if by_energy else terms.subject.row_names
    return Rows(terms.names, joints, tuple(blocks), 1.0 if by_energy else passed_power(how.decimation or 1))


def _blocks(terms: Terms, run: Run, number: int, how: Processing) -> Iterator[Block]:
    """The rows of one run, joint by joint: the columns pass the same filter as the torques."""
    motion = moved(terms.subject, run, how)
    factor = how.decimation or 1
    W = columns_along(terms, motion, how.model)
    speeds = decimated(motion.speeds, factor)
    t = motion.t[::factor][unfiltered(factor) :][: len(speeds)]
    for joint, places in enumerate(terms.places):
        kept = np.abs(speeds[:, joint]) >= how.dead_zone_of(joint, len(W))
        block, W[joint] = decimated(W[joint], factor), W[joint][:0]
        y = decimated(motion.torques[:, joint], factor)
        yield Block(joint, number, t[kept], places, block[kept], y[kept])


def _intervals(terms: Terms, run: Run, number: int, how: Processing) -> Iterator[Block]:
    """The rows of the energy model: one for each interval, of as many samples as become one in the other models."""
    t, W, y = energy_along(terms, moved(terms.subject, run, how), how.decimation or 1)
    yield Block(0, number, t, np.arange(len(terms.names)), W, y)
