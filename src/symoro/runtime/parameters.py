"""What a compiled function takes and gives: inputs, parameter values, named results."""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import InputError, MissingParameter, ParameterError, ShapeError
from symoro.findings import Finding
from symoro.ir.evaluate import evaluate
from symoro.ir.program import CONSTANTS, Input, Program, Variable, split
from symoro.lazy import lazy
from symoro.runtime.kernel import Array
from symoro.runtime.outputs import real_array

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
