"""The search for the formulation with the fewest operations.

An algorithm that is `laid_out` takes a layout, the choices that it leaves open. The search starts from a likely layout
and changes one choice at a time, keeping what lowers the count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, Self

from symoro.ir.extract import Result
from symoro.ir.passes import LARGE, cost, optimize
from symoro.ir.program import Program
from symoro.ir.tally import Cost
from symoro.robot.robot import Robot

#: Candidates are worth the algebraic passes while they count at most so many times the cheapest one.
WORTHWHILE = 1.12
#: How many formulations are counted for a robot of ten links; longer robots get fewer, so that the work stays bounded.
TRIALS = 40


class Choices(Protocol):
    """What a search varies."""

    def neighbours(self, robot: Robot) -> Iterator[Self]:
        """Every layout that differs in one choice."""


Writer = Callable[..., list[Result]]


def laid_out(starts: Callable[[Robot], Iterable[Any]]) -> Callable[[Writer], Writer]:
    """Marks an algorithm that takes a layout; `starts` are layouts for a search to begin with."""

    def mark(algorithm: Writer) -> Writer:
        algorithm.starts = starts  # type: ignore[attr-defined]
        return algorithm

    return mark


def best_layout(robot: Robot, starts: Iterable[Any], count: Callable[[Any], Cost]) -> Any:
    """The cheapest layout that a descent finds: one choice after the other is changed, until no change helps."""
    likeliest, *others = starts
    trials = int(TRIALS * min(1.0, (10 / max(1, robot.link_count)) ** 2))
    if not trials:
        return likeliest
    lowest, layout = count(likeliest), likeliest
    for other in others:
        if (counted := count(other)) < lowest:
            lowest, layout = counted, other
    choices = len(list(layout.neighbours(robot)))
    unchanged, position = 0, 0
    while unchanged < choices and trials > 0:
        other = list(layout.neighbours(robot))[position % choices]
        position, trials, unchanged = position + 1, trials - 1, unchanged + 1
        counted = count(other)
        if counted < lowest:
            lowest, layout, unchanged = counted, other, 0
    return layout


def cheapest(candidates: Iterable[Program]) -> Program:
    """The candidate that is cheapest after the algebraic passes."""
    found = sorted(candidates, key=cost)
    limit = WORTHWHILE * cost(found[0])[0]
    worthwhile = [p for p in found if cost(p)[0] <= limit]
    return min(map(optimize, worthwhile[:1] if len(found[0].instructions) > LARGE else worthwhile), key=cost)
