"""Mobility of robots with closed loops: how many joints can move independently of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.ir.graph import Graph
from symoro.models.loops.closing import closed_at, closed_configurations, sampled_rows
from symoro.models.loops.constraint import Loops
from symoro.models.loops.equations import ROWS
from symoro.models.sampling import rank
from symoro.robot.robot import Robot
from symoro.symbols import Symbols


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


def mobility(robot: Robot, at: Sequence[float] | None = None) -> Mobility:
    """The mobility of a robot where its loops are generic, or at one closed configuration; a report of each loop."""
    s = Symbols(robot, Graph())
    equations = Loops(s)
    loops, rows = equations.loops, equations.every
    q = closed_configurations(s, rows) if at is None else closed_at(s, rows, at)
    found = max((rank(matrix) for matrix in sampled_rows(s, rows, q)), default=0) if rows else 0
    reports = tuple(
        LoopReport(
            loop.cut.index, loop.loop.cut.mate, loop.loop.root, tuple(loop.joints), loop.kind,
            tuple(ROWS[row] for row in loop.rows),
        )
        for loop in loops
    )  # fmt: skip
    return Mobility(reports, len(s.variables), len(s.active), found, len(s.variables) - found, q is not None)
