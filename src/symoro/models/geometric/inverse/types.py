"""The types of equations that the search meets, each with all its roots as expressions.

The types are those of Khalil and Dombre (Modeling, Identification and Control of Robots, 2002, chapter 4). An angle is
given by its cosine and sine, so that later steps need neither. No formula uses acos or asin, which lose half of
the digits at the ends of their range, and no expression inside has an undefined value: a divisor that can vanish is
replaced by 1, and `ok` is 0 there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.ops import Op

#: An equation whose terms are smaller than this, in parts of its natural scale, leaves its unknown free.
EMPTY = 1e-10
#: A root that is missed by less than this may be on the limit of the reachable set: the certificate decides. Near two
#: singularities at once, the joints before it have half of their digits.
TANGENT = 1e-6
#: Two roots that are closer than the square root of this are one: it is taken in the middle, where it has all digits.
DOUBLE = 1e-13


@dataclass(frozen=True, slots=True)
class Root:
    """(cosine, sine) or (r,); `ok` is 1 where the root exists, `free` 1 where the equation leaves the unknown free."""

    value: tuple[Expr, ...]
    ok: Expr
    free: Expr


def both(a: Expr, b: Expr) -> Expr:
    """1 where both conditions are 1."""
    return a if a is b else a.graph.apply(Op.MIN, a, b) if a.constant is None and b.constant is None else a * b


def either(a: Expr, b: Expr) -> Expr:
    return opposite(both(opposite(a), opposite(b)))


def opposite(a: Expr) -> Expr:
    return 1 - a


def positive(x: Expr) -> Expr:
    """max(x, 0)."""
    return x.graph.apply(Op.MAX, x, x.graph.zero)


def nonzero(x: Expr, size: Expr) -> Expr:
    """x; 0 where it is zero beside its size, up to rounding."""
    return x.graph.select(at_most(abs(x), DOUBLE * size), x.graph.zero, x)


def at_most(a: Expr, b: Expr) -> Expr:
    return a.graph.apply(Op.LESS_EQUAL, a, b)


def quotient(a: Expr, b: Expr) -> Expr:
    """a / b; where b is 0, a."""
    if b.constant is not None:
        return a / b
    g = a.graph
    return a / g.select(g.apply(Op.EQUAL, b, g.zero), g.one, b)


def unit(c: Expr, s: Expr) -> tuple[Expr, Expr, Expr]:
    """The cosine and sine that are proportional to c and s, and the factor."""
    length = c.graph.sqrt(c * c + s * s)
    return quotient(c, length), quotient(s, length), length


def linear(a: Expr, b: Expr, scale: Expr) -> Iterator[Root]:
    """Type 1: a r + b = 0."""
    g = a.graph
    if a.constant is not None:
        yield Root((-b / a,), g.one, g.zero)
        return
    small = at_most(abs(a), EMPTY * g.one)
    yield Root((-quotient(b, a) * opposite(small),), g.one, both(small, at_most(abs(b), EMPTY * scale)))


def quadratic(a: Expr, b: Expr, c: Expr) -> Iterator[Root]:
    """a r² + 2 b r + c = 0 without cancellation: w = −(b + sign(b) √(b² − a c)), r = w/a and c/w."""
    g = a.graph
    D, size = b * b - a * c, b * b + abs(a * c)
    exists, twice = at_most(-TANGENT * size, D), at_most(D, DOUBLE * size)
    root = g.sqrt(g.select(twice, g.zero, D))
    if b.is_zero:  # type 4
        r = quotient(root, a)
        yield Root((r,), exists, g.zero)
        yield Root((-r,), both(exists, opposite(twice)), g.zero)
        return
    w = -(b + g.select(g.less(b, g.zero), -g.one, g.one) * root)
    yield Root((quotient(w, a),), exists, g.zero)
    yield Root((quotient(c, w),), both(exists, opposite(twice)), g.zero)


def sine_and_cosine(
    x: Expr, y: Expr, z: Expr, scale: Expr, near: tuple[Expr, Expr], discriminant: Expr | None = None
) -> Iterator[Root]:
    """Type 2: x S + y C = z. B = x² + y², D = B − z²: θ = atan2(x z ± y √D, y z ∓ x √D).

    `discriminant` is another form of D, where one is known that has more digits: it is 0 where the roots are one.
    """
    g = x.graph
    B = x * x + y * y
    D, size = discriminant or B - z * z, B + z * z
    limit = EMPTY * scale
    empty = both(at_most(B, limit * limit), at_most(abs(z), limit))
    exists, twice = at_most(-TANGENT * size, D), at_most(D, DOUBLE * size if discriminant is None else g.zero)
    if z.is_zero:
        exists, twice = g.one, g.zero
    root = g.sqrt(g.select(twice, g.zero, D))
    for sign in (1, -1):
        c, s, _ = (x * sign, -y * sign, B) if z.is_zero else (y * z - sign * x * root, x * z + sign * y * root, B)
        c, s, _ = unit(c, s)
        value = g.select(empty, near[0], c), g.select(empty, near[1], s)
        if sign > 0:
            yield Root(value, either(empty, exists), empty)
        else:
            yield Root(value, both(exists, opposite(either(empty, twice))), g.zero)


def rotation(a: tuple[Expr, Expr], b: tuple[Expr, Expr], scale: Expr, near: tuple[Expr, Expr]) -> Root:
    """Type 3 with equations that are orthogonal: Rz(θ) a = b, so θ = atan2(a × b, a · b)."""
    c, s = a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]
    return _angle(c, s, (EMPTY * scale) ** 2, near)


def two_equations(
    first: tuple[Expr, Expr, Expr], second: tuple[Expr, Expr, Expr], scale: Expr, near: tuple[Expr, Expr]
) -> Root:
    """Type 3: x1 S + y1 C = z1 and x2 S + y2 C = z2."""
    (x1, y1, z1), (x2, y2, z2) = first, second
    g = x1.graph
    turn = g.select(g.less(x1 * y2 - x2 * y1, g.zero), -g.one, g.one)
    return _angle(turn * (x1 * z2 - x2 * z1), turn * (z1 * y2 - z2 * y1), EMPTY * scale, near)


def _angle(c: Expr, s: Expr, least: Expr, near: tuple[Expr, Expr]) -> Root:
    """The angle of a pair; a pair that is not longer than `least` leaves the angle free."""
    g = c.graph
    c, s, length = unit(c, s)
    empty = at_most(length, least)
    return Root((g.select(empty, near[0], c), g.select(empty, near[1], s)), g.one, empty)
