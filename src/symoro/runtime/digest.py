"""A short name for what a program computes: the names of its variables do not matter, equal code is one."""

from __future__ import annotations

import hashlib
from array import array

from symoro.ir.ops import Op
from symoro.ir.program import Literal, Operand, Program

_NUMBER = {op: k for k, op in enumerate(Op)}


def digest(program: Program) -> str:
    """A hexadecimal number of a main program's operations, operands and shapes."""
    numbers: dict[str, int] = {}
    for variable in (*program.input_variables(), *program.parameters):
        numbers[variable.name] = len(numbers)
    literals: list[float] = []
    code: list[int] = []

    def put(operands: tuple[Operand, ...]) -> None:
        for operand in operands:
            if isinstance(operand, Literal):
                code.append(-1)
                literals.append(float(operand.value))
            else:
                code.append(2 * numbers[operand.name] + operand.negative)

    for instruction in program.instructions:
        code += (_NUMBER[instruction.op], len(instruction.args))
        put(instruction.args)
        for name in instruction.results:
            numbers[name] = len(numbers)
    for output in program.outputs:
        put(output.elements)
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    found = hashlib.sha256(repr(shapes).encode())
    for part in (array("q", code), array("d", literals)):
        found.update(part.tobytes())
    return found.hexdigest()
