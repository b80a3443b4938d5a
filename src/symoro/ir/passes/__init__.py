"""Passes: a pass takes a program and returns a program with the same meaning."""

from __future__ import annotations

from itertools import cycle
from operator import attrgetter

from symoro.ir.draft import Draft, Pass, cost
from symoro.ir.passes.algebra import factor_and_share
from symoro.ir.passes.equal import merge_equal
from symoro.ir.passes.flat import flatten, unflatten
from symoro.ir.passes.linear import expand_and_share
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.trig import merge_angles
from symoro.ir.passes.turns import turn_by_three
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


def tidy(program: Program) -> Program:
    """One round of the passes that save most in a short time."""
    lowest = Draft.of(program)
    for run in (factor_and_share, merge_equal, resubstitute):
        candidate = run.draft(program)
        if candidate.cost < lowest.cost:
            lowest, program = candidate, candidate.write()
        candidate.discard()
    return program


def optimize(program: Program) -> Program:
    """Apply the passes in turn until none of them lowers the cost; a result that does not lower it is not kept."""
    lowest, in_vain = Draft.of(program), 0
    if len(program.instructions) > LARGE:
        others = factor_and_share.draft(program), factor_and_share.draft(merge_equal(program))
        return min(lowest, *others, key=_cost).write()
    for run in cycle(PASSES):
        candidate = run.draft(program)
        in_vain += 1
        if candidate.cost < lowest.cost:
            lowest, program, in_vain = candidate, candidate.write(), 0
        candidate.discard()
        if in_vain == len(PASSES):
            break
    return program


_cost = attrgetter("cost")
