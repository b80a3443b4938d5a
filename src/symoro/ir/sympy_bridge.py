"""The outputs of a program as SymPy expressions of its inputs and parameters."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symoro.errors import ProgramError
from symoro.ir.expand import check_expandable
from symoro.ir.expr import Op
from symoro.ir.program import Instruction, Literal, Operand, Output, Program

#: Larger systems of equations have solutions that nobody can read.
_LARGEST_SOLVE = 4


def to_sympy(program: Program, *, real: bool = False, most: int = 10_000_000) -> dict[str, Any]:
    """Every output: an expression, a Matrix (a vector is a column) or an array of more dimensions.

    Symbols have no assumptions, so that `subs({"q1": 0})` finds them; with `real=True` they are real. Nothing is
    simplified. `most` is the largest number of operations of the written-out outputs.
    """
    import sympy

    check_expandable(program, most)
    assumptions = {"real": True} if real else {}
    values: dict[str, Any] = {
        v.name: sympy.Symbol(v.name, **assumptions) for v in (*program.input_variables(), *program.parameters)
    }
    meanings = _meanings(sympy)
    for instruction in (*program.setup, *program.instructions):
        args = [_read(sympy, a, values) for a in instruction.args]
        if instruction.op is Op.SOLVE:
            values.update(zip(instruction.results, _solve(sympy, instruction, args), strict=True))
        else:
            values[instruction.results[0]] = meanings[instruction.op](*args)
    return {o.name: _array(sympy, o, [_read(sympy, e, values) for e in o.elements]) for o in program.outputs}


def _meanings(sympy: Any) -> dict[Op, Callable[..., Any]]:
    def indicator(condition: Any) -> Any:
        return sympy.Piecewise((1, condition), (0, True))

    return {
        Op.ADD: lambda a, b: a + b,
        Op.MUL: lambda a, b: a * b,
        Op.DIV: lambda a, b: a / b,
        Op.SQRT: sympy.sqrt,
        Op.SIN: sympy.sin,
        Op.COS: sympy.cos,
        Op.TAN: sympy.tan,
        Op.ASIN: sympy.asin,
        Op.ACOS: sympy.acos,
        Op.ATAN2: sympy.atan2,
        Op.EXP: sympy.exp,
        Op.ABS: sympy.Abs,
        Op.SIGN: sympy.sign,
        Op.MIN: sympy.Min,
        Op.MAX: sympy.Max,
        Op.LESS: lambda a, b: indicator(sympy.Lt(a, b)),
        Op.LESS_EQUAL: lambda a, b: indicator(sympy.Le(a, b)),
        Op.EQUAL: lambda a, b: indicator(sympy.Eq(a, b)),
        Op.SELECT: lambda c, a, b: sympy.Piecewise((a, sympy.Ne(c, 0)), (b, True)),
    }


def _read(sympy: Any, operand: Operand, values: dict[str, Any]) -> Any:
    if not isinstance(operand, Literal):
        return -values[operand.name] if operand.negative else values[operand.name]
    coefficient = operand.value.coefficient
    if isinstance(coefficient, Fraction):
        number = sympy.Rational(coefficient.numerator, coefficient.denominator)
        return number * sympy.pi if operand.value.pi else number
    return sympy.Float(float(operand.value))


def _solve(sympy: Any, instruction: Instruction, args: list[Any]) -> list[Any]:
    """x = adj(A) b / det(A), which needs no choice of pivots."""
    n = len(instruction.results)
    if n > _LARGEST_SOLVE:
        raise ProgramError("programs.large_system", count=n, most=_LARGEST_SOLVE)
    matrix = sympy.Matrix(n, n, args[: n * n])
    solution = matrix.adjugate(method="berkowitz") * sympy.Matrix(args[n * n :]) / matrix.det(method="berkowitz")
    return list(solution)


def _array(sympy: Any, output: Output, elements: list[Any]) -> Any:
    if not output.shape:
        return elements[0]
    if len(output.shape) <= 2:
        rows, columns = (*output.shape, 1)[:2]
        return sympy.Matrix(rows, columns, elements)
    return sympy.ImmutableDenseNDimArray(elements, output.shape)
