"""The search for the formulation with the fewest operations.

A form with layouts takes a layout: the choices that it leaves open. The search starts from likely layouts
and changes one choice at a time, keeping what lowers the count; with more effort it changes two at a time, sends
several layouts through the algebraic passes and starts those anew with other seeds.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any, Protocol, Self

from symoro.findings import Finding
from symoro.ir.extract import Cost, cost
from symoro.ir.passes import LARGE, Attempts, optimize, tidy
from symoro.ir.passes.algebra import expand_and_share, factor_and_share
from symoro.ir.program import Program
from symoro.models.results import Candidate, Sketch, say
from symoro.robot.robot import Robot


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a search may try, counted in operations and not in seconds: a search ends the same everywhere."""

    #: The formulations that are counted have so many operations together, so that the work is the same for all robots.
    counted: int
    #: How many choices change at once.
    changes: int
    #: Layouts of an algorithm that go through the algebraic passes.
    finalists: int
    #: Candidates go through the algebraic passes while they count at most so many times the cheapest one.
    worthwhile: float
    #: How many instructions of candidates go through the fast algebraic passes; the cheapest candidate does anyway.
    instructions: int
    #: How many of these candidates go through all of them, until nothing helps.
    thorough: int
    #: Restarts of the algebraic passes.
    seeds: int


EFFORTS = {
    "fast": Effort(counted=34_000, changes=1, finalists=4, worthwhile=1.06, instructions=1000, thorough=1, seeds=0),
    "best": Effort(counted=600_000, changes=2, finalists=5, worthwhile=1.15, instructions=20_000, thorough=5, seeds=8),
}

#: The forms of a model of legs are so different that passes can make the cheapest of one that counts more before them.
#: Its layouts are not, and to write one takes long: the fast search takes the cheapest.
EFFORTS_OF_LEGS = {
    "fast": replace(EFFORTS["fast"], finalists=1, worthwhile=1.3, instructions=10_000, thorough=2),
    "best": replace(EFFORTS["best"], worthwhile=1.3),
}

#: How many candidates go through the algebraic passes again, with other seeds.
RESTARTED = 2


def effort_of(choice: bool | str, robot: Robot) -> Effort:
    """The effort that a value of the option `optimize` asks for."""
    return (EFFORTS_OF_LEGS if robot.platforms else EFFORTS)[choice if isinstance(choice, str) else "fast"]


class Choices(Protocol):
    """What a search varies; its text says what was chosen."""

    def neighbours(self, robot: Robot) -> Iterator[Self]:
        """Every layout that differs in one choice."""

    @property
    def kind(self) -> Hashable:
        """Layouts of one kind end alike: only the cheapest of them goes through the algebraic passes."""


# layouts


class _Trials:
    """The layouts that were counted, and how many operations more may be."""

    def __init__(self, count: Callable[[Choices], Cost], left: int) -> None:
        self.count: Callable[[Any], Cost] = cache(count)  # going back is a change, too
        self.left = left
        self.counted: list[tuple[Cost, Choices]] = []

    def __call__(self, layout: Choices) -> Cost:
        cost = self.count(layout)
        self.left -= cost[0]
        self.counted.append((cost, layout))
        return cost

    def ranked(self) -> list[Choices]:
        """The cheapest layout of each kind, the cheapest first; of those that count the same, the first found."""
        best: dict[Hashable, Choices] = {}
        costs: set[Cost] = set()
        for counted, layout in sorted(self.counted, key=lambda one: one[0]):
            if layout.kind not in best and counted not in costs:
                best[layout.kind] = layout
                costs.add(counted)
        return list(best.values())


def best_layouts(
    robot: Robot, starts: Iterable[Choices], count: Callable[[Choices], Cost], effort: Effort
) -> list[Choices]:
    """The cheapest layouts that a descent finds, as many as go through the algebraic passes."""
    trials = _Trials(count, effort.counted)
    for start in starts:
        if trials.left > 0:
            trials(start)
    _descend(robot, trials)
    while effort.changes > 1 and trials.left > 0 and _change_two(robot, trials):
        _descend(robot, trials)
    return trials.ranked()[: effort.finalists]


def _descend(robot: Robot, trials: _Trials) -> None:
    """Change one choice after the other, until no change helps."""
    lowest, layout = min(trials.counted, key=lambda one: one[0])
    others = list(layout.neighbours(robot))
    choices, unchanged, position = len(others), 0, 0
    while unchanged < choices and trials.left > 0:
        other = others[position % choices]
        position, unchanged = position + 1, unchanged + 1
        counted = trials(other)
        if counted < lowest:
            lowest, others, unchanged = counted, list(other.neighbours(robot)), 0


def _change_two(robot: Robot, trials: _Trials) -> bool:
    """Change two choices of the cheapest layout at a time, until that helps; whether it did."""
    lowest, layout = min(trials.counted, key=lambda one: one[0])
    say(Finding("progress.two_changes", operations=lowest[0]))
    for other in layout.neighbours(robot):
        for another in other.neighbours(robot):
            if trials.left <= 0:
                return False
            if trials(another) < lowest:
                return True
    return False


# algebraic passes


@contextmanager
def rare_collection() -> Iterator[None]:
    """Search for garbage rarely: a search makes many small objects that stay, and looking at them takes long."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@rare_collection()
def cheapest(sketches: Iterable[Sketch], effort: Effort) -> Candidate:
    """The candidate that is cheapest after the algebraic passes."""
    worthwhile = _worthwhile(sorted(sketches, key=lambda one: one.draft.cost), effort)
    attempts = Attempts()
    if len(worthwhile) > effort.thorough:
        worthwhile = sorted(worthwhile, key=lambda one: cost(tidy(one.program, attempts)))[: effort.thorough]
    reached = []
    for k, one in enumerate(worthwhile, 1):
        form, operations = one.formulation, _cost(one)[0]
        say(Finding("progress.passes", k=k, count=len(worthwhile), form=form, operations=operations))
        reached.append((replace(one, program=optimize(one.program, attempts)), one))
    reached.sort(key=lambda pair: _cost(pair[0]))
    if not effort.seeds:
        return reached[0][0]
    return min((_restarted(after, before, effort) for after, before in reached[:RESTARTED]), key=_cost)


def _worthwhile(sketches: list[Sketch], effort: Effort) -> list[Candidate]:
    """The candidates that may end lowest, as many as the effort allows; they are written, the others are not."""
    limit = effort.worthwhile * sketches[0].draft.cost[0]
    sizes = accumulate(one.draft.size for one in sketches)
    chosen = [one for one, size in zip(sketches, sizes, strict=True) if size <= effort.instructions]
    written = [one.written() for one in [one for one in chosen if one.draft.cost[0] <= limit] or sketches[:1]]
    for one in sketches:
        one.draft.discard()
    return written


def _restarted(lowest: Candidate, written: Candidate, effort: Effort) -> Candidate:
    """The cheapest that other seeds of the algebraic passes reach."""
    say(Finding("progress.seeds", form=lowest.formulation, operations=_cost(lowest)[0]))
    for program in _restarts(written.program, lowest.program, effort.seeds):
        lowest = replace(lowest, program=program)
        say(Finding("progress.seeds", form=lowest.formulation, operations=_cost(lowest)[0]))
    return lowest


def _cost(candidate: Candidate) -> Cost:
    return cost(candidate.program)


def _restarts(written: Program, lowest: Program, seeds: int) -> Iterator[Program]:
    """Programs that the passes reach with other seeds, each cheaper than the one before."""
    if len(written.instructions) > LARGE:
        return
    for seed in range(1, seeds + 1):
        for start in (
            factor_and_share(written, seed),
            expand_and_share(written, seed, 6 + 2 * seed),
            expand_and_share(lowest, seed, 6 + 2 * seed),
        ):
            program = optimize(start)
            if cost(program) < cost(lowest):
                lowest = program
                yield program
