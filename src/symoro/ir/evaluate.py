"""Evaluates a program. This is the meaning of programs: every pass, target and runtime is tested against it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import MissingParameter, ShapeError
from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Input, Instruction, Operand, Program, Ref

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
    Op.ADD: operator.add,
    Op.MUL: operator.mul,
    Op.DIV: operator.truediv,
    **{op: getattr(np, name) for op, name in NUMPY_NAMES.items()},
    **{op: _indicator(comparison.holds) for op, comparison in COMPARISONS.items()},
    Op.SELECT: lambda c, a, b: np.where(np.not_equal(c, 0), a, b),
}


#: From the inputs to the outputs.
Evaluator = Callable[[Mapping[str, ArrayLike]], dict[str, Array]]


def evaluate(
    program: Program, inputs: Mapping[str, ArrayLike], parameters: Mapping[str, float], dtype: Any = np.float64
) -> dict[str, Array]:
    """The outputs for given inputs, which broadcast over leading axes: q may be (6,) or (..., 6)."""
    return evaluator(program, parameters, dtype)(inputs)


def evaluator(program: Program, parameters: Mapping[str, float], dtype: Any = np.float64) -> Evaluator:
    """`evaluate` for many calls with the same parameters: names become places in a list, and the setup runs once."""
    missing = [p.name for p in program.parameters if p.name not in parameters]
    if missing:
        raise MissingParameter(missing)
    known: list[Any] = [dtype(parameters[p.name]) for p in program.parameters]
    places = {p.name: place for place, p in enumerate(program.parameters)}

    def place(name: str) -> int:
        places[name] = len(known)
        known.append(None)
        return places[name]

    def read(operand: Operand) -> int:
        """The place of the operand's value; ~place where the value is negated."""
        if isinstance(operand, Ref):
            return ~places[operand.name] if operand.negative else places[operand.name]
        known.append(dtype(float(operand.value)))
        return len(known) - 1

    def prepared(instructions: Iterable[Instruction]) -> list[_Step]:
        return [([read(x) for x in i.args], _MEANING.get(i.op), list(map(place, i.results))) for i in instructions]

    setup = prepared(program.setup)
    given = [[place(v.name) for v in array.variables] for array in program.inputs]
    steps = prepared(program.instructions)
    outputs = [[read(x) for x in output.elements] for output in program.outputs]
    with np.errstate(all="ignore"):
        _run(setup, known)

    def call(inputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
        values = known.copy()
        for array, at in zip(program.inputs, given, strict=True):
            for k, value in zip(at, _spread(array, inputs, dtype), strict=True):
                values[k] = value
        with np.errstate(all="ignore"):
            _run(steps, values)
        batch = np.broadcast_shapes(*(np.shape(values[k]) for at in given for k in at))
        return {
            output.name: _stack(_taken(values, elements), batch, dtype).reshape((*batch, *output.shape))
            for output, elements in zip(program.outputs, outputs, strict=True)
        }

    return call


#: An instruction: the places of its arguments, its function (None for `solve`), the places of its results.
_Step = tuple[list[int], Callable[..., Any] | None, list[int]]


def _run(steps: Iterable[_Step], values: list[Any]) -> None:
    for args, function, results in steps:
        operands = [values[k] if k >= 0 else -values[~k] for k in args]
        if function is None:
            for k, x in zip(results, _solve(operands, len(results)), strict=True):
                values[k] = x
        else:
            values[results[0]] = function(*operands)


def _taken(values: list[Any], places: list[int]) -> list[Any]:
    return [values[k] if k >= 0 else -values[~k] for k in places]


def _spread(array: Input, inputs: Mapping[str, ArrayLike], dtype: Any) -> list[Any]:
    """The scalars of one input array."""
    if array.name not in inputs:
        if not array.optional:
            raise ShapeError("programs.missing_input", name=array.name, shape=str(array.shape))
        return [dtype(v.default or 0.0) for v in array.variables]
    values = np.asarray(inputs[array.name], dtype=dtype)
    k = len(array.shape)
    if values.shape[values.ndim - k :] != array.shape:
        raise ShapeError("programs.shape", name=array.name, shape=str(array.shape), other=str(values.shape))
    flat = values.reshape(*values.shape[: values.ndim - k], len(array.variables))
    return list(np.moveaxis(flat, -1, 0))


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
