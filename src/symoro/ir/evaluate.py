"""Evaluates a program. This is the meaning of programs: every pass, target and runtime is tested against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import MissingParameter, ShapeError
from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Input, Instruction, Literal, Operand, Program

Array = NDArray[Any]

#: The functions by their names in NumPy: the reference calls them, and generated Python too.
NUMPY_NAMES = {
    Op.SQRT: "sqrt",
    Op.SIN: "sin",
    Op.COS: "cos",
    Op.TAN: "tan",
    Op.ASIN: "arcsin",
    Op.ACOS: "arccos",
    Op.ATAN2: "arctan2",
    Op.EXP: "exp",
    Op.ABS: "abs",
    Op.SIGN: "sign",
    Op.MIN: "minimum",
    Op.MAX: "maximum",
}


def _indicator(holds: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """1 where a comparison holds, else 0."""
    return lambda a, b: np.asarray(holds(a, b), dtype=np.result_type(a, b, np.float32))


_MEANING: dict[Op, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    **{op: getattr(np, name) for op, name in NUMPY_NAMES.items()},
    **{op: _indicator(comparison.holds) for op, comparison in COMPARISONS.items()},
    Op.SELECT: lambda c, a, b: np.where(np.not_equal(c, 0), a, b),
}


def evaluate(
    program: Program, inputs: Mapping[str, ArrayLike], parameters: Mapping[str, float], dtype: Any = np.float64
) -> dict[str, Array]:
    """The outputs for given inputs, which broadcast over leading axes: q may be (6,) or (..., 6)."""
    missing = [p.name for p in program.parameters if p.name not in parameters]
    if missing:
        raise MissingParameter(missing)
    values: dict[str, Any] = {p.name: dtype(parameters[p.name]) for p in program.parameters}
    for array in program.inputs:
        values.update(_spread(array, inputs, dtype))
    with np.errstate(all="ignore"):
        for instruction in (*program.setup, *program.instructions):
            _run(instruction, values, dtype)
    batch = np.broadcast_shapes(*(np.shape(values[v.name]) for v in program.input_variables()))
    return {
        o.name: _stack([_read(e, values, dtype) for e in o.elements], batch, dtype).reshape((*batch, *o.shape))
        for o in program.outputs
    }


def _spread(array: Input, inputs: Mapping[str, ArrayLike], dtype: Any) -> dict[str, Any]:
    """The scalars of one input array."""
    if array.name not in inputs:
        if not array.optional:
            raise ShapeError("programs.missing_input", name=array.name, shape=str(array.shape))
        return {v.name: dtype(v.default or 0.0) for v in array.variables}
    values = np.asarray(inputs[array.name], dtype=dtype)
    k = len(array.shape)
    if values.shape[values.ndim - k :] != array.shape:
        raise ShapeError("programs.shape", name=array.name, shape=str(array.shape), other=str(values.shape))
    flat = values.reshape(*values.shape[: values.ndim - k], len(array.variables))
    return {v.name: flat[..., i] for i, v in enumerate(array.variables)}


def _read(operand: Operand, values: Mapping[str, Any], dtype: Any) -> Any:
    if isinstance(operand, Literal):
        return dtype(float(operand.value))
    value = values[operand.name]
    return -value if operand.negative else value


def _run(instruction: Instruction, values: dict[str, Any], dtype: Any) -> None:
    args = [_read(a, values, dtype) for a in instruction.args]
    if instruction.op is Op.SOLVE:
        values.update(zip(instruction.results, _solve(args, len(instruction.results)), strict=True))
    else:
        values[instruction.results[0]] = _MEANING[instruction.op](*args)


def _solve(args: list[Any], n: int) -> list[Any]:
    batch = np.broadcast_shapes(*(np.shape(a) for a in args))
    flat = np.stack([np.broadcast_to(a, batch) for a in args], axis=-1)
    matrix, right = flat[..., : n * n].reshape(*batch, n, n), flat[..., n * n :]
    regular = np.linalg.slogdet(matrix)[0] != 0
    matrix = np.where(regular[..., None, None], matrix, np.eye(n, dtype=matrix.dtype))
    solution = np.linalg.solve(matrix, right[..., None])[..., 0]
    solution = np.where(regular[..., None], solution, np.nan)  # a singular matrix has no solution to return
    return [solution[..., i] for i in range(n)]


def _stack(elements: list[Any], batch: tuple[int, ...], dtype: Any) -> Array:
    if not elements:
        return np.zeros((*batch, 0), dtype)
    return np.stack([np.broadcast_to(np.asarray(e, dtype), batch) for e in elements], axis=-1)
