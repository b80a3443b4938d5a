"""A program as a CasADi Function, with CasADi's own derivatives; the parameters are numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import prod
from typing import Any

import casadi as ca

from symoro.errors import MissingParameter, TargetError
from symoro.findings import Finding
from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Input, Program
from symoro.runtime.function import Signature
from symoro.runtime.interpreter import Interpreter
from symoro.runtime.kernel import Array

_MEANING: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b,
    Op.SQRT: ca.sqrt,
    Op.SIN: ca.sin,
    Op.COS: ca.cos,
    Op.TAN: ca.tan,
    Op.ASIN: ca.asin,
    Op.ACOS: ca.acos,
    Op.ATAN2: ca.atan2,
    Op.EXP: ca.exp,
    Op.ABS: ca.fabs,
    Op.SIGN: ca.sign,
    Op.MIN: ca.fmin,
    Op.MAX: ca.fmax,
    **{op: comparison.holds for op, comparison in COMPARISONS.items()},
    Op.SELECT: lambda c, a, b: ca.if_else(c != 0, a, b),
}


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> ca.Function:
    """The backend `casadi`: f(q=..., qd=..., qdd=...)["GAM"]; by position, CasADi wants every input.

    Vectors are columns. An array of more than two axes is a matrix with a row for each element of its first axis. For
    an optional input that is not given, CasADi has one number: the default of its elements, or NaN if they differ.
    """
    if dtype != "float64":
        raise TargetError("backends.casadi_type", type=dtype)
    signature = Signature(program, defaults, known)
    main = signature._main
    constants = _fixed(signature)
    values: dict[str, Any] = {p.name: ca.SX(float(c)) for p, c in zip(main.parameters, constants, strict=True)}
    inputs = sorted(main.inputs, key=lambda i: i.optional)  # by position, as for every function
    arrays = [ca.SX.sym(array.name, *_size(array.shape)) for array in inputs]
    for array, symbol in zip(inputs, arrays, strict=True):
        columns = _size(array.shape)[1]
        values |= {v.name: symbol[k // columns, k % columns] for k, v in enumerate(array.variables)}
    _CASADI.run(main.instructions, values)
    results = [_matrix([_CASADI.read(e, values) for e in o.elements], o.shape) for o in main.outputs]
    names = [i.name for i in inputs], [o.name for o in main.outputs]
    return ca.Function("f", arrays, results, *names, {"default_in": [_default(i) for i in inputs]})


def _fixed(signature: Signature) -> Array:
    """The constants, which a function of CasADi has for ever."""
    try:
        return signature.parameters.constants({})
    except MissingParameter as error:
        raise MissingParameter(error.names, Finding("backends.casadi_values")) from None


def _default(array: Input) -> float:
    numbers = {v.default or 0.0 for v in array.variables} if array.optional else {0.0}
    return numbers.pop() if len(numbers) == 1 else float("nan")


def _size(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of an array."""
    return (shape[0], prod(shape[1:])) if shape else (1, 1)


def _matrix(elements: list[Any], shape: tuple[int, ...]) -> Any:
    rows, columns = _size(shape)
    if not elements:
        return ca.SX(rows, columns)
    return ca.densify(ca.reshape(ca.vertcat(*elements), columns, rows).T)


def _solve(args: list[Any], n: int) -> list[Any]:
    """Elimination with partial pivoting, as expressions: rows are exchanged by choices."""
    rows = [[*args[n * i : n * (i + 1)], args[n * n + i]] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            larger = ca.fabs(rows[i][k]) > ca.fabs(rows[k][k])
            pairs = [(a, b) for a, b in zip(rows[k], rows[i], strict=True)]
            rows[k] = [ca.if_else(larger, b, a) for a, b in pairs]
            rows[i] = [ca.if_else(larger, a, b) for a, b in pairs]
        rows[k][k] = ca.if_else(rows[k][k] == 0, float("nan"), rows[k][k])
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [b - factor * a if j > k else b for j, (a, b) in enumerate(zip(rows[k], rows[i], strict=True))]
    solution: dict[int, Any] = {}
    for i in reversed(range(n)):
        known = sum((rows[i][j] * solution[j] for j in range(i + 1, n)), ca.SX(0))
        solution[i] = (rows[i][n] - known) / rows[i][i]
    return [solution[i] for i in range(n)]


_CASADI = Interpreter(_MEANING, _solve, ca.SX)
