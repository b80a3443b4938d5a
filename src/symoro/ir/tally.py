"""Counts the operations of results in their graph, without writing a program: a search needs fast counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.ir.expr import Node
from symoro.ir.extract import Result, reachable, solve_size
from symoro.ir.ops import COUNTED_AS, Op, solve_count

Cost = tuple[int, int, int]
"""Arithmetic, then calls of functions, then the arithmetic of the setup."""


class Tally:
    """Counts results of one graph. Nodes never change, so that each is classified once for all counts."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._parameters = frozenset(parameters)
        self._constant: dict[Node, bool] = {}

    def __call__(self, results: Sequence[Result]) -> Cost:
        arithmetic = calls = once = 0
        for node in reachable(e for r in results for e in r.elements):
            work, call = _work(node)
            if self._is_constant(node):
                once += work
            else:
                arithmetic += work
                calls += call
        return arithmetic, calls, once

    def _is_constant(self, node: Node) -> bool:
        """Whether a node depends on parameters only; its arguments have been looked at before it."""
        known = self._constant.get(node)
        if known is None:
            if node.op is Op.SYMBOL:
                known = node.value in self._parameters
            else:
                known = all(self._constant[a.node] for a in node.args)
            self._constant[node] = known
        return known


def _work(node: Node) -> tuple[int, int]:
    """Additions, multiplications and divisions of a node, and calls."""
    if node.op is Op.SOLVE:
        return solve_count(solve_size(node)).total, 0
    kind = COUNTED_AS.get(node.op)
    if kind is None:
        return 0, 0
    return (1, 0) if kind in ("add", "mul", "div") else (0, 1)
