"""Parameter values: their names are checked, none may be missing, and the constants are computed from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from symoro.errors import InputError, MissingParameter, ParameterError, ShapeError
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Input, Program, Variable
from symoro.ir.split import CONSTANTS
from symoro.runtime.arrays import real_array
from symoro.runtime.kernel import Array

#: The numbers of parameters by name: one number each, or arrays that broadcast, for many robots in one call.
Values = Mapping[str, Any]


class NamesLater(Collection[str]):
    """Names that take time to find: they are found when somebody asks for one."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    def __reduce__(self) -> tuple[Any, ...]:
        return frozenset, (tuple(self._names),)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._find())

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Parameters:
    """The parameters of a setup program with their default values."""

    def __init__(self, setup: Program, defaults: Mapping[str, float], known: Collection[str]) -> None:
        self.setup = setup
        own = {p.name: p.default for p in setup.parameters if p.default is not None}
        names = [p.name for p in setup.parameters]
        self.defaults = own | {n: _number(n, defaults[n]) for n in names if n in defaults}
        self._own, self._further = frozenset(names) | frozenset(defaults), known

    @cached_property
    def known(self) -> frozenset[str]:
        """All names that `values` may have."""
        return self._own | frozenset(self._further)

    def checked(self, values: Values) -> dict[str, Any]:
        """The values as numbers, or as arrays of numbers; an error names what is not known or not a number."""
        found = {name: _numbers(name, value) for name, value in self.named(values).items()}
        return {name: x if x.ndim else float(x) for name, x in found.items()}

    def named(self, values: Values) -> dict[str, Any]:
        """The values as they are given; an error names what is not known."""
        if not isinstance(values, Mapping):
            raise ParameterError(f"values must be a mapping of names to numbers, not {type(values).__name__}")
        self._check(values)
        return dict(values)

    def constants(self, values: Values) -> Array:
        """The constants that the main program reads; these values replace the defaults. Arrays of values broadcast."""
        given = self.defaults | self.checked(values)
        missing = [p.name for p in self.setup.parameters if p.name not in given]
        if missing:
            raise MissingParameter(missing)
        batch = _common_shape({name: x for name, x in given.items() if np.ndim(x)})
        if not batch:
            return evaluate(self.setup, {}, given)[CONSTANTS]
        if not self.setup.parameters:
            return np.zeros((*batch, 0))
        columns = [np.broadcast_to(given[p.name], batch) for p in self.setup.parameters]
        return evaluate(_by_inputs(self.setup), {_GIVEN: np.stack(columns, axis=-1)}, {})[CONSTANTS]

    def _check(self, values: Values) -> None:
        for name in values:
            if name not in self._own and name not in self.known:
                close = get_close_matches(str(name), sorted(self.known), n=3)
                hint = f"did you mean {' or '.join(close)}?" if close else self._listing()
                raise ParameterError(f"no parameter {name!r}: {hint}")

    def _listing(self) -> str:
        names = sorted(self.known)
        if not names:
            return "there are none"
        return "known are " + ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


_GIVEN = "parameters"


def _by_inputs(setup: Program) -> Program:
    """The setup with its parameters as an input array, which broadcasts."""
    array = Input(_GIVEN, (len(setup.parameters),), tuple(Variable(p.name) for p in setup.parameters))
    return Program((array,), (), (), setup.instructions, setup.outputs)


def _common_shape(arrays: Mapping[str, Array]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        parts = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        raise ShapeError(f"the values do not broadcast: {parts}") from None


def _number(name: str, value: Any) -> float:
    return value if type(value) is float else float(_numbers(name, value))


def _numbers(name: str, value: Any) -> Array:
    try:
        exact = isinstance(value, Real) and not isinstance(value, np.generic)  # such as a fraction
        return real_array(name, float(value) if exact else value)
    except (InputError, ArithmeticError) as error:
        shown = repr(value)
        shown = shown if len(shown) < 60 else f"{shown[:57]}..."
        raise ParameterError(f"the value of {name} must be a number or an array of numbers, not {shown}") from error
