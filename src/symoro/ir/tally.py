"""What results would cost as a program, read off their graph: the fast count of a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.ir.expr import Node
from symoro.ir.extract import Result, solve_size
from symoro.ir.ops import COUNTED_AS, Op, solve_count

Cost = tuple[int, int, int]
"""Arithmetic, then calls of functions, then the arithmetic that is done once."""


class Tally:
    """Counts results of one graph. What a node is does not change, so that it is looked at once."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._parameters = frozenset(parameters)
        self._free: dict[Node, bool] = {}

    def __call__(self, results: Sequence[Result]) -> Cost:
        seen: set[Node] = set()
        pending = [e.node for r in results for e in r.elements]
        while pending:
            node = pending.pop()
            if node not in seen:
                seen.add(node)
                pending += [a.node for a in node.args]
        arithmetic = calls = once = 0
        for node in sorted(seen, key=lambda n: n.serial):
            work, call = _work(node)
            if self._is_free(node):
                once += work
            else:
                arithmetic += work
                calls += call
        return arithmetic, calls, once

    def _is_free(self, node: Node) -> bool:
        """Whether a node depends on parameters only; its arguments have been looked at before it."""
        known = self._free.get(node)
        if known is None:
            if node.op is Op.SYMBOL:
                known = node.value in self._parameters
            else:
                known = all(self._free[a.node] for a in node.args)
            self._free[node] = known
        return known


def _work(node: Node) -> tuple[int, int]:
    """Additions, multiplications and divisions of a node, and calls."""
    if node.op is Op.SOLVE:
        return solve_count(solve_size(node)).total, 0
    kind = COUNTED_AS.get(node.op)
    if kind is None:
        return 0, 0
    return (1, 0) if kind in ("add", "mul", "div") else (0, 1)
