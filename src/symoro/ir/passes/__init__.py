"""Passes: each takes a program and returns one that means the same."""

from __future__ import annotations

from collections.abc import Callable

from symoro.ir.passes.algebra import factor_and_share
from symoro.ir.passes.linear import expand_and_share
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.trig import merge_angles
from symoro.ir.program import Program

Pass = Callable[[Program], Program]

#: The passes that lower the count, in the order in which they are tried.
PASSES: tuple[Pass, ...] = (merge_angles, factor_and_share, expand_and_share, resubstitute)


def cost(program: Program) -> tuple[int, int, int]:
    """What a search minimises: arithmetic first, then calls, then the work done once."""
    ops = program.ops
    return ops.total, ops.trig + ops.sqrt + ops.other, program.setup_ops.total


#: Beyond this many instructions a program gets one round of the fastest pass, so that the work stays linear.
LARGE = 4000


def optimize(program: Program) -> Program:
    """Apply the passes as long as one of them lowers the cost; a pass that does not is not kept."""
    if len(program.instructions) > LARGE:
        return min(program, factor_and_share(program), key=cost)
    improved = True
    while improved:
        improved = False
        for run in PASSES:
            candidate = run(program)
            if cost(candidate) < cost(program):
                program, improved = candidate, True
    return program
