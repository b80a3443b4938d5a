"""Passes: a pass takes a program and returns a program with the same meaning."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

from symoro.ir.passes.algebra import factor_and_share
from symoro.ir.passes.equal import merge_equal
from symoro.ir.passes.flat import flatten, unflatten
from symoro.ir.passes.linear import expand_and_share
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.trig import merge_angles
from symoro.ir.passes.turns import turn_by_three
from symoro.ir.program import Program

Pass = Callable[[Program], Program]


def expand_and_resubstitute(program: Program) -> Program:
    """Write sums out and share them again; the count may stay the same, but resubstitution then finds more."""
    return resubstitute(expand_and_share(program))


def gather(program: Program) -> Program:
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


def cost(program: Program) -> tuple[int, int, int]:
    """What a search minimises: arithmetic first, then calls of functions, then the arithmetic of the setup."""
    ops = program.ops
    return ops.total, ops.trig + ops.sqrt + ops.other, program.setup_ops.total


#: A program with more instructions gets one round of the fastest passes, so that the time stays linear.
LARGE = 2000


def tidy(program: Program) -> Program:
    """One round of the passes that save most in a short time."""
    for run in (factor_and_share, merge_equal, resubstitute):
        program = min(program, run(program), key=cost)
    return program


def optimize(program: Program) -> Program:
    """Apply the passes in turn until none of them lowers the cost; a result that does not lower it is not kept."""
    if len(program.instructions) > LARGE:
        return min(program, factor_and_share(program), factor_and_share(merge_equal(program)), key=cost)
    lowest, in_vain = cost(program), 0
    for run in cycle(PASSES):
        candidate = run(program)
        found = cost(candidate)
        in_vain += 1
        if found < lowest:
            program, lowest, in_vain = candidate, found, 0
        if in_vain == len(PASSES):
            break
    return program
