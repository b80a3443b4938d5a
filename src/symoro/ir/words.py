"""The instructions and outputs of a program as words: a short text that tells programs apart."""

from __future__ import annotations

from symoro.ir.ops import Op
from symoro.ir.program import Operand, Program, Ref

#: What begins an instruction; no name has a semicolon.
_BEGIN = {op: f";{op.value}" for op in Op}


def words(program: Program) -> list[str]:
    """Operation, results and operands of each instruction, then the elements of the outputs.

    They are made at each start from code in the cache, so that must be fast: loops without a call for each part.
    """
    found: list[str] = []
    put = found.append
    for instruction in program.instructions:
        put(_BEGIN[instruction.op])
        found += instruction.results
        for operand in instruction.args:
            if isinstance(operand, Ref):
                put(operand.name)
                if operand.negative:
                    put("-")
            else:
                put(repr(float(operand.value)))
    for output in program.outputs:
        put(";")
        _put_elements(output.elements, found)
    return found


def _put_elements(elements: tuple[Operand, ...], found: list[str]) -> None:
    last: Operand | None = None  # the last number: most elements of a large matrix are one zero
    text, put = "", found.append
    for operand in elements:
        if operand is last:
            put(text)
        elif isinstance(operand, Ref):
            put(operand.name)
            if operand.negative:
                put("-")
        else:
            last, text = operand, repr(float(operand.value))
            put(text)
