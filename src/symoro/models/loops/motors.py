"""A model of a robot with closed loops as a program of its motors alone: the loops are closed inside (K97 § 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.models.geometric.inverse.types import both, either, opposite
from symoro.models.loops.closing import home_of

_GUESS = Meaning("the way to close the loops that is nearest to it is taken")
CLOSED_MEANING = Meaning("1 where the motors close the loops; 0: the other outputs mean nothing")

_CLOSED = ("q", "q_end")


def from_motors(s: Symbols, modes: Program, model: Program) -> Program:
    """The model with `qa` in the place of q, an optional `guess` of q, and the output `CLOSED`.

    `modes` are all ways to close the loops (`loops.analytic`). The one nearest to the guess is taken; home
    is the default. The end of a motion, `qa_end` in the place of q_end, is closed in the way nearest to its begin.
    """
    graph = Graph()
    home = home_of(s) or (0.0,) * len(s.variables)
    guess = [Variable(s._unused(f"guess{j}"), default=x) for j, x in zip(s.variables, home, strict=True)]
    near, closed = tuple(graph.symbol(v.name) for v in guess), graph.one
    known: dict[str, Expr] = {}
    arrays: list[Input] = []
    for array in model.inputs:
        if array.name not in _CLOSED:
            arrays.append(array)
            continue
        motors = _motors(s, modes.inputs[0], array.name.removeprefix("q"))
        positions = {
            v.name: graph.symbol(x.name) for v, x in zip(modes.inputs[0].variables, motors.variables, strict=True)
        }
        closing = {result.name: result for result in Replay(modes, graph, positions).results()}
        near, ok = _nearest(s, closing["q"], closing["ok"].elements, near)
        known |= {v.name: x for v, x in zip(array.variables, near, strict=True)}
        closed = ok if closed is graph.one else both(closed, ok)
        arrays.append(motors)
    results = Replay(model, graph, known).results()
    arrays.append(Input("guess", (len(guess),), tuple(guess), True, _GUESS))
    closed_output = Result("CLOSED", (), (closed,), ("CLOSED",), (CLOSED_MEANING,))
    parameters = {p.name: p for p in (*modes.parameters, *model.parameters)}
    return extract(graph, arrays, parameters.values(), [*results, closed_output])


def _motors(s: Symbols, motors: Input, ending: str) -> Input:
    """The positions of the motors; with an ending, those at the end of a motion."""
    if not ending:
        return motors
    variables = tuple(replace(v, name=s._unused(f"{v.name}{ending}")) for v in motors.variables)
    return replace(motors, name=f"{motors.name}{ending}", variables=variables)


def _nearest(s: Symbols, q: Result, ok: Sequence[Expr], guess: Sequence[Expr]) -> tuple[tuple[Expr, ...], Expr]:
    """The way that exists and is nearest to the guess; angles are compared modulo whole turns."""
    n = len(guess)
    ways = [q.elements[k : k + n] for k in range(0, len(q.elements), n)]
    slides = [s.robot.joint(j).prismatic for j in s.variables]
    best, exists, least = ways[0], ok[0], away(ways[0], guess, slides)
    for way, there in zip(ways[1:], ok[1:], strict=True):
        distance = away(way, guess, slides)
        graph = distance.graph
        better = both(there, either(opposite(exists), graph.less(distance, least)))
        best = tuple(graph.select(better, new, old) for new, old in zip(way, best, strict=True))
        least, exists = graph.select(better, distance, least), either(exists, there)
    return best, exists


def away(q: Sequence[Expr], guess: Sequence[Expr], slides: Sequence[bool]) -> Expr:
    """How far two configurations are from each other: 1 − cos of the difference of angles, squares of lengths."""
    graph = guess[0].graph
    apart = [a - b for a, b in zip(q, guess, strict=True)]
    return total(graph, [x * x if slide else 1 - graph.cos(x) for x, slide in zip(apart, slides, strict=True)])
