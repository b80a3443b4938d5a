"""Evaluates the expressions of xacro files: arithmetic, comparisons, texts, lists, dictionaries and a few functions.

Python's parser only makes the tree of an expression. This interpreter gives it a meaning: it knows numbers, texts,
lists and dictionaries, has no attributes of objects and no way to a file, and bounds the size of all results.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any

MAX_TEXT = 2000
_MAX_SIZE = 100_000
_MAX_EXPONENT = 400

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: operator.contains(b, a),
    ast.NotIn: lambda a, b: not operator.contains(b, a),
}
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
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


class ExpressionError(Exception):
    """An expression cannot be evaluated."""


def evaluate(text: str, names: Callable[[str], Any]) -> Any:
    """The value of an expression; `names` gives the value of a name, or raises `ExpressionError`."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"an expression has {len(text)} characters (at most {MAX_TEXT})")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
        return _Interpreter(names).value(tree.body)
    except ExpressionError:
        raise
    except (SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ExpressionError(f"{text[:80]!r} cannot be evaluated: {reason}") from error


class _Interpreter:
    def __init__(self, names: Callable[[str], Any]) -> None:
        self.names = names

    def value(self, node: ast.expr) -> Any:
        found = self._value(node)
        if isinstance(found, str | list | tuple | dict) and len(found) > _MAX_SIZE:
            raise ExpressionError(f"a value has more than {_MAX_SIZE} entries")
        if isinstance(found, int) and found.bit_length() > 2000:
            raise ExpressionError("a number has too many digits")
        return found

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as found):
                return found
            case ast.Name(id=name):
                return self.names(name)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self.binary(op, self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                return self.logic(isinstance(op, ast.And), values)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compare(self.value(left), ops, others)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body) if self.value(test) else self.value(other)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.value(item) for item in items]
            case ast.Dict(keys=keys, values=values):
                return {self.value(key): self.value(value) for key, value in zip(keys, values, strict=True) if key}
            case ast.Subscript(value=whole, slice=index) if not isinstance(index, ast.Slice):
                return self.value(whole)[self.value(index)]
            case ast.Attribute(value=whole, attr=name):
                return self.attribute(whole, name)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                return FUNCTIONS[name](*map(self.value, arguments))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=arguments, keywords=[]):
                return FUNCTIONS[name](*map(self.value, arguments))
        raise ExpressionError(f"{ast.unparse(node)[:80]!r} is not allowed in an expression")

    def binary(self, op: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(op, ast.Pow) and abs(right) > _MAX_EXPONENT:
            raise ExpressionError(f"an exponent is larger than {_MAX_EXPONENT}")
        if isinstance(op, ast.Mult) and any(isinstance(x, str | list) for x in (left, right)):
            raise ExpressionError("a text or a list cannot be multiplied")
        if isinstance(op, ast.Mod) and isinstance(left, str):
            raise ExpressionError("a text cannot be formatted by %")
        return _BINARY[type(op)](left, right)

    def logic(self, every: bool, values: list[ast.expr]) -> Any:
        found: Any = every
        for value in values:
            found = self.value(value)
            if bool(found) != every:
                break
        return found

    def compare(self, left: Any, ops: list[ast.cmpop], others: list[ast.expr]) -> bool:
        for op, other in zip(ops, others, strict=True):
            right = self.value(other)
            if type(op) not in _COMPARE or not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def attribute(self, whole: ast.expr, name: str) -> Any:
        """An entry of a dictionary, or a constant of `math`."""
        if isinstance(whole, ast.Name) and whole.id == "math" and name in CONSTANTS:
            return CONSTANTS[name]
        found = self.value(whole)
        if not isinstance(found, Mapping):
            raise ExpressionError(f".{name} is not allowed in an expression")
        return found[name]
