"""A program as a function of NumPy arrays: checks, broadcasting and parameter values, for every backend."""

from __future__ import annotations

import keyword
import os
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from numbers import Real
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from symoro.errors import InputError, MissingParameter, ParameterError, ShapeError, TargetError
from symoro.findings import Finding
from symoro.ir.evaluate import evaluate
from symoro.ir.program import CONSTANTS, Input, Program, Variable, split
from symoro.lazy import lazy
from symoro.runtime.kernel import Array, BoundKernel, Kernel
from symoro.runtime.outputs import Results, converted, real_array, real_numbers, run
from symoro.runtime.threads import MAKING

# The type of a result with several outputs: a named tuple that can be sent to another process.


def result_type(program: Program) -> Any:
    """A named tuple with the names of the outputs; a keyword of Python gets an underscore."""
    return _type(tuple(o.name + "_" if keyword.iskeyword(o.name) else o.name for o in program.outputs))


@cache
def _type(names: tuple[str, ...]) -> Any:
    plain: Any = namedtuple("Result", names, rename=True)  # type: ignore[misc]
    members = {"__slots__": (), "__reduce__": lambda result: (_rebuilt, (names, tuple(result))), "__module__": __name__}
    return type("Result", (plain,), members)


def _rebuilt(names: tuple[str, ...], elements: Iterable[Any]) -> Any:
    return _type(names)._make(elements)


# What a compiled function takes and gives, for every backend: inputs by position and by name, parameters, results.


class Signature:
    """The inputs, outputs and parameters of a function."""

    def __init__(self, program: Program, defaults: Mapping[str, float], known: Collection[str]) -> None:
        self.program = program
        self.inputs = {i.name: i.shape for i in program.inputs}
        self.outputs = {o.name: o.shape for o in program.outputs}
        setup, self._main = split(program)
        self.parameters = ParameterValues(setup, defaults, known)
        #: The values of optional inputs that are not given.
        self._optional = {i.name: _default_array(i) for i in program.inputs if i.optional}
        self._result_type = result_type(program) if len(program.outputs) != 1 else None
        self._order = [i.name for i in sorted(program.inputs, key=lambda i: i.optional)]  # by position

    def __repr__(self) -> str:
        """How it is called, then each input with its shape, meaning and unit."""
        return "\n".join([f"<Function {self.program.call}>", *map(_described, self.program.inputs)])

    def _gather(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, ArrayLike]:
        """Every input by its name, the optional ones with their defaults."""
        if len(inputs) > len(self._order):
            raise ShapeError(
                "runtime.too_many_inputs", given=len(inputs), count=len(self._order), inputs=self._listing()
            )
        by_name: dict[str, ArrayLike] = dict(zip(self._order, inputs, strict=False))
        for name, value in named.items():
            if name not in self.inputs or name in by_name:
                code = "runtime.input_twice" if name in by_name else "runtime.no_input"
                raise ShapeError(code, name=name, inputs=self._listing())
            by_name[name] = value
        missing = [name for name in self._order if name not in by_name and name not in self._optional]
        if missing:
            names = [f"{name}{self.inputs[name]}" for name in missing]
            raise ShapeError("runtime.missing_input", missing=names, inputs=self._listing())
        return self._optional | by_name

    def _result(self, outputs: Sequence[Any]) -> Any:
        """The only output, or the named tuple of several."""
        return outputs[0] if self._result_type is None else self._result_type(*outputs)

    def _listing(self) -> list[str] | Finding:
        return [f"{name}{self.inputs[name]}" for name in self._order] or Finding("runtime.none")


def _described(array: Input) -> str:
    units = " or ".join(dict.fromkeys(v.meaning.unit for v in array.variables if v.meaning.unit))
    parts = (f"{array.name} {array.shape}", array.meaning.text, units, "optional" if array.optional else "")
    return "  " + ", ".join(part for part in parts if part)


def _default_array(array: Input) -> Array:
    return np.array([v.default or 0.0 for v in array.variables], dtype=np.float64).reshape(array.shape)


# Parameter values: their names are checked, none may be missing, and the constants are computed from them.


#: The numbers of parameters by name: one number each, or arrays that broadcast, for many robots in one call.
Values = Mapping[str, Any]


class NamesLater(Collection[str]):
    """Names that take time to find: they are found when somebody asks for one."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    def __reduce__(self) -> tuple[Any, ...]:
        return frozenset, (tuple(self._names),)

    @lazy
    def _names(self) -> frozenset[str]:
        return frozenset(self._find())

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class ParameterValues:
    """The parameters of a setup program with their default values."""

    def __init__(self, setup: Program, defaults: Mapping[str, float], known: Collection[str]) -> None:
        self.setup = setup
        described = {p.name: p.default for p in setup.parameters if p.default is not None}
        names = [p.name for p in setup.parameters]
        self.defaults = described | {n: _number(n, defaults[n]) for n in names if n in defaults}
        self._names, self._further = frozenset(names) | frozenset(defaults), known

    @lazy
    def known(self) -> frozenset[str]:
        """All names that `values` may have."""
        return self._names | frozenset(self._further)

    def checked(self, values: Values) -> dict[str, Any]:
        """The values as numbers, or as arrays of numbers; an error names what is not known or not a number."""
        numbers = {name: _numbers(name, value) for name, value in self.named(values).items()}
        return {name: x if x.ndim else float(x) for name, x in numbers.items()}

    def named(self, values: Values) -> dict[str, Any]:
        """The values as they are given; an error names what is not known."""
        if not isinstance(values, Mapping):
            raise ParameterError("runtime.values", type=type(values).__name__)
        self._check(values)
        return dict(values)

    def constants(self, values: Values) -> Array:
        """The constants that the main program reads; these values replace the defaults. Arrays of values broadcast."""
        numbers = self.defaults | self.checked(values)
        missing = [p.name for p in self.setup.parameters if p.name not in numbers]
        if missing:
            raise MissingParameter(missing)
        batch = _common_shape({name: x for name, x in numbers.items() if np.ndim(x)})
        if not batch:
            return evaluate(self.setup, {}, numbers)[CONSTANTS]
        if not self.setup.parameters:
            return np.zeros((*batch, 0))
        columns = [np.broadcast_to(numbers[p.name], batch) for p in self.setup.parameters]
        return evaluate(_by_inputs(self.setup), {_PARAMETERS: np.stack(columns, axis=-1)}, {})[CONSTANTS]

    def _check(self, values: Values) -> None:
        for name in values:
            if name not in self._names and name not in self.known:
                close = get_close_matches(str(name), sorted(self.known), n=3)
                hint = Finding("errors.did_you_mean", names=close) if close else self._listing()
                raise ParameterError("runtime.no_parameter", name=repr(name), hint=hint)

    def _listing(self) -> Finding:
        names = sorted(self.known)
        if not names:
            return Finding("runtime.no_parameters")
        if len(names) <= _LISTED:
            return Finding("runtime.known", names=names)
        return Finding("runtime.known_and_more", names=names[:_LISTED], count=len(names) - _LISTED)


#: How many names of parameters a message lists.
_LISTED = 12
#: The input that holds the parameters.
_PARAMETERS = "parameters"


def _by_inputs(setup: Program) -> Program:
    """The setup with its parameters as an input array, which broadcasts."""
    array = Input(_PARAMETERS, (len(setup.parameters),), tuple(Variable(p.name) for p in setup.parameters))
    return Program((array,), (), (), setup.instructions, setup.outputs)


def _common_shape(arrays: Mapping[str, Array]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        shapes = [f"{name} {x.shape}" for name, x in arrays.items()]
        raise ShapeError("runtime.values_broadcast", values=shapes) from None


def _number(name: str, value: Any) -> float:
    return value if type(value) is float else float(_numbers(name, value))


def _numbers(name: str, value: Any) -> Array:
    try:
        exact = isinstance(value, Real) and not isinstance(value, np.generic)  # such as a fraction
        return real_array(name, float(value) if exact else value)
    except (InputError, ArithmeticError) as error:
        shown = repr(value)
        shown = shown if len(shown) < 60 else f"{shown[:57]}..."
        raise ParameterError("runtime.value", name=name, value=shown) from error


# A program as a function of NumPy arrays: checks, broadcasting and parameter values, for every backend.


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
