"""A second interpreter of programs, with 80 digits: the oracle of `evaluate` and of derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

from symoro.ir.expr import Op
from symoro.ir.program import Literal, Operand, Program

mp = mpmath.mp.clone()
mp.dps = 80

_MEANING = {
    Op.ADD: lambda a, b: a + b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b,
    Op.SQRT: mp.sqrt,
    Op.SIN: mp.sin,
    Op.COS: mp.cos,
    Op.TAN: mp.tan,
    Op.ASIN: mp.asin,
    Op.ACOS: mp.acos,
    Op.ATAN2: mp.atan2,
    Op.EXP: mp.exp,
    Op.ABS: abs,
    Op.SIGN: mp.sign,
    Op.MIN: min,
    Op.MAX: max,
    Op.LESS: lambda a, b: mp.mpf(a < b),
    Op.LESS_EQUAL: lambda a, b: mp.mpf(a <= b),
    Op.EQUAL: lambda a, b: mp.mpf(a == b),
    Op.SELECT: lambda c, a, b: a if c != 0 else b,
}


def scalars(program: Program, inputs: Mapping[str, Any], parameters: Mapping[str, float]) -> dict[str, Any]:
    """The scalars of inputs and parameters by their names."""
    numbers = {p.name: mp.mpf(parameters[p.name]) for p in program.parameters}
    for array in program.inputs:
        flat = np.asarray(inputs[array.name], dtype=object).reshape(-1)
        numbers.update(zip((v.name for v in array.variables), map(mp.mpf, flat), strict=True))
    return numbers


def precise(program: Program, numbers: Mapping[str, Any]) -> tuple[dict[str, list[Any]], float]:
    """The elements of every output, and the largest number met on the way."""
    values = dict(numbers)

    def read(operand: Operand) -> Any:
        if isinstance(operand, Literal):
            c = operand.value.coefficient
            number = mp.mpf(c) if isinstance(c, float) else mp.mpf(c.numerator) / c.denominator
            return number * mp.pi if operand.value.pi else number
        return -values[operand.name] if operand.negative else values[operand.name]

    for instruction in (*program.setup, *program.instructions):
        args = [read(a) for a in instruction.args]
        if instruction.op is Op.SOLVE:
            n = len(instruction.results)
            matrix = mp.matrix([args[n * i : n * i + n] for i in range(n)])
            values.update(zip(instruction.results, mp.lu_solve(matrix, mp.matrix(args[n * n :])), strict=True))
        else:
            values[instruction.results[0]] = _MEANING[instruction.op](*args)
    largest = max((float(abs(v)) for v in values.values()), default=0.0)
    return {o.name: [read(e) for e in o.elements] for o in program.outputs}, largest


def slopes(program: Program, numbers: Mapping[str, Any], names: list[str]) -> dict[str, np.ndarray]:
    """Central differences by scalars: (elements, names) for every output, true to about 20 digits."""
    step = mp.mpf(10) ** -25
    columns: dict[str, list[list[float]]] = {o.name: [] for o in program.outputs}
    for name in names:
        above, _ = precise(program, {**numbers, name: numbers[name] + step})
        below, _ = precise(program, {**numbers, name: numbers[name] - step})
        for output, column in columns.items():
            pairs = zip(above[output], below[output], strict=True)
            column.append([float((a - b) / (2 * step)) for a, b in pairs])
    return {output: np.array(c).T.reshape(-1, len(names)) for output, c in columns.items()}
