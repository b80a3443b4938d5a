"""Evaluates the expressions of xacro files: arithmetic, comparisons, texts, lists, dictionaries and a few functions.

Python's `ast` reads an expression, because those of xacro are written in Python. Nothing is compiled or run: `_meaning`
knows the nodes that an expression may have, and refuses every other one. Values are numbers, texts, lists and
dictionaries; there are no attributes of objects, no way to a file but `load_yaml`, and the size of all results is
bounded.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from symoro.errors import SymoroError

MAX_TEXT = 2000
_MAX_SIZE = 100_000
_MAX_BITS = 2000
_MAX_EXPONENT = 400

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
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


class ExpressionError(SymoroError):
    """An expression cannot be read or evaluated."""


def evaluate(text: str, names: Names) -> Any:
    """The value of an expression."""
    try:
        return _value(_parsed(text), names)
    except RecursionError as error:
        raise ExpressionError("xacro.deep_expression") from error
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ExpressionError("xacro.cannot_be_evaluated", text=text[:80], reason=str(error)) from error


def _parsed(text: str) -> ast.expr:
    """The tree of an expression."""
    if len(text) > MAX_TEXT:
        raise ExpressionError("xacro.long_expression", count=len(text), most=MAX_TEXT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a number before a word, as in 1if
            return ast.parse(text.strip().replace("\n", " "), mode="eval").body
    except (SyntaxError, ValueError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ExpressionError("xacro.no_expression", text=text[:80], reason=str(reason)) from error


def _value(node: ast.expr, names: Names) -> Any:
    value = _meaning(node, names)
    if isinstance(value, str | list | dict) and len(value) > _MAX_SIZE:
        raise ExpressionError("xacro.large_value", most=_MAX_SIZE)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise ExpressionError("xacro.many_digits")
    return value


def _meaning(node: ast.expr, names: Names) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() | None as value):
            return value
        case ast.Name(id=name):
            return names(name)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, names) for item in items]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_value(key, names): _value(value, names) for key, value in zip(keys, values, strict=True) if key}
        case ast.IfExp(test=test, body=yes, orelse=no):
            return _value(yes if _value(test, names) else no, names)
        case ast.BoolOp(op=word, values=values):
            return _first(values, isinstance(word, ast.Or), names)
        case ast.Compare(left=left, ops=signs, comparators=others):
            return _compare(left, zip(signs, others, strict=True), names)
        case ast.Subscript(value=whole, slice=place) if not isinstance(place, ast.Slice):
            return _value(whole, names)[_value(place, names)]
        case ast.Attribute(value=whole, attr=name):
            return _entry(whole, name, names)
        case ast.Call(func=function, args=arguments, keywords=[]):
            inputs = [_value(argument, names) for argument in arguments]
            name = _function(function)
            return names(name)(*inputs) if name in FILES else _call(name, inputs)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(operand, names))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _binary(type(sign), _value(left, names), _value(right, names))
    raise ExpressionError("xacro.no_such_part", part=type(node).__name__)


def _first(values: list[ast.expr], wanted: bool, names: Names) -> Any:
    """The first value that is true (`or`) or false (`and`), else the last one."""
    value = None
    for node in values:
        value = _value(node, names)
        if bool(value) == wanted:
            return value
    return value


def _compare(left: ast.expr, rest: Iterable[tuple[ast.cmpop, ast.expr]], names: Names) -> bool:
    first = _value(left, names)
    for sign, node in rest:
        second = _value(node, names)
        if type(sign) not in _OPERATORS:
            raise ExpressionError("xacro.no_such_part", part=type(sign).__name__)
        if not _OPERATORS[type(sign)](first, second):
            return False
        first = second
    return True


def _binary(sign: type[ast.AST], left: Any, right: Any) -> Any:
    if sign is ast.Pow and (abs(right) > _MAX_EXPONENT or abs(left) > 1e100):
        raise ExpressionError("xacro.large_power", most=_MAX_EXPONENT)
    if sign is ast.Mult and any(isinstance(x, str | list) for x in (left, right)):
        raise ExpressionError("xacro.text_times")
    if sign is ast.Mod and isinstance(left, str):
        raise ExpressionError("xacro.text_by_percent")
    return _OPERATORS[sign](left, right)


def _entry(whole: ast.expr, name: str, names: Names) -> Any:
    """An entry of a dictionary, or a constant of `math`."""
    if isinstance(whole, ast.Name) and whole.id == "math" and name in CONSTANTS:
        return CONSTANTS[name]
    value = _value(whole, names)
    if not isinstance(value, Mapping):
        raise ExpressionError("xacro.attribute", name=name)
    return value[name]


def _function(node: ast.expr) -> str:
    """The name of a function: sin, math.sin or xacro.load_yaml."""
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "xacro"), attr=name):
            return name
    raise ExpressionError("xacro.no_such_part", part="Call")


def _call(name: str, arguments: list[Any]) -> Any:
    if name not in FUNCTIONS:
        raise ExpressionError("xacro.no_function", name=name, allowed=[*FUNCTIONS, *FILES])
    if name == "pow" and len(arguments) == 2:
        return _binary(ast.Pow, *arguments)
    return FUNCTIONS[name](*arguments)
