"""The Jacobian matrix of a link, with the projection and intermediate frames that cost least (K97:3-5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from symoro.errors import OptionError
from symoro.interface import inputs, parameters
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract, reachable
from symoro.ir.linalg import Matrix
from symoro.ir.ops import COUNTED_AS, Op
from symoro.ir.passes import cost, optimize
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.kinematic.renaud import TIP, Renaud
from symoro.models.results import matrix
from symoro.robot.base import IDENTITY
from symoro.symbols import Symbols

Rows = list[list[Expr]]

#: How many of the matrices that look cheapest go through the passes before one is chosen; fewer on long chains.
_SHORTLIST, _SHORTLIST_LONG, _LONG = 6, 2, 12


def jacobian(
    s: Symbols, link: FrameRef, frame: FrameRef, projection: int | None, intermediate: int | None
) -> list[Result]:
    """rJn, [v; ω] of link n in frame r for unit velocities of the joints."""
    found = shortlist(s, link, frame, projection, intermediate)
    best = found[0] if len(found) == 1 else min(found, key=lambda rows: _finished_cost(s, rows))
    return [matrix(s, "J", Matrix(s.graph, best), (range(1, 7), s.movable))]


def shortlist(
    s: Symbols, link: FrameRef, frame: FrameRef, projection: int | None, intermediate: int | None
) -> list[Rows]:
    """The cheapest matrices over every projection frame i and intermediate frame j that are left open, in one graph.

    Turning into frame r adds to what the other two matrices cost, so that what is too dear before is left out.
    """
    best: list[tuple[tuple[int, int], int, Rows]] = []
    length = _SHORTLIST if len(Renaud(s, link, 0).path) < _LONG else _SHORTLIST_LONG
    for count, (chain_seen, j) in enumerate(_openings(s, link, frame, projection, intermediate)):
        columns = chain_seen.moved(chain_seen.columns(j), j)  # (K97:4, the second and third matrix)
        if len(best) < length or weight(s, chain_seen.rows(columns)) < best[-1][0]:
            rows = chain_seen.rows(chain_seen.turned(columns, frame))  # (K97:4)
            best = sorted([*best, (weight(s, rows), count, rows)], key=lambda x: x[:2])[:length]
    return [rows for _, _, rows in best]


def _openings(
    s: Symbols, link: FrameRef, frame: FrameRef, projection: int | None, intermediate: int | None
) -> Iterator[tuple[Renaud, int]]:
    """Every i and j to try; the frame of the result comes first, because it is often the best."""
    path = Renaud(s, link, 0).path
    named = carrier(s.robot, link)[1] != IDENTITY
    for i in sorted(_choices("projection", projection, path), key=lambda i: i != frame):
        chain_seen = Renaud(s, link, i)
        for j in (*_choices("intermediate", intermediate, path), *((TIP,) if named and intermediate is None else ())):
            yield chain_seen, j


def _choices(name: str, given: int | None, path: tuple[int, ...]) -> tuple[int, ...]:
    if given is None:
        return path
    if given not in path:
        raise OptionError(
            f"{name}={given} is not a frame on the way to the link (allowed: {', '.join(map(str, path))})"
        )
    return (given,)


def weight(s: Symbols, rows: Rows) -> tuple[int, int]:
    """Operations that the elements ask for as they are: arithmetic, then calls. What parameters fix is free."""
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


def _finished_cost(s: Symbols, rows: Rows) -> tuple[int, int, int]:
    unnamed = Result("J", (len(rows), len(rows[0])), tuple(chain.from_iterable(rows)), ())
    program = extract(s.graph, inputs(s, ("q",)), parameters(s), [unnamed])
    return cost(optimize(program))
