"""Mobility of closed-loop robots: the kinds of their loops, the rank of their equations, what is left to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.graph import Graph
from symoro.models.kinematic.loop import ROWS, LoopEquations
from symoro.models.kinematic.sampling import rank, sample
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

Rows = Sequence[tuple[LoopEquations, int]]


@dataclass(frozen=True, slots=True)
class LoopReport:
    """One loop: where it is cut, what kind it is, and which rows of its six say something."""

    cut: int
    mate: int
    root: int
    joints: tuple[int, ...]
    kind: str
    rows: tuple[str, ...]

    def __str__(self) -> str:
        joints = ", ".join(map(str, self.joints))
        return (
            f"loop of joint {self.cut}: {self.kind}, joints {joints}, from link {self.root}; rows {' '.join(self.rows)}"
        )


@dataclass(frozen=True, slots=True)
class Mobility:
    """`rank` of the equations at closed configurations, `mobility` = joints of the tree − rank.

    `assembled` is false where no closed configuration was found: the rank is then that at random ones.
    """

    loops: tuple[LoopReport, ...]
    joints: int
    active: int
    rank: int
    mobility: int
    assembled: bool

    def __str__(self) -> str:
        lines = [*map(str, self.loops), f"rank {self.rank}, mobility {self.mobility}, {self.active} motors"]
        if self.mobility != self.active:
            lines.append(
                "the motors do not fix the robot" if self.mobility > self.active else "more motors than mobility"
            )
        return "\n".join(lines)


def mobility(robot: Robot) -> Mobility:
    """What the loops of a robot leave free to move."""
    s = Symbols(robot, Graph())
    loops = [LoopEquations(s, loop) for loop in topology.loops(robot)]
    rows = [(loop, row) for loop in loops for row in loop.rows]
    q = closed_configurations(s, rows)
    found = max((rank(matrix) for matrix in _sampled(s, rows, q)), default=0) if rows else 0
    reports = tuple(
        LoopReport(
            loop.cut.index, loop.loop.cut.mate, loop.loop.root, tuple(loop.joints), loop.kind,
            tuple(ROWS[row] for row in loop.rows),
        )
        for loop in loops
    )  # fmt: skip
    return Mobility(reports, len(s.movable), len(s.driven), found, len(s.movable) - found, q is not None)


def independent(s: Symbols, rows: Rows) -> tuple[tuple[LoopEquations, int], ...]:
    """Of more rows than passive joints, those that the others do not imply at closed configurations."""
    q = closed_configurations(s, rows)
    tables = _sampled(s, rows, q)
    chosen: list[int] = []
    for n in range(len(rows)):
        if max(rank(table[[*chosen, n]]) for table in tables) > len(chosen):
            chosen.append(n)
    return tuple(rows[n] for n in chosen)


def _sampled(s: Symbols, rows: Rows, q: NDArray[Any] | None) -> NDArray[Any]:
    zero = s.graph.zero
    table = [[loop.matrix[p][row] if p in loop.matrix else zero for p in s.movable] for loop, row in rows]
    return sample(s, table, 4, None if q is None else _padded(s, q))


def _padded(s: Symbols, q: NDArray[Any]) -> NDArray[Any]:
    """The cut joints' variables, which do not occur, behind those of the tree."""
    return np.hstack([q, np.zeros((len(q), len(s.q) - q.shape[1]))])


def closed_configurations(s: Symbols, rows: Rows, count: int = 3) -> NDArray[Any] | None:
    """Closed configurations near random ones, every joint free to move; None where none is found."""
    from symoro.models.geometric.closing import numeric_assembler

    assembler = numeric_assembler(s, rows, every_joint=True)
    q, closed = assembler.newton(assembler.starts(np.zeros(0), np.random.default_rng(2), count=32))
    return q[closed][:count] if closed.any() else None
