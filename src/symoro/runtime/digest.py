"""A short name for a program: programs with the same inputs, instructions and outputs have the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from symoro.ir.ops import Op
from symoro.ir.program import Operand, Program, Ref

_NAMES = {op: op.value for op in Op}


def digest(program: Program) -> str:
    """A hexadecimal number of a main program.

    It is made at each start from code in the cache, so it must be fast: one word for each part, all joined at the end.
    An instruction is its operation, its operands and its results up to a semicolon, which is no name.
    """
    words = [v.name for v in (*program.input_variables(), *program.parameters)]
    for instruction in program.instructions:
        words.append(_NAMES[instruction.op])
        _put(words, instruction.args)
        words += instruction.results
        words.append(";")
    for output in program.outputs:
        _put(words, output.elements)
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    return hashlib.sha256(f"{shapes} {' '.join(words)}".encode()).hexdigest()


def _put(words: list[str], operands: Iterable[Operand]) -> None:
    """Add names with their signs, and numbers."""
    last, text = None, ""  # most elements of a large matrix are one zero
    for operand in operands:
        if isinstance(operand, Ref):
            if operand.negative:
                words.append("-")
            words.append(operand.name)
        else:
            if operand.value is not last:
                last, text = operand.value, repr(float(operand.value))
            words.append(text)
