"""The operations of a program, and how they are counted."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, NamedTuple


class Op(Enum):
    """An operation; the value is its name in a program's text."""

    CONST = "const"
    SYMBOL = "symbol"
    ADD = "add"
    MUL = "mul"
    DIV = "div"
    SQRT = "sqrt"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN2 = "atan2"
    EXP = "exp"
    ABS = "abs"
    SIGN = "sign"
    MIN = "min"
    MAX = "max"
    LESS = "less"
    LESS_EQUAL = "less_equal"
    EQUAL = "equal"
    SELECT = "select"
    SOLVE = "solve"
    ITEM = "item"

    __hash__ = object.__hash__  # members are singletons, and hashing them by identity makes interning fast


LEAVES = frozenset({Op.CONST, Op.SYMBOL})


class Comparison(NamedTuple):
    """How most languages write a comparison, and what it means."""

    sign: str
    holds: Callable[[Any, Any], Any]


COMPARISONS = {
    Op.LESS: Comparison("<", operator.lt),
    Op.LESS_EQUAL: Comparison("<=", operator.le),
    Op.EQUAL: Comparison("==", operator.eq),
}

#: How many arguments an instruction takes; `solve` takes n·n + n of them.
ARITY = {
    **dict.fromkeys((Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.ABS, Op.SIGN), 1),
    **dict.fromkeys((Op.ADD, Op.MUL, Op.DIV, Op.ATAN2, Op.MIN, Op.MAX, *COMPARISONS), 2),
    Op.SELECT: 3,
}

#: The kind of operation that an instruction counts as.
COUNTED_AS = {
    Op.ADD: "add",
    Op.MUL: "mul",
    Op.DIV: "div",
    Op.SQRT: "sqrt",
    **dict.fromkeys((Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN2), "trig"),
    **dict.fromkeys((Op.EXP, Op.ABS, Op.SIGN, Op.MIN, Op.MAX, *COMPARISONS, Op.SELECT), "other"),
}


@dataclass(frozen=True, slots=True)
class OpCount:
    """Numbers of operations. A square and a doubling are one multiplication each; a negation is not counted."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """Multiplications, additions and divisions."""
        return self.mul + self.add + self.div

    def __add__(self, other: OpCount) -> OpCount:
        return OpCount(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(OpCount)))

    def __str__(self) -> str:
        parts = [f"{self.mul} M", f"{self.add} A"]
        parts += [
            f"{n} {what}"
            for n, what in ((self.div, "D"), (self.sqrt, "sqrt"), (self.trig, "trig"), (self.other, "other"))
            if n
        ]
        return " + ".join(parts)


def solve_count(n: int) -> OpCount:
    """Operations of solving n linear equations by elimination with partial pivoting."""
    eliminations = sum(k * k for k in range(n))  # a multiplication and a subtraction each
    substitutions = n * (n - 1)  # forward and backward
    both = eliminations + substitutions
    return OpCount(mul=both, add=both, div=n * (n - 1) // 2 + n)
