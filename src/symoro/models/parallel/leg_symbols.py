"""The letters of a leg whose joint angles are known by their sines and cosines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symoro.ir.expr import Expr
from symoro.ir.meaning import Meaning
from symoro.ir.spatial import Turn
from symoro.robot.joint import Joint
from symoro.robot.values import Value
from symoro.symbols import Symbols

Pair = tuple[Expr, Expr]


@dataclass(frozen=True)
class LegSymbols(Symbols):
    """A leg's letters. Sines and cosines that are ratios need no trigonometric call."""

    turned: Mapping[int, Pair] = field(default_factory=dict)
    """Cosine and sine of the coordinate θ of revolute joints."""

    @cached_property
    def slopes(self) -> dict[int, dict[int, Expr]]:
        """Coordinates of legs are variables plus constants."""
        return {j: {j: self.graph.one} for j in self.movable}

    def _turn(self, axis: int, letter: str, j: Joint, value: Value) -> Turn:
        if letter or j.index not in self.turned:
            return super()._turn(axis, letter, j, value)
        for x, head, what in zip(self.turned[j.index], "CS", ("cosine", "sine"), strict=True):
            meaning = Meaning(f"{what} of the angle of joint {j.index}", link=j.index)
            self.graph.name(x, f"{head}{j.index}{self.state.suffix}", meaning)
        return Turn(axis, *self.turned[j.index])
