"""Where a free joint must be so that another joint can follow it.

A singular pose can leave a joint free: any position of it is right if the other joints can follow. An equation of type
2 for one of them, X S + Y C = Z, has roots where Z² ≤ X² + Y². With the angle φ of the free joint, Z is of the form
−(z0 + zc cos φ + zs sin φ). The position `near` is kept where it has roots. Else φ is the one that brings Z nearest to
zero, so that there are roots if any position has them: zc cos φ + zs sin φ = −z0.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.expr import Expr
from symoro.ir.ops import Op
from symoro.models.geometric.inverse.polynomial import Polynomial
from symoro.models.geometric.inverse.steps import Known, Place, Single, Step
from symoro.models.geometric.inverse.types import TANGENT, positive, quotient


def with_room(place: Place, step: Step, values: Known, free: Mapping[int, Expr]) -> Known:
    """The values with their free joints moved, where the step has no roots; `free` is 1 where a joint is free."""
    if not isinstance(step, Single) or step.prismatic or step.degree != 1:
        return values
    moved = dict(values)
    for joint, is_free in free.items():
        if len(moved[joint]) == 2:
            moved[joint] = _moved(place, step, moved, joint, is_free)
    return moved


def _moved(place: Place, step: Single, values: Known, joint: int, is_free: Expr) -> tuple[Expr, ...]:
    """Cosine and sine of a free joint."""
    own, other = (f"C{step.joint}", f"S{step.joint}"), (f"C{joint}", f"S{joint}")
    f = step.source.zero(place.loop, place.goal, place.values(values, step.joint, joint))
    if not _apart(f, own, other):
        return values[joint]
    X, Y, zc, zs = f.coefficient(own[1]), f.coefficient(own[0]), f.coefficient(other[0]), f.coefficient(other[1])
    # C² + S² is 1; of the free joint, both squares have the same coefficient at the poses that leave it free
    z0 = f.coefficient() + f.coefficient(own[0], own[0])
    z0 = z0 + (f.coefficient(other[0], other[0]) + f.coefficient(other[1], other[1])) / 2
    c, s = values[joint]
    Z, A = z0 + zc * c + zs * s, X.graph.sqrt(zc * zc + zs * zs)
    along = _within_one(quotient(-z0, A))
    across = X.graph.sqrt(positive(1 - along * along))
    cosine, sine = quotient(zc * along - zs * across, A), quotient(zs * along + zc * across, A)
    g = X.graph
    lost = g.select(g.less((1 + 2 * TANGENT) * (X * X + Y * Y), Z * Z), is_free, g.zero)
    return g.select(lost, cosine, c), g.select(lost, sine, s)


def _apart(f: Polynomial, own: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the free joint changes the equation, and no term has both joints."""
    both = [m for m in f.terms if set(m) & set(own) and set(m) & set(other)]
    return not both and any((name,) in f.terms for name in other)


def _within_one(x: Expr) -> Expr:
    g = x.graph
    return g.apply(Op.MAX, g.apply(Op.MIN, x, g.one), -g.one)
