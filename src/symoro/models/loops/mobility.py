"""Mobility of robots with closed loops: how many joints can move independently of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.findings import Finding
from symoro.ir.graph import Graph
from symoro.models.loops.closing import ClosedSamples, sample_closed, sampled_rows
from symoro.models.loops.constraint import Loops
from symoro.models.loops.equations import ROWS
from symoro.models.sampling import Rank, largest_rank
from symoro.robot.robot import Robot


@dataclass(frozen=True, slots=True)
class LoopReport:
    """One loop: the joint that is cut, the kind of the loop, and which of its six equations are independent."""

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
    """`rank` of the loop equations at closed configurations; `mobility` = joints of the tree − rank.

    Over-constrained mechanisms can move in special geometries only: the rank at such a configuration is smaller.

    `assembled` is false where no closed configuration was found: the rank is then that at random configurations.
    `decided` is false where all closed configurations that were found are singular, or where families of different rank
    exist. `rank` is then the largest, and `why_undecided` is the reason with the singular values.
    """

    loops: tuple[LoopReport, ...]
    joints: int
    active: int
    rank: int
    mobility: int
    assembled: bool
    why_undecided: Finding | None = None

    @property
    def decided(self) -> bool:
        return self.why_undecided is None

    def __str__(self) -> str:
        lines = [*map(str, self.loops), f"rank {self.rank}, mobility {self.mobility}, {self.active} motors"]
        if not self.decided:
            lines.append(f"not decided: {self.why_undecided}; ask at one of them (q=)")
        elif self.mobility != self.active:
            lines.append(
                "the motors do not fix the robot" if self.mobility > self.active else "more motors than mobility"
            )
        return "\n".join(lines)


def mobility(robot: Robot, at: Sequence[float] | None = None) -> Mobility:
    """The mobility of a robot where its loops are generic, or at one closed configuration; a report of each loop."""
    s = Symbols(robot, Graph())
    equations = Loops(s)
    loops, rows = equations.loops, equations.every
    closed = sample_closed(s, rows, at) if rows else None
    somewhere = (largest_rank(sampled_rows(s, rows, None)),) if rows else (Rank(0, 1.0, 0.0),)
    samples = closed or ClosedSamples(np.zeros((0, len(s.variables))), somewhere)
    reports = tuple(
        LoopReport(
            loop.cut.index, loop.loop.cut.mate, loop.loop.root, tuple(loop.joints), loop.kind,
            tuple(ROWS[row] for row in loop.rows),
        )
        for loop in loops
    )  # fmt: skip
    n, r = len(s.variables), samples.ranks[-1].rank
    return Mobility(reports, n, len(s.active), r, n - r, closed is not None or not rows, samples.why_undecided)
