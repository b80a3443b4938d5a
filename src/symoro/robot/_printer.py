"""Writes a value as text that `parse` reads back as the same value."""

from __future__ import annotations

from fractions import Fraction

from symoro.robot._nodes import Apply, Number, Symbol, Value

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
    return f"{sign}{digits}e{exponent}"


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
