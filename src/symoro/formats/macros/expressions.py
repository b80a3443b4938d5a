"""Evaluates the expressions of xacro files: arithmetic, comparisons, texts, lists, dictionaries and a few functions.

The parser and the functions are our own: no text is evaluated as Python. Values are numbers, texts, lists and
dictionaries; there are no attributes of objects, no way to a file but `load_yaml`, and the size of all results is
bounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from symoro.formats.macros.grammar import ExpressionError, Node, parsed

_MAX_SIZE = 100_000
_MAX_BITS = 2000
_MAX_EXPONENT = 400

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}
_UNARY: dict[str, Callable[[Any], Any]] = {"neg": operator.neg, "pos": operator.pos, "not": operator.not_}
_MATH = (
    *("acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "degrees", "exp", "fabs", "floor", "fmod", "hypot"),
    *("log", "log10", "pow", "radians", "sin", "sinh", "sqrt", "tan", "tanh"),
)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in _MATH},
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
    "len": len,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "sum": sum,
}
CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "True": True, "False": False, "None": None}

Names = Callable[[str], Any]
"""Gives the value of a name, or raises `ExpressionError`; the value of a function's name is the function."""
FILES = ("load_yaml",)
"""Functions that read files; only a scope, which knows the folders, has them."""


def evaluate(text: str, names: Names) -> Any:
    """The value of an expression."""
    try:
        return _value(parsed(text), names)
    except ExpressionError:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ExpressionError(f"{text[:80]!r} cannot be evaluated: {error}") from error


def _value(node: Node, names: Names) -> Any:
    found = _meaning(node, names)
    if isinstance(found, str | list | dict) and len(found) > _MAX_SIZE:
        raise ExpressionError(f"a value has more than {_MAX_SIZE} entries")
    if isinstance(found, int) and found.bit_length() > _MAX_BITS:
        raise ExpressionError("a number has too many digits")
    return found


def _meaning(node: Node, names: Names) -> Any:
    match node:
        case ("constant", value):
            return value
        case ("name", name):
            return names(name)
        case ("list", *items):
            return [_value(item, names) for item in items]
        case ("dict", *pairs):
            return {_value(key, names): _value(value, names) for key, value in pairs}
        case ("if", test, yes, no):
            return _value(yes if _value(test, names) else no, names)
        case ("and" | "or" as word, first, second):
            found = _value(first, names)
            return _value(second, names) if bool(found) == (word == "and") else found
        case ("compare", first, *rest):
            return _compare(_value(first, names), rest, names)
        case ("index", whole, place):
            return _value(whole, names)[_value(place, names)]
        case ("entry", whole, name):
            return _entry(whole, name, names)
        case ("call", name, *arguments):
            given = [_value(argument, names) for argument in arguments]
            return names(name)(*given) if name in FILES else _call(name, given)
        case (sign, operand):
            return _UNARY[sign](_value(operand, names))
        case (sign, first, second):
            return _binary(sign, _value(first, names), _value(second, names))
    raise ExpressionError("this is not an expression")


def _binary(sign: str, left: Any, right: Any) -> Any:
    if sign == "**" and (abs(right) > _MAX_EXPONENT or abs(left) > 1e100):
        raise ExpressionError(f"a power is too large (exponents to {_MAX_EXPONENT})")
    if sign == "*" and any(isinstance(x, str | list) for x in (left, right)):
        raise ExpressionError("a text or a list cannot be multiplied")
    if sign == "%" and isinstance(left, str):
        raise ExpressionError("a text cannot be formatted by %")
    return _BINARY[sign](left, right)


def _compare(left: Any, rest: list[Any], names: Names) -> bool:
    for sign, node in rest:
        right = _value(node, names)
        if not _BINARY[sign](left, right):
            return False
        left = right
    return True


def _entry(whole: Node, name: str, names: Names) -> Any:
    """An entry of a dictionary, or a constant of `math`."""
    if whole == ("name", "math") and name in CONSTANTS:
        return CONSTANTS[name]
    found = _value(whole, names)
    if not isinstance(found, Mapping):
        raise ExpressionError(f".{name} is not allowed in an expression")
    return found[name]


def _call(name: str, arguments: list[Any]) -> Any:
    if name not in FUNCTIONS:
        raise ExpressionError(f"{name!r} is not a function (allowed: {', '.join((*FUNCTIONS, *FILES))})")
    if name == "pow":
        return _binary("**", *arguments)
    return FUNCTIONS[name](*arguments)
