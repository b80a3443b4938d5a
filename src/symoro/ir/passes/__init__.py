"""Passes: a pass takes a program and returns a program with the same meaning."""

from __future__ import annotations

from itertools import cycle

from symoro.ir.extract import Cost, Draft, Pass, cost
from symoro.ir.passes.algebra import expand_and_share, factor_and_share, flatten, unflatten
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.turns import merge_angles, merge_equal, turn_by_three
from symoro.ir.program import Program


@Pass
def expand_and_resubstitute(program: Program) -> Draft:
    """Write sums out and share them again; the count may stay the same, but resubstitution then finds more."""
    return resubstitute.draft(expand_and_share(program))


@Pass
def gather(program: Program) -> Draft:
    """Put the constants of each sum and product in front, so that they are combined once, in the setup."""
    return unflatten(flatten(program))


#: The passes that lower the count, in the order in which they are tried.
PASSES: tuple[Pass, ...] = (
    merge_angles,
    factor_and_share,
    merge_equal,
    resubstitute,
    gather,
    expand_and_resubstitute,
    turn_by_three,
)

#: A program with more instructions gets one round of the fastest passes, so that the time stays linear.
LARGE = 2000


class Attempts:
    """What passes made of programs. The same is not tried twice."""

    def __init__(self) -> None:
        self._attempts: dict[tuple[Pass, int], tuple[Program, Program | None]] = {}
        self._costs: dict[int, Cost] = {}

    def __call__(self, run: Pass, program: Program) -> Program | None:
        """What a pass makes of a program if that costs less, else None."""
        key = run, id(program)
        if key not in self._attempts:
            candidate = run.draft(program)
            lower = candidate.write() if candidate.cost < self._cost(program) else None
            candidate.discard()
            self._note(run, program, lower)
            if run in _TO_THE_END and lower is not None:
                self._note(resubstitute, lower, None)
        return self._attempts[key][1]

    def _cost(self, program: Program) -> Cost:
        if id(program) not in self._costs:
            self._costs[id(program)] = cost(program)
        return self._costs[id(program)]

    def _note(self, run: Pass, program: Program, lower: Program | None) -> None:
        self._attempts[run, id(program)] = program, lower  # with the program, which keeps its number while it lives


#: Passes after which resubstitution finds nothing any more.
_TO_THE_END = (resubstitute, expand_and_resubstitute)


def tidy(program: Program, attempts: Attempts) -> Program:
    """One round of the passes that save most in a short time."""
    for run in (factor_and_share, merge_equal, resubstitute):
        program = attempts(run, program) or program
    return program


def optimize(program: Program, attempts: Attempts | None = None) -> Program:
    """Apply the passes in turn until none of them lowers the cost; a result that does not lower it is not kept."""
    if len(program.instructions) > LARGE:
        return min(program, factor_and_share(program), factor_and_share(merge_equal(program)), key=cost)
    attempts, in_vain = attempts or Attempts(), 0
    for run in cycle(PASSES):
        lower = attempts(run, program)
        program, in_vain = (program, in_vain + 1) if lower is None else (lower, 0)
        if in_vain == len(PASSES):
            break
    return program
