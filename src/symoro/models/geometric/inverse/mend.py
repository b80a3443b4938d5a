"""One branch that rounding lost, mended in the program itself by a step of damped least squares on the pose.

Near a straight wrist, the angles on both sides of it have few digits, and only their sum or difference has all. Where a
step after the wrist takes a square root, as that of the elbow of a UR5, the arm may not follow their errors: it is
stretched, and misses the pose by a little more than the certificate allows. The step moves the angles of the wrist
instead. Of the branches that are lost, the one with the smallest error is mended: it is rare that there are two, and a
step for each of them would double the operations of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.ops import Op
from symoro.models.geometric.inverse.types import at_most, both, opposite

Values = Mapping[int, tuple[Expr, ...]]
#: Branches with larger errors were not lost to rounding.
ROUNDED = 1e-6
#: Branches that differ less are one.
_ALIKE = 1e-4


@dataclass(frozen=True, slots=True)
class Certified:
    """The joints of a branch, whether its roots exist, and the error of its pose."""

    values: Values
    ok: Expr
    error: Expr


@dataclass(frozen=True, slots=True)
class Mended:
    """A branch that takes the place of a lost one: `here` is 1 for the branch whose place it is."""

    values: Values
    error: Expr
    here: tuple[Expr, ...]


def mended(
    found: Sequence[Certified], limit: Expr, better: Callable[[Values], Values], miss: Callable[[Values], Expr]
) -> Mended:
    """The best of the branches whose error is above the limit, after a step; `miss` is the error of values.

    It has no place where its error is still above the limit, or where it is like one of the other branches.
    """
    graph = limit.graph
    place, values = _best_lost(found, limit)
    values = better(values)
    error = miss(values)
    new = at_most(error, limit)
    for branch in found:
        exists = both(branch.ok, at_most(branch.error, limit))
        new = both(new, opposite(both(exists, _alike(branch.values, values))))
    numbers = map(graph.lift, range(1, len(found) + 1))
    return Mended(values, error, tuple(both(new, graph.apply(Op.EQUAL, place, k)) for k in numbers))


def _best_lost(found: Sequence[Certified], limit: Expr) -> tuple[Expr, Values]:
    """The number of the best branch whose error is above the limit, 0 where there is none, and its values."""
    graph = limit.graph
    place, least, values = graph.zero, ROUNDED * graph.one, found[0].values
    for number, branch in enumerate(found, 1):
        lost = both(branch.ok, graph.less(limit, branch.error))
        nearer = both(lost, graph.less(branch.error, least))
        place = graph.select(nearer, graph.lift(number), place)
        least = graph.select(nearer, branch.error, least)
        values = chosen(nearer, branch.values, values)
    return place, values


def chosen(condition: Expr, first: Values, second: Values) -> Values:
    """The first values where the condition is 1, else the second ones."""
    select = condition.graph.select
    return {j: tuple(select(condition, a, b) for a, b in zip(first[j], x, strict=True)) for j, x in second.items()}


def _alike(a: Values, b: Values) -> Expr:
    """1 where two branches are one: by Σ 1 − cos Δθ over the angles, and Σ Δr² / 2 over the slides."""
    terms = [_apart(x, b[j]) for j, x in a.items()]
    graph = terms[0].graph
    return at_most(total(graph, terms), _ALIKE**2 / 2 * graph.one)


def _apart(x: tuple[Expr, ...], y: tuple[Expr, ...]) -> Expr:
    if len(x) == 1:
        return (x[0] - y[0]) * (x[0] - y[0]) / 2
    return 1 - (x[0] * y[0] + x[1] * y[1])
