"""A program as a function of NumPy arrays: checks, broadcasting and parameter values, for every backend."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from symoro.errors import InputError, ShapeError, TargetError
from symoro.findings import Finding
from symoro.ir.program import CONSTANTS, Input, Program
from symoro.runtime.kernel import Array, BoundKernel, Kernel
from symoro.runtime.outputs import Results, converted, real_numbers, run
from symoro.runtime.parameters import Signature, Values
from symoro.runtime.threads import MAKING

_NO_VALUES: Mapping[str, float] = {}
#: NumPy broadcasts arrays of 32 axes; an output has a few of its own.
_MOST_AXES = 28
#: Threads at most, four for each processor: a batch of 10⁷ states would have work for thousands.
_MOST_THREADS = 4 * (os.cpu_count() or 1)


class Function(Signature):
    """A function such as f(q, qd, qdd). Leading axes of inputs broadcast; optional inputs are given by keyword.

    An input of one element may be a number. A function that is sent to another process is compiled there again.
    """

    def __init__(
        self,
        program: Program,
        make: Callable[[Program], Kernel],
        defaults: Mapping[str, float] = _NO_VALUES,
        known: Collection[str] = (),
    ) -> None:
        super().__init__(program, defaults, known)
        self._arguments = program, make, dict(defaults), known
        self._kernel = make(self._main)
        self.dtype = self._kernel.dtype
        self._optional = {name: array.astype(self.dtype) for name, array in self._optional.items()}
        self._varying: BoundKernel | None = None
        self._default: BoundKernel | None = None
        self._last: tuple[dict[str, float], BoundKernel] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code belongs to one process: another one gets the arguments, and compiles."""
        return type(self), self._arguments

    def __call__(
        self,
        *inputs: ArrayLike,
        values: Values | None = None,
        out: Any = None,
        threads: int = 1,
        **named: ArrayLike,
    ) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name.

        Arrays of values are those of many robots: their axes broadcast with the leading axes of the inputs. `out` is
        an array that the output is written into, or a tuple of arrays for several outputs. A batch is shared among
        `threads` threads.
        """
        bound = self._default if values is None else None
        if bound is None:
            bound = self._bind({} if values is None else values)
        if bound is not None:
            return self._general(bound, inputs, named, out, threads)
        constants = self.parameters.constants({} if values is None else values)
        return self._general(self._for_many_robots(), inputs, named, out, threads, constants)

    def _bind(self, values: Values) -> BoundKernel | None:
        """The kernel with the constants of these values, which are computed only when they change; None for arrays."""
        last = self._last
        if last is not None and are_plain(values) and last[0] == values:
            return last[1]
        numbers = self.parameters.checked(values)
        if any(np.ndim(x) for x in numbers.values()):
            return None
        if not numbers:
            with MAKING:  # code may have the address of these constants, so that there must be one set of them
                self._default = self._default or self._kernel.bind(self.parameters.constants({}))
            return self._default
        if last is None or last[0] != numbers:
            last = numbers, self._kernel.bind(self.parameters.constants(numbers))
            self._last = last
        return last[1]

    def _for_many_robots(self) -> BoundKernel:
        """A kernel whose constants are one more input, so that each row has its own; it is made at first use."""
        if self._varying is None:
            varying = replace(self._main, inputs=(*self._main.inputs, self._constants()), parameters=())
            self._varying = self._arguments[1](varying).bind(np.zeros(0))
        return self._varying

    def _constants(self) -> Input:
        return Input(CONSTANTS, (len(self._main.parameters),), self._main.parameters)

    def _general(
        self,
        bound: BoundKernel,
        inputs: tuple[ArrayLike, ...],
        named: Mapping[str, ArrayLike],
        out: Any,
        threads: int,
        constants: Array | None = None,
    ) -> Any:
        threads = number_of_threads(threads)
        by_name = self._gather(inputs, named)
        declared = [*self.program.inputs]
        arrays = [_shaped(i, by_name[i.name]) for i in declared]
        if constants is not None:
            declared.append(self._constants())
            arrays.append(constants)
        batch = batch_shape(leading_axes(declared, arrays))
        results = Results(self.program.outputs, batch, self.dtype, out, arrays)
        return self._result(run(bound, declared, arrays, results, threads))


def are_plain(values: Values) -> bool:
    """Whether all values are Python's own numbers, so that the last values can be compared with them as they are."""
    return type(values) is dict and all(type(x) is float or type(x) is int for x in values.values())


def batch_shape(leading: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The leading axes of a result: those of all inputs, which are given by name, broadcast."""
    most = max(map(len, leading.values()), default=0)
    if most > _MOST_AXES:
        raise ShapeError("runtime.axes", most=_MOST_AXES, count=most)
    try:
        return np.broadcast_shapes(*leading.values())
    except ValueError:
        axes = [f"{name} {shape}" for name, shape in leading.items()]
        raise ShapeError("runtime.broadcast", axes=axes) from None


def leading_axes(declared: Sequence[Input], arrays: Sequence[Any]) -> dict[str, tuple[int, ...]]:
    """The leading axes of each input; those of constants are said to be those of `values`."""
    return {
        "values" if i.name == CONSTANTS else i.name: a.shape[: a.ndim - len(i.shape)]
        for i, a in zip(declared, arrays, strict=True)
    }


def as_array(array: Input, value: ArrayLike, dtype: np.dtype[Any]) -> Array:
    """A given input as an array of the function's type, whose last axes are those of the input."""
    return converted(_shaped(array, value), dtype)


def _shaped(array: Input, value: ArrayLike) -> Array:
    """A given input as an array of real numbers of any type, whose last axes are those of the input."""
    numbers = real_numbers(array, value)
    if not numbers.ndim and array.shape == (1,):  # the only joint or motor
        numbers = numbers[None]
    require_shape(array, numbers.shape)
    return numbers


def require_shape(declared: Input, shape: tuple[int, ...]) -> None:
    """An error where the last axes of a given array are not those of its input."""
    wanted, before = declared.shape, len(shape) - len(declared.shape)
    if before < 0 or shape[before:] != wanted:
        more = f"(..., {', '.join(map(str, wanted))})" if wanted else "(...)"
        allowed = Finding("runtime.shape_or_more", shape=str(wanted), more=more)
        raise ShapeError("runtime.shape", name=declared.name, allowed=allowed, shape=str(shape))


def number_of_threads(threads: Any) -> int:
    """How many threads share a batch: what is asked for, but not many more than the machine has processors."""
    try:
        asked = index(threads)
    except TypeError:
        asked = 0
    if asked < 1:
        raise InputError("runtime.threads", threads=repr(threads))
    return min(asked, _MOST_THREADS)


# The table of backends, and `compile_program`: a program becomes a function.


class _Backend(NamedTuple):
    """A module of this package with `function(program, defaults, known, dtype)`; it is imported at first use."""

    module: str
    title: str
    #: The package that it needs, and the extra of symoro that brings it.
    needs: str | None = None
    extra: str | None = None


_BACKENDS = {
    "llvm": _Backend("direct", "machine code made in memory, no compiler needed"),
    "numpy": _Backend("numpy", "the reference interpreter, vectorised by NumPy"),
    "c": _Backend("c", "code of the system's C compiler, or of the package ziglang"),
    "jax": _Backend("jax", "a function of JAX arrays, for jit, vmap and grad", "jax", "jax"),
    "casadi": _Backend("casadi", "a CasADi Function with derivatives", "casadi", "casadi"),
    "cuda": _Backend("cuda", "a CUDA kernel, one thread for each state, for arrays on the device", "cupy", "cuda"),
}
#: The types that a function can compute in.
_TYPES = ("float64", "float32")


def of_arrays() -> tuple[str, ...]:
    """The backends whose functions are a `Function` of NumPy arrays."""
    return tuple(name for name, backend in _BACKENDS.items() if not backend.needs)


def backends() -> Mapping[str, str]:
    """The names of the backends, each with a description."""
    return {name: backend.title for name, backend in _BACKENDS.items()}


def compile_program(
    program: Program,
    backend: str = "llvm",
    defaults: Mapping[str, float] | None = None,
    known: Collection[str] = (),
    dtype: DTypeLike = "float64",
) -> Any:
    """The program as a function that computes in float64 or float32: a `Function`, or what JAX and CasADi have.

    `known` are further symbols that `values=` accepts and ignores.
    """
    if not isinstance(backend, str) or backend not in _BACKENDS:
        raise TargetError("backends.unknown", name=repr(backend), names=list(_BACKENDS))
    chosen = _BACKENDS[backend]
    if chosen.needs and find_spec(chosen.needs) is None:
        raise TargetError("backends.package", name=repr(backend), extra=chosen.extra)
    module = import_module(f"symoro.runtime.{chosen.module}")
    return module.function(program, defaults or {}, known, _checked_type(dtype))


def _checked_type(dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError):
        name = repr(dtype)
    if name not in _TYPES:
        raise TargetError("backends.type", type=name, types=_TYPES)
    return name
