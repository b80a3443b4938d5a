"""A value as an expression: its nodes, the text that is read, and the text that is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias, TypeVar

from symoro.errors import ValueSyntaxError
from symoro.findings import Finding

# The three kinds of value: `Number`, `Symbol` and `Apply`.
#
# They are valid by construction: names, functions, numbers of arguments, size and depth are checked when a value is
# made. Code that walks through a value therefore needs no checks, and its recursion is never deep.


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
            raise ValueSyntaxError("values.too_long")
        if self.value.numerator.bit_length() - self.value.denominator.bit_length() > 1023:
            raise ValueSyntaxError("values.too_large")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named quantity. Every identifier is a symbol, except `pi`, which is a constant."""

    name: str
    depth = 0

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise ValueSyntaxError("values.no_symbol", name=self.name)


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or function and its arguments."""

    function: str
    arguments: tuple[Value, ...] = ()
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        arity = OPERATORS.get(self.function, FUNCTIONS.get(self.function))
        if arity is None:
            raise ValueSyntaxError("values.unknown_function", function=self.function, functions=FUNCTIONS)
        if len(self.arguments) != arity:
            raise ValueSyntaxError("values.arguments", function=self.function, arity=arity, count=len(self.arguments))
        if self.function == "/" and is_zero(self.arguments[1]):
            raise ValueSyntaxError("values.division_by_0")
        depth = 1 + max((argument.depth for argument in self.arguments), default=0)
        if depth > MAX_DEPTH:
            raise ValueSyntaxError("values.too_deep", most=MAX_DEPTH)
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


# Writes a value as text that `parse` reads back as the same value.


_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(1, 6)
_LEVEL = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "neg": _UNARY, "^": _POWER}
_LEFT = {_SUM: _SUM, _PRODUCT: _PRODUCT, _POWER: _ATOM}
_RIGHT = {_SUM: _PRODUCT, _PRODUCT: _UNARY, _POWER: _UNARY}
_MAX_DIGITS = 40


def to_text(value: Value) -> str:
    """The text of a value, in the syntax of `parse`."""
    if isinstance(value, Number):
        return number_text(value.value)
    if isinstance(value, Symbol):
        return value.name
    if value.function == "pi":
        return "pi"
    if value.function == "neg":
        (operand,) = value.arguments
        return "-" + (_bracket(operand) if isinstance(operand, Number) else _within(operand, _UNARY))
    if value.function not in _LEVEL:
        return f"{value.function}({', '.join(map(to_text, value.arguments))})"
    return _binary(value.function, *value.arguments)


def _binary(sign: str, left: Value, right: Value) -> str:
    level = _LEVEL[sign]
    first, second = _within(left, _LEFT[level]), _within(right, _RIGHT[level])
    literals = sign == "/" and isinstance(left, Number) and isinstance(right, Number) and "/" not in second
    second = f"({second})" if literals or second.startswith("-") else second
    return f"{first} {sign} {second}" if level == _SUM else f"{first}{sign}{second}"


def _within(value: Value, level: int) -> str:
    return to_text(value) if _level(value) >= level else _bracket(value)


def _bracket(value: Value) -> str:
    return f"({to_text(value)})"


def _level(value: Value) -> int:
    if isinstance(value, Apply):
        return _LEVEL.get(value.function, _ATOM)
    if isinstance(value, Number) and "/" in number_text(value.value):
        return _PRODUCT
    return _UNARY if isinstance(value, Number) and value.value < 0 else _ATOM


def number_text(number: Fraction) -> str:
    """A number as a decimal if it has few digits, else as a quotient."""
    digits, exponent = _decimal(number)
    if len(digits) > _MAX_DIGITS or exponent < -390:
        return str(number)
    sign = "-" if number < 0 else ""
    if -len(digits) - 6 < exponent < 0:
        padded = digits.rjust(1 - exponent, "0")
        return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
    if 0 <= exponent <= 15:
        return sign + digits + "0" * exponent
    mantissa = digits[:1] + "." * (len(digits) > 1) + digits[1:]
    return f"{sign}{mantissa}e{exponent + len(digits) - 1}"


def _decimal(number: Fraction) -> tuple[str, int]:
    """Digits and exponent of |number| = digits * 10^exponent; too many digits if there is no such decimal."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return "9" * (_MAX_DIGITS + 1), 0
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 2 ** (places - twos) * 5 ** (places - fives))
    stripped = digits.rstrip("0") or "0"
    return stripped, len(digits) - len(stripped) - places if stripped != "0" else 0


# Reads the text of a value; a parser by recursive descent.
#
#     sum     = product { ("+" | "-") product }
#     product = unary { ("*" | "/") unary }
#     unary   = ("-" | "+") unary | power
#     power   = primary [ ("^" | "**") unary ]
#     primary = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
#
# A sum is taken from left to right; in halves if that would be too deep. A sign before a literal number and a quotient
# of two literal numbers are numbers: "-1/3" is one number, "-(1)/(3)" is an expression. So every value has a text that
# reads back as the same value.


MAX_LENGTH = 10_000
MAX_NESTING = MAX_DEPTH + 2
MAX_EXPONENT = 400

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^(),]))",
    re.ASCII,
)


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


class _Operand(NamedTuple):
    """A value, and whether it is a literal number without parentheses."""

    value: Value
    literal: bool = False


class _Term(NamedTuple):
    """A term of a sum with its sign; the sign of the first one is +."""

    sign: str
    value: Value


def _depth(terms: list[_Term]) -> int:
    """How deep a sum is whose terms are added one after another."""
    depth = terms[0].value.depth
    for term in terms[1:]:
        depth = 1 + max(depth, term.value.depth)
    return depth


def parse(text: str) -> Value:
    """The value of a text such as "q2 + pi/2"; `ValueSyntaxError` says where the text is wrong."""
    if len(text) > MAX_LENGTH:
        raise ValueSyntaxError("values.long_text", count=len(text), most=MAX_LENGTH)
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.position = 0
        self.open = {"(": 0, "^": 0}

    def _tokens(self) -> list[_Token]:
        tokens, place, end = [], 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                column = place + len(self.text[place:]) - len(self.text[place:].lstrip())
                raise self.error(Finding("values.not_allowed", sign=self.text[column]), column)
            tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        tokens.append(_Token("end", "", end))
        return tokens

    def error(self, reason: Finding, column: int, syntax: bool = True) -> ValueSyntaxError:
        """An error at a column; `syntax`: it says what a value may have."""
        text = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        at = ValueSyntaxError("values.at", text=text, column=column + 1, reason=reason)
        return ValueSyntaxError("values.syntax", reason=at.finding, functions=list(FUNCTIONS)) if syntax else at

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]

    def take(self, *texts: str) -> str | None:
        """Consume the next token and return its text, if it is one of these signs; else return None."""
        token = self.next
        if token.kind != "sign" or token.text not in texts:
            return None
        self.position += 1
        return token.text

    def apply(self, function: str, *arguments: Value, column: int) -> Value:
        try:
            return Apply(function, arguments)
        except ValueSyntaxError as error:
            raise self.error(error.finding, column, syntax=False) from error

    def whole(self) -> Value:
        if self.next.kind == "end":
            raise self.error(Finding("values.none"), 0)
        value = self.sum()
        if self.next.kind != "end":
            raise self.error(Finding("values.operator_expected", text=self.next.text), self.next.column)
        return value

    def sum(self) -> Value:
        terms, column = [_Term("+", self.product())], self.next.column
        while sign := self.take("+", "-"):
            terms.append(_Term(sign, self.product()))
        if _depth(terms) > MAX_DEPTH:
            return self._balanced(terms, column)
        value = terms[0].value
        for term in terms[1:]:
            value = self.apply(term.sign, value, term.value, column=column)
        return value

    def _balanced(self, terms: list[_Term], column: int) -> Value:
        """A long sum as a sum of two halves, so that it is not deep: a - b + c is a - (b - c)."""
        if len(terms) == 1:
            return terms[0].value
        first, second = terms[: (len(terms) + 1) // 2], terms[(len(terms) + 1) // 2 :]
        sign = second[0].sign
        second = [_Term("+" if term.sign == sign else "-", term.value) for term in second]
        return self.apply(sign, self._balanced(first, column), self._balanced(second, column), column=column)

    def product(self) -> Value:
        left, column = self.unary(), self.next.column
        while sign := self.take("*", "/"):
            left = self._times(sign, left, self.unary(), column)
            column = self.next.column
        return left.value

    def _times(self, sign: str, left: _Operand, right: _Operand, column: int) -> _Operand:
        a, b = left.value, right.value
        literals = sign == "/" and left.literal and right.literal
        if literals and isinstance(a, Number) and isinstance(b, Number) and b.value != 0:
            return _Operand(self._number(a.value / b.value, column))
        return _Operand(self.apply(sign, left.value, right.value, column=column))

    def unary(self) -> _Operand:
        """A loop reads the signs, so that many signs need no deep stack."""
        column, negative = self.next.column, 0
        while sign := self.take("-", "+"):
            negative += sign == "-"
        operand = self.power()
        if negative and operand.literal and isinstance(operand.value, Number):
            negative -= 1
            operand = _Operand(Number(-operand.value.value), literal=negative == 0)
        for _ in range(negative):
            operand = _Operand(self.apply("neg", operand.value, column=column))
        return operand

    def power(self) -> _Operand:
        base, column = self.primary(), self.next.column
        if not self.take("^", "**"):
            return base
        self._enter("^", column)
        exponent = self.unary()
        self.open["^"] -= 1
        return _Operand(self.apply("^", base.value, exponent.value, column=column))

    def primary(self) -> _Operand:
        token = self.next
        self.position += token.kind != "end"
        if token.kind == "number":
            return _Operand(self._literal(token), literal=True)
        if token.kind == "name":
            return _Operand(self._named(token))
        if token.text == "(":
            return _Operand(self._arguments(token)[0])
        raise self.error(
            Finding("values.value_expected", text=token.text) if token.text else Finding("values.missing"), token.column
        )

    def _enter(self, sign: str, column: int) -> None:
        self.open[sign] += 1
        if self.open[sign] > MAX_NESTING:
            raise self.error(Finding("values.nested", most=MAX_DEPTH), column, syntax=False)

    def _arguments(self, opening: _Token, count: int = 1) -> list[Value]:
        """The values between parentheses, after the opening parenthesis."""
        self._enter("(", opening.column)
        values = [self.sum()]
        while len(values) < count and self.take(","):
            values.append(self.sum())
        if not self.take(")"):
            raise self.error(Finding("values.parenthesis"), self.next.column)
        self.open["("] -= 1
        return values

    def _named(self, token: _Token) -> Value:
        opening = self.next
        if self.take("("):
            arguments = self._arguments(opening, count=MAX_NESTING)
            if token.text not in FUNCTIONS:
                raise self.error(Finding("values.unknown", text=token.text), token.column)
            return self.apply(token.text, *arguments, column=token.column)
        if token.text in PI_NAMES:
            return PI
        if not is_name(token.text):
            raise self.error(Finding("values.long_name"), token.column, syntax=False)
        return Symbol(token.text)

    def _literal(self, token: _Token) -> Value:
        mantissa, _, exponent = token.text.lower().partition("e")
        if len(mantissa) > 1000 or len(exponent) > 8 or abs(int(exponent or 0)) > MAX_EXPONENT:
            raise self.error(Finding("values.too_many_digits", most=MAX_EXPONENT), token.column, syntax=False)
        return self._number(Fraction(token.text), token.column)

    def _number(self, value: Fraction, column: int) -> Number:
        try:
            return Number(value)
        except ValueSyntaxError as error:
            raise self.error(error.finding, column, syntax=False) from error
