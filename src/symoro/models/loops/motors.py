"""A model of a robot with closed loops as a program of its motors alone: the loops are closed inside (K97 § 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.bind.symbols import Symbols
from symoro.ir.draft import Replay
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.models.geometric.inverse.types import both, either, opposite

_GUESS = Meaning("the way to close the loops that is nearest to it is taken")
_CLOSED = Meaning("1 where the motors close the loops; 0: the other outputs mean nothing")


def from_motors(s: Symbols, modes: Program, model: Program) -> Program:
    """The model with `qa` in the place of q, an optional `guess` of q, and the output `CLOSED`.

    `modes` are all ways to close the loops (`loops.analytic`). The one nearest to the guess is taken.
    """
    graph = Graph()
    closing = {result.name: result for result in Replay(modes, graph).results()}
    guess = [Variable(s._unused(f"guess{j}"), default=0.0) for j in s.variables]
    q, ok = _nearest(s, closing["q"], closing["ok"].elements, [graph.symbol(v.name) for v in guess])
    place = next(i for i in model.inputs if i.name == "q")
    found = Replay(model, graph, {v.name: x for v, x in zip(place.variables, q, strict=True)}).results()
    motors = modes.inputs[0]
    arrays = [motors if i is place else i for i in model.inputs]
    arrays.append(Input("guess", (len(guess),), tuple(guess), True, _GUESS))
    closed = Result("CLOSED", (), (ok,), ("CLOSED",), (_CLOSED,))
    parameters = {p.name: p for p in (*modes.parameters, *model.parameters)}
    return extract(graph, arrays, parameters.values(), [*found, closed])


def _nearest(s: Symbols, q: Result, ok: Sequence[Expr], guess: Sequence[Expr]) -> tuple[tuple[Expr, ...], Expr]:
    """The way that exists and is nearest to the guess; angles are compared modulo whole turns."""
    n = len(guess)
    ways = [q.elements[k : k + n] for k in range(0, len(q.elements), n)]
    best, exists, least = ways[0], ok[0], _away(s, ways[0], guess)
    for way, there in zip(ways[1:], ok[1:], strict=True):
        away = _away(s, way, guess)
        graph = away.graph
        better = both(there, either(opposite(exists), graph.less(away, least)))
        best = tuple(graph.select(better, new, old) for new, old in zip(way, best, strict=True))
        least, exists = graph.select(better, away, least), either(exists, there)
    return best, exists


def _away(s: Symbols, q: Sequence[Expr], guess: Sequence[Expr]) -> Expr:
    """How far two configurations are from each other: 1 − cos of the difference of angles, squares of lengths."""
    graph = guess[0].graph
    apart = [a - b for a, b in zip(q, guess, strict=True)]
    prismatic = [s.robot.joint(j).prismatic for j in s.variables]
    return total(graph, [x * x if slides else 1 - graph.cos(x) for x, slides in zip(apart, prismatic, strict=True)])
