"""A program as a function of JAX arrays: it can be jitted, mapped over axes and differentiated, also by `values`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from symoro.errors import InputError, MissingParameter, ParameterError
from symoro.findings import Finding
from symoro.ir.evaluate import NUMPY_NAMES
from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Input, Operand, Program
from symoro.runtime.function import Signature, Values, batch_shape, leading_axes, require_shape
from symoro.runtime.interpreter import Interpreter
from symoro.runtime.outputs import not_real, real_numbers

_MEANING: dict[Op, Callable[..., Any]] = {
    Op.ADD: jnp.add,
    Op.MUL: jnp.multiply,
    Op.DIV: jnp.divide,
    **{op: getattr(jnp, name) for op, name in NUMPY_NAMES.items()},
    **{op: lambda a, b, holds=c.holds: jnp.where(holds(a, b), 1.0, 0.0) for op, c in COMPARISONS.items()},
    Op.SELECT: lambda c, a, b: jnp.where(c != 0, a, b),
}


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> JaxFunction:
    """The backend `jax`."""
    return JaxFunction(program, defaults, known, dtype)


class JaxFunction(Signature):
    """A function such as f(q, qd, qdd) of JAX arrays, whose leading axes broadcast.

    float64 needs `jax.config.update("jax_enable_x64", True)`; without it, JAX computes in float32.
    """

    def __init__(self, program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> None:
        super().__init__(program, defaults, known)
        self._arguments = program, dict(defaults), tuple(sorted(known)), dtype
        self.dtype = dtype
        self._run = jax.jit(self._outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return function, self._arguments

    def __call__(self, *inputs: Any, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        replaced = {} if values is None else self.parameters.named(values)
        numbers = self.parameters.defaults | {name: _number(name, x) for name, x in replaced.items()}
        missing = [p.name for p in self.program.parameters if p.name not in numbers]
        if missing:
            raise MissingParameter(missing)
        wanted = {p.name: jnp.asarray(numbers[p.name], self.dtype) for p in self.program.parameters}
        by_name = self._gather(inputs, named)
        arrays = {i.name: _as_array(i, by_name[i.name], self.dtype) for i in self.program.inputs}
        leading = leading_axes(self.program.inputs, list(arrays.values()))
        batch = batch_shape(leading | {name: jnp.shape(numbers[name]) for name in replaced})
        outputs = zip(self._run(arrays, wanted), self.program.outputs, strict=True)
        return self._result([jnp.broadcast_to(array, (*batch, *o.shape)) for array, o in outputs])

    def _outputs(self, arrays: Mapping[str, Any], parameters: Mapping[str, Any]) -> list[Any]:
        values = dict(parameters)
        for array in self.program.inputs:
            leading = arrays[array.name].ndim - len(array.shape)
            flat = arrays[array.name].reshape((*arrays[array.name].shape[:leading], len(array.variables)))
            values |= {v.name: flat[..., k] for k, v in enumerate(array.variables)}
        batch = jnp.broadcast_shapes(*(v.shape for v in values.values()))
        _JAX.run((*self.program.setup, *self.program.instructions), values)
        return [self._stacked(o.elements, values, batch).reshape((*batch, *o.shape)) for o in self.program.outputs]

    def _stacked(self, elements: tuple[Operand, ...], values: Mapping[str, Any], batch: tuple[int, ...]) -> Any:
        columns = [jnp.broadcast_to(jnp.asarray(_JAX.read(e, values), self.dtype), batch) for e in elements]
        return jnp.stack(columns, axis=-1) if columns else jnp.zeros((*batch, 0), self.dtype)


def _as_array(declared: Input, value: Any, dtype: str) -> Any:
    array = _real(declared, value).astype(dtype)
    if not array.ndim and declared.shape == (1,):  # the only joint or motor
        array = array[None]
    require_shape(declared, array.shape)
    return array


def _number(name: str, value: Any) -> Any:
    try:
        return _real(name, value)
    except InputError as error:
        raise ParameterError("runtime.value_not_real", reason=error.finding) from None


def _real(name: str | Input, value: Any) -> Any:
    """An array of JAX, in which there may be values that JAX follows; `InputError` where it is not of real numbers."""
    value = real_numbers(name, value) if isinstance(value, np.ndarray) else value
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise not_real(name, error) from None
    if jnp.iscomplexobj(array):
        raise not_real(name, Finding("runtime.complex"))
    return array


def _solve(args: list[Any], n: int) -> list[Any]:
    """The solution, which is not a number where the matrix is singular."""
    batch = jnp.broadcast_shapes(*(jnp.shape(a) for a in args))
    flat = jnp.stack([jnp.broadcast_to(a, batch) for a in args], axis=-1)
    matrix, right = flat[..., : n * n].reshape((*batch, n, n)), flat[..., n * n :]
    solution = jnp.linalg.solve(matrix, right[..., None])[..., 0]
    finite = jnp.isfinite(solution).all(axis=-1, keepdims=True)
    solution = jnp.where(finite, solution, jnp.nan)
    return [solution[..., i] for i in range(n)]


_JAX = Interpreter(_MEANING, _solve)
