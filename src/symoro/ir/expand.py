"""How large the outputs are when every intermediate variable is written out: sharing undone can be exponential."""

from __future__ import annotations

from symoro.errors import ProgramError
from symoro.ir.program import Operand, Program, Ref


def expanded_size(program: Program) -> int:
    """The operations of the outputs written out, each counted as often as it is then written."""
    sizes: dict[str, int] = {}

    def size(operands: tuple[Operand, ...]) -> int:
        return sum(sizes.get(o.name, 0) for o in operands if isinstance(o, Ref))

    for instruction in (*program.setup, *program.instructions):
        total = 1 + size(instruction.args)
        sizes.update(dict.fromkeys(instruction.results, total))
    return sum(size(o.elements) for o in program.outputs)


def check_expandable(program: Program, most: int) -> None:
    """An error when the outputs written out have more operations than `most`."""
    size = expanded_size(program)
    if size > most:
        shown = str(size) if size < 10**9 else f"about 10^{len(str(size)) - 1}" if size < 10**4000 else "countless"
        raise ProgramError(f"written out, the outputs have {shown} operations; at most {most} are allowed")
