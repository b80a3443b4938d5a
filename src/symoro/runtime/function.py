"""A program as a function of NumPy arrays: checks, broadcasting and parameter values, for every backend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import ShapeError
from symoro.ir.program import Input, Program
from symoro.ir.split import CONSTANTS, split
from symoro.runtime.arrays import real_array
from symoro.runtime.kernel import Array, Bound, Kernel
from symoro.runtime.parameters import Parameters, Values
from symoro.runtime.results import result_type

_NO_VALUES: Mapping[str, float] = {}


class Function:
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
        setup, main = split(program)
        self._made_of = program, make, dict(defaults), tuple(sorted(known))
        self.program = program
        self.inputs = {i.name: i.shape for i in program.inputs}
        self.outputs = {o.name: o.shape for o in program.outputs}
        self.parameters = Parameters(setup, defaults, known)
        self._main = main
        self._kernel = make(main)
        self._varying: Bound | None = None
        self._required = sum(not i.optional for i in program.inputs)
        self._default: Bound | None = None
        self._last: tuple[dict[str, float], Bound] | None = None
        self._result = result_type(program) if len(program.outputs) != 1 else None
        self._shapes = [o.shape for o in program.outputs]

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code belongs to one process: what is kept is what it is made of."""
        return Function, self._made_of

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: ArrayLike) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name.

        Arrays of values are those of many robots: their axes broadcast with the leading axes of the inputs.
        """
        bound = self._default if values is None else None
        if bound is None:
            bound = self._bind({} if values is None else values)
        if bound is None:
            assert values is not None
            return self._general(self._for_many_robots(), inputs, named, self.parameters.constants(values))
        if not named and len(inputs) == self._required:
            outputs = bound.one(inputs)
            if outputs is not None:
                return outputs[0] if self._result is None else self._result(*outputs)
        return self._general(bound, inputs, named)

    def _bind(self, values: Values) -> Bound | None:
        """The kernel with the constants of these values, which are computed only when they change; None for arrays."""
        last = self._last
        if last is not None and _are_plain(values) and last[0] == values:
            return last[1]
        given = self.parameters.checked(values)
        if any(np.ndim(x) for x in given.values()):
            return None
        if not given:
            self._default = self._default or self._kernel.bind(self.parameters.constants({}))
            return self._default
        if last is None or last[0] != given:
            last = given, self._kernel.bind(self.parameters.constants(given))
            self._last = last
        return last[1]

    def _for_many_robots(self) -> Bound:
        """A kernel whose constants are one more input, so that each row has its own; it is made at first use."""
        if self._varying is None:
            made = self._made_of[1](replace(self._main, inputs=(*self._main.inputs, self._constants()), parameters=()))
            self._varying = made.bind(np.zeros(0))
        return self._varying

    def _constants(self) -> Input:
        return Input(CONSTANTS, (len(self._main.parameters),), self._main.parameters)

    def _general(
        self,
        bound: Bound,
        inputs: tuple[ArrayLike, ...],
        named: Mapping[str, ArrayLike],
        constants: Array | None = None,
    ) -> Any:
        given = self._gather(inputs, named)
        declared = [*self.program.inputs]
        arrays = [_as_array(i, given[i.name]) for i in declared]
        if constants is not None:
            declared.append(self._constants())
            arrays.append(constants)
        leading = [a.shape[: a.ndim - len(i.shape)] for a, i in zip(arrays, declared, strict=True)]
        batch = _batch(declared, leading)
        n = int(np.prod(batch, dtype=np.int64))
        rows = [_rows(a, i, shape, batch) for a, i, shape in zip(arrays, declared, leading, strict=True)]
        outputs = [o.reshape((*batch, *shape)) for o, shape in zip(bound.many(rows, n), self._shapes, strict=True)]
        return outputs[0] if self._result is None else self._result(*outputs)

    def _gather(self, inputs: tuple[ArrayLike, ...], named: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
        """Every input by its name, the optional ones with their defaults."""
        declared = sorted(self.program.inputs, key=lambda i: i.optional)  # by position: the optional ones come last
        listing = ", ".join(f"{i.name}{i.shape}" for i in declared) or "none"
        if len(inputs) > len(declared):
            raise ShapeError(f"{len(inputs)} inputs given, but there are {len(declared)}: {listing}")
        given: dict[str, ArrayLike] = dict(zip((i.name for i in declared), inputs, strict=False))
        for name, value in named.items():
            if name not in self.inputs or name in given:
                problem = "is given twice" if name in given else "does not exist"
                raise ShapeError(f"input {name} {problem}: the inputs are {listing}")
            given[name] = value
        missing = [f"{i.name}{i.shape}" for i in declared if i.name not in given and not i.optional]
        if missing:
            raise ShapeError(f"missing input {', '.join(missing)}: the inputs are {listing}")
        return {i.name: default_array(i) for i in declared if i.optional} | given


def _are_plain(values: Values) -> bool:
    """Whether all values are Python's own numbers, so that the last values can be compared with them as they are."""
    return type(values) is dict and all(type(x) is float or type(x) is int for x in values.values())


def _batch(declared: list[Input], leading: list[tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        names = ["values" if i.name == CONSTANTS else i.name for i in declared]
        parts = ", ".join(f"{name} {shape}" for name, shape in zip(names, leading, strict=True))
        raise ShapeError(f"the leading axes do not broadcast: {parts}") from None


def default_array(array: Input) -> Array:
    """The value of an optional input that is not given."""
    return np.array([v.default or 0.0 for v in array.variables], dtype=np.float64).reshape(array.shape)


def _as_array(array: Input, value: ArrayLike) -> Array:
    given = real_array(f"input {array.name} {array.shape}", value)
    if not given.ndim and array.shape == (1,):  # the only joint or motor
        given = given[None]
    k = len(array.shape)
    if given.ndim < k or given.shape[given.ndim - k :] != array.shape:
        raise ShapeError(f"input {array.name} must have shape {_expected(array.shape)}, not {given.shape}")
    return given


def _expected(shape: tuple[int, ...]) -> str:
    return f"{shape} or (..., {', '.join(map(str, shape))})" if shape else "() or (...)"


def _rows(array: Array, declared: Input, leading: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """The input as an array (elements,) if it has no leading axes, else as (n, elements)."""
    size = len(declared.variables)
    if not leading:
        return np.ascontiguousarray(array).reshape(size)
    full = np.broadcast_to(array, (*batch, *declared.shape))
    return np.ascontiguousarray(full).reshape(int(np.prod(batch, dtype=np.int64)), size)
