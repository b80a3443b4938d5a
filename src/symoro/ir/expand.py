"""The size of the outputs if every intermediate variable is written out; it can grow exponentially."""

from __future__ import annotations

from symoro.errors import ProgramError
from symoro.ir.program import Instruction, Output, Program


def expanded_size(program: Program) -> int:
    """The number of operations in the written-out outputs; an operation counts as often as it is written."""
    sizes: dict[str, int] = {}

    def size(part: Instruction | Output) -> int:
        return sum(sizes.get(name, 0) for name in part.reads)

    for instruction in (*program.setup, *program.instructions):
        sizes.update(dict.fromkeys(instruction.results, 1 + size(instruction)))
    return sum(map(size, program.outputs))


def check_expandable(program: Program, most: int) -> None:
    """Raise an error if the written-out outputs have more than `most` operations."""
    size = expanded_size(program)
    if size > most:
        shown = str(size) if size < 10**9 else f"about 10^{len(str(size)) - 1}" if size < 10**4000 else "countless"
        raise ProgramError(f"written out, the outputs have {shown} operations; at most {most} are allowed")
