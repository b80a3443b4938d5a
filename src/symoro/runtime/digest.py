"""A short name for a program: programs with the same inputs, instructions and outputs have the same one."""

from __future__ import annotations

import hashlib

from symoro.ir.ops import Op
from symoro.ir.program import Instruction, Operand, Output, Program, Ref

#: What begins an instruction; no name has a semicolon.
_BEGIN = {op: f";{op.value}" for op in Op}


def digest(program: Program) -> str:
    """A hexadecimal number of a main program."""
    names = (v.name for v in (*program.input_variables(), *program.parameters))
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    return hashlib.sha256(f"{shapes} {' '.join([*names, *_words(program)])}".encode()).hexdigest()


def _words(program: Program) -> list[str]:
    """Operation, results and operands of each instruction, then the elements of the outputs.

    It is made at each start from code in the cache, so it must be fast: one loop, without a call for each part.
    """
    words: list[str] = []
    last: object = None
    text = ""  # of the last number: most elements of a large matrix are one zero
    operands: tuple[Operand, ...]
    parts: tuple[Instruction | Output, ...] = (*program.instructions, *program.outputs)
    for part in parts:
        if isinstance(part, Instruction):
            words.append(_BEGIN[part.op])
            words += part.results
            operands = part.args
        else:
            words.append(";")
            operands = part.elements
        for operand in operands:
            if isinstance(operand, Ref):
                words.append(operand.name)
                if operand.negative:
                    words.append("-")
            else:
                if operand.value is not last:
                    last, text = operand.value, repr(float(operand.value))
                words.append(text)
    return words
