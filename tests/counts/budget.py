"""The budget of operations: `budget.toml`, read, compared and lowered.

python tests/counts/budget.py counts every row and writes lower figures into the file, never higher ones.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import symoro
from symoro.ir.expr import OpCount
from symoro.robot.link import Drive, Wrench

FILE = Path(__file__).with_name("budget.toml")


@dataclass(frozen=True)
class Row:
    """The operations of a model: `M`, `A`, `D` were reached once; `at_most` is the goal; others `published` theirs."""

    robot: str
    model: str
    params: str
    M: int
    A: int
    published: str
    D: int = 0
    at_most: int | None = None
    given: str | None = None
    """The coordinates that the model takes, where these are not the usual ones."""
    bare: bool = False
    """Whether the robot is without drives and declared wrenches."""

    @property
    def total(self) -> int:
        return self.M + self.A + self.D

    @property
    def name(self) -> str:
        return "-".join(filter(None, (self.robot, self.model, self.params, self.given, "bare" * self.bare)))

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.at_most is None or self.total <= self.at_most

    def count(self) -> OpCount:
        """The operations of the model now."""
        robot = symoro.load(self.robot)
        if self.bare:
            drives, wrenches = (Drive() for _ in robot.drives), (Wrench() for _ in robot.wrenches)
            robot = replace(robot, drives=tuple(drives), wrenches=tuple(wrenches))
        ops: OpCount = getattr(symoro, self.model)(robot, params=self.params, given=self.given).ops
        return ops


def rows() -> list[Row]:
    return [Row(**row) for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["rows"]]


def lowered(text: str, row: Row, ops: OpCount) -> str:
    """The file's text with the row's figures replaced by lower ones."""
    more = (f'given = "{row.given}"\n' if row.given else "") + "bare = true\n" * row.bare
    start = re.escape(f'robot = "{row.robot}"\nmodel = "{row.model}"\nparams = "{row.params}"\n{more}')
    figures = f"M = {ops.mul}\nA = {ops.add}\n" + (f"D = {ops.div}\n" if ops.div else "")
    return re.sub(rf"({start})(?:[MAD] = \d+\n)+", rf"\g<1>{figures}", text)


def update() -> int:
    """Count every row and lower its figures. Return how many rows went up; their figures stay in the file."""
    above = 0
    for row in rows():
        ops = row.count()
        if ops.total < row.total:
            FILE.write_text(lowered(FILE.read_text(encoding="utf-8"), row, ops), encoding="utf-8")
        above += ops.total > row.total
        sign = "above the budget" if ops.total > row.total else "lowered" if ops.total < row.total else "as before"
        print(f"{row.name}: {row.total} -> {ops.total}, {sign}" + ("" if row.met else f", goal {row.at_most}"))
    return above


if __name__ == "__main__":
    sys.exit(1 if update() else 0)
