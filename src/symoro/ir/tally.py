"""Counts the operations of results in their graph, without writing a program: a search needs fast counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.ir.expr import Node
from symoro.ir.extract import Result, needed, solve_size
from symoro.ir.ops import COUNTED_AS, Op, solve_count

Cost = tuple[int, int, int]
"""Arithmetic, then calls of functions, then the arithmetic of the setup."""

#: The three counts of a node are the digits of one number, so that counting is one sum; no digit reaches this base.
_BASE = 2**40
#: Inputs are given, and the items of a solution come with it.
_NO_INSTRUCTION = (Op.SYMBOL, Op.ITEM)


class Tally:
    """Counts results of one graph. Nodes never change, so that each is classified once for all counts."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._parameters = frozenset(parameters)
        self._constant: dict[Node, bool] = {}
        self._work: dict[Node, int] = {}

    def __call__(self, results: Sequence[Result]) -> Cost:
        nodes, known = needed(e for r in results for e in r.elements), self._work
        for node in sorted((n for n in nodes if n not in known), key=lambda n: n.serial):
            known[node] = self._classified(node)
        rest, once = divmod(sum(map(known.__getitem__, nodes)), _BASE)
        arithmetic, calls = divmod(rest, _BASE)
        return arithmetic, calls, once

    def instructions(self, results: Sequence[Result]) -> int:
        """How many instructions the results take, without the setup."""
        nodes = needed(e for r in results for e in r.elements)
        return sum(not self._constant[n] and n.op not in _NO_INSTRUCTION for n in nodes)

    def _classified(self, node: Node) -> int:
        """The work of a node; its arguments have been looked at before it."""
        constant = self._constant
        if node.op is Op.SYMBOL:
            constant[node] = node.value in self._parameters
        else:
            constant[node] = all([constant[a.node] for a in node.args])
        arithmetic, call = _work(node)
        return arithmetic if constant[node] else (arithmetic * _BASE + call) * _BASE


def _work(node: Node) -> tuple[int, int]:
    """Additions, multiplications and divisions of a node, and calls."""
    if node.op is Op.SOLVE:
        return solve_count(solve_size(node)).total, 0
    kind = COUNTED_AS.get(node.op)
    if kind is None:
        return 0, 0
    return (1, 0) if kind in ("add", "mul", "div") else (0, 1)
