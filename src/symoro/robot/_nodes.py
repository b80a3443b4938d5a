"""The three kinds of value: `Number`, `Symbol` and `Apply`.

They are valid by construction: names, functions, numbers of arguments, size and depth are checked when a value is
made. Code that walks through a value therefore needs no checks, and its recursion is never deep.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, TypeVar

from symoro.errors import ValueSyntaxError

MAX_DEPTH = 64
"""The most levels that an expression may have."""
MAX_BITS = 3000
"""The most bits of a numerator or denominator, about 900 digits."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PI_NAMES = frozenset({"pi", "Pi", "PI"})

OPERATORS: dict[str, int] = {"+": 2, "-": 2, "*": 2, "/": 2, "^": 2, "neg": 1, "pi": 0}
"""How many arguments an operator or constant takes."""

FUNCTIONS: dict[str, int] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "abs", "sign"), 1),
    **dict.fromkeys(("atan2", "min", "max"), 2),
}
"""How many arguments a function takes, for every function that a value may call."""


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number."""

    value: Fraction
    depth = 0

    def __post_init__(self) -> None:
        if max(self.value.numerator.bit_length(), self.value.denominator.bit_length()) > MAX_BITS:
            raise ValueSyntaxError("a number has too many digits (at most about 900)")
        if self.value.numerator.bit_length() - self.value.denominator.bit_length() > 1023:
            raise ValueSyntaxError("a number is too large (at most about 1.8e308)")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named quantity. Every identifier is a symbol, except `pi`, which is a constant."""

    name: str
    depth = 0

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise ValueSyntaxError(f"{self.name!r} is not a symbol (a letter or _, then letters, digits and _; not pi)")


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or function and its arguments."""

    function: str
    arguments: tuple[Value, ...] = ()
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        arity = OPERATORS.get(self.function, FUNCTIONS.get(self.function))
        if arity is None:
            raise ValueSyntaxError(f"unknown function {self.function!r} (allowed: {', '.join(FUNCTIONS)})")
        if len(self.arguments) != arity:
            raise ValueSyntaxError(f"{self.function} takes {arity} argument(s), not {len(self.arguments)}")
        if self.function == "/" and is_zero(self.arguments[1]):
            raise ValueSyntaxError("division by 0")
        depth = 1 + max((argument.depth for argument in self.arguments), default=0)
        if depth > MAX_DEPTH:
            raise ValueSyntaxError(f"an expression is more than {MAX_DEPTH} levels deep")
        object.__setattr__(self, "depth", depth)


Value: TypeAlias = Number | Symbol | Apply

ZERO = Number(Fraction(0))
ONE = Number(Fraction(1))
PI = Apply("pi")


def is_name(text: str) -> bool:
    """Whether the text can name a symbol."""
    return NAME.fullmatch(text) is not None and text not in PI_NAMES and len(text) <= 100


def is_zero(value: Value) -> bool:
    """Whether the value is the number 0 (an expression that would evaluate to 0 is not)."""
    return isinstance(value, Number) and value.value == 0


T = TypeVar("T")


def fold(
    value: Value,
    number: Callable[[Fraction], T],
    symbol: Callable[[str], T],
    apply: Callable[[Apply, list[T]], T],
) -> T:
    """What a value becomes when its numbers, its symbols and then, from the inside out, its functions are interpreted.

    `apply` gets the operator or function and its interpreted arguments. Every interpreter of values is a call of this
    function, so that it says only what numbers, symbols and functions mean for it.
    """
    if isinstance(value, Number):
        return number(value.value)
    if isinstance(value, Symbol):
        return symbol(value.name)
    return apply(value, [fold(argument, number, symbol, apply) for argument in value.arguments])


_NONE: frozenset[str] = frozenset()


def symbols(value: Value) -> frozenset[str]:
    """The names of the symbols in the value."""
    return fold(value, lambda _: _NONE, lambda name: frozenset({name}), lambda _, inner: _NONE.union(*inner))
