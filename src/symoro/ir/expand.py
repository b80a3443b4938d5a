"""How large the outputs are when every intermediate variable is written out: sharing undone can be exponential."""

from __future__ import annotations

from symoro.errors import ProgramError
from symoro.ir.program import Instruction, Output, Program


def expanded_size(program: Program) -> int:
    """The operations of the outputs written out, each counted as often as it is then written."""
    sizes: dict[str, int] = {}

    def size(part: Instruction | Output) -> int:
        return sum(sizes.get(name, 0) for name in part.reads)

    for instruction in (*program.setup, *program.instructions):
        sizes.update(dict.fromkeys(instruction.results, 1 + size(instruction)))
    return sum(map(size, program.outputs))


def check_expandable(program: Program, most: int) -> None:
    """An error when the outputs written out have more operations than `most`."""
    size = expanded_size(program)
    if size > most:
        shown = str(size) if size < 10**9 else f"about 10^{len(str(size)) - 1}" if size < 10**4000 else "countless"
        raise ProgramError(f"written out, the outputs have {shown} operations; at most {most} are allowed")
