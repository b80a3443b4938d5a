"""An estimate of what a matrix costs, to choose among matrices before any pass."""

from __future__ import annotations

from itertools import chain

from symoro.bind.symbols import Symbols
from symoro.ir.expr import COUNTED_AS, Expr, Op
from symoro.ir.extract import reachable

Rows = list[list[Expr]]


def weight(s: Symbols, rows: Rows) -> tuple[int, int]:
    """Estimated cost: arithmetic operations, then function calls. What depends on parameters only is not counted."""
    fixed = set(s.parameter_names)
    constant = set()
    arithmetic = calls = 0
    for node in reachable(chain.from_iterable(rows)):
        if (
            node.op is Op.CONST
            or (node.op is Op.SYMBOL and node.value in fixed)
            or (node.args and all(a.node in constant for a in node.args))
        ):
            constant.add(node)
        elif COUNTED_AS.get(node.op) in ("add", "mul", "div"):
            arithmetic += 1
        elif node.args:
            calls += 1
    return arithmetic, calls
