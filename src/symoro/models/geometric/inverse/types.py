"""The types of equations that the search meets, each with all its roots as expressions.

The types are those of Khalil and Dombre (Modeling, Identification and Control of Robots, 2002, chapter 4). An angle is
given by its cosine and sine, so that later steps need neither. No formula uses acos or asin, which lose half of
the digits at the ends of their range, and no expression inside has an undefined value: a divisor that can vanish is
replaced by 1, and `ok` is 0 there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symoro.ir.expr import Expr, Op

#: An equation whose terms are smaller than this, in parts of its natural scale, leaves its unknown free.
EMPTY = 1e-10
#: An equation whose terms are smaller than this, or two roots that are closer, have lost digits: a second loss on top
#: of the first one can take all of them.
NEARLY_EMPTY = 1e-5
#: A root that is missed by less than this may be on the limit of the reachable set: the certificate decides. Near two
#: singularities at once, the joints before it have half of their digits.
TANGENT = 1e-6
#: Two roots that are closer than the square root of this are one: it is taken in the middle, where it has all digits.
DOUBLE = 1e-13


@dataclass(frozen=True, slots=True)
class Root:
    """(cosine, sine) or (r,); `ok` is 1 where the root exists, `free` 1 where the equation leaves the unknown free.

    `weak` is how often the root has lost digits: its equation is nearly empty, or two roots are nearly one.
    """

    value: tuple[Expr, ...]
    ok: Expr
    free: Expr
    weak: Expr | None = None


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
    small, weak = (at_most(abs(a), least * g.one) for least in (EMPTY, NEARLY_EMPTY))
    yield Root((-quotient(b, a) * opposite(small),), g.one, both(small, at_most(abs(b), EMPTY * scale)), weak)


def quadratic(a: Expr, b: Expr, c: Expr) -> Iterator[Root]:
    """a r² + 2 b r + c = 0 without cancellation: w = −(b + sign(b) √(b² − a c)), r = w/a and c/w."""
    g = a.graph
    D, size = b * b - a * c, b * b + abs(a * c)
    exists, twice = at_most(-TANGENT * size, D), at_most(D, DOUBLE * size)
    root, weak = g.sqrt(g.select(twice, g.zero, D)), at_most(D, NEARLY_EMPTY**2 * size)
    if b.is_zero:  # type 4
        r = quotient(root, a)
        yield Root((r,), exists, g.zero, weak)
        yield Root((-r,), both(exists, opposite(twice)), g.zero, weak)
        return
    w = -(b + g.select(g.less(b, g.zero), -g.one, g.one) * root)
    yield Root((quotient(w, a),), exists, g.zero, weak)
    yield Root((quotient(c, w),), both(exists, opposite(twice)), g.zero, weak)


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
    weak = at_most(B, (NEARLY_EMPTY * scale) ** 2)
    if z.is_zero:
        exists, twice = g.one, g.zero
    else:
        weak = weak + at_most(D, NEARLY_EMPTY**2 * size)
    root = g.sqrt(g.select(twice, g.zero, D))
    for sign in (1, -1):
        c, s, _ = (x * sign, -y * sign, B) if z.is_zero else (y * z - sign * x * root, x * z + sign * y * root, B)
        c, s, _ = unit(c, s)
        value = g.select(empty, near[0], c), g.select(empty, near[1], s)
        if sign > 0:
            yield Root(value, either(empty, exists), empty, weak)
        else:
            yield Root(value, both(exists, opposite(either(empty, twice))), g.zero, weak)


def rotation(a: tuple[Expr, Expr], b: tuple[Expr, Expr], scale: Expr, near: tuple[Expr, Expr]) -> Root:
    """Type 3 with equations that are orthogonal: Rz(θ) a = b, so θ = atan2(a × b, a · b)."""
    c, s = a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]
    return _angle(c, s, ((EMPTY * scale) ** 2, (NEARLY_EMPTY * scale) ** 2), near)


def two_equations(
    first: tuple[Expr, Expr, Expr], second: tuple[Expr, Expr, Expr], scale: Expr, near: tuple[Expr, Expr]
) -> Root:
    """Type 3: x1 S + y1 C = z1 and x2 S + y2 C = z2."""
    (x1, y1, z1), (x2, y2, z2) = first, second
    g = x1.graph
    turn = g.select(g.less(x1 * y2 - x2 * y1, g.zero), -g.one, g.one)
    return _angle(turn * (x1 * z2 - x2 * z1), turn * (z1 * y2 - z2 * y1), (EMPTY * scale, NEARLY_EMPTY * scale), near)


def _angle(c: Expr, s: Expr, least: tuple[Expr, Expr], near: tuple[Expr, Expr]) -> Root:
    """The angle of a pair; a pair that is not longer than the first of `least` leaves it free, than the second weak."""
    g = c.graph
    c, s, length = unit(c, s)
    empty, weak = (at_most(length, limit) for limit in least)
    return Root((g.select(empty, near[0], c), g.select(empty, near[1], s)), g.one, empty, weak)


# Type 9: the real roots of a quartic, and of the conic on the circle that a generic shoulder leads to.
#
# The quartic is solved by Ferrari's method with the largest root of the resolvent cubic, then each root is improved by
# Newton's method on the equation itself. Everything is straight-line code.


#: A root is accepted where a square root is missed by less than this: Newton's method and the certificate decide.
_NEARLY = 1e-7
_LARGEST_STEP = 0.1
#: A slope that is smaller than this, in parts of the coefficients, is rounding only.
_ROUNDING = 1e-12
#: Two roots that are closer than 2 √ of this are one.
_SAME = 1e-15


def circle_roots(M: Sequence[Expr], m: Sequence[Expr], k: Expr) -> list[Root]:
    """M11 C² + 2 M12 C S + M22 S² + 2 m1 C + 2 m2 S + k = 0 with M = (M11, M12, M22), m = (m1, m2).

    θ is measured from the one of four directions in which t = tan(θ/2) has the largest leading coefficient.
    """
    g = k.graph
    leading = [M[0] - 2 * m[0] + k, M[2] - 2 * m[1] + k, M[0] + 2 * m[0] + k, M[2] + 2 * m[1] + k]
    forms = [(M, m), ((M[2], -M[1], M[0]), (m[1], -m[0])), (M, (-m[0], -m[1])), ((M[2], -M[1], M[0]), (-m[1], m[0]))]
    turns = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    best = abs(leading[0])
    for other in leading[1:]:
        best = g.apply(Op.MAX, best, abs(other))
    chosen = [*forms[3][0], *forms[3][1], *(g.lift(x) for x in turns[3])]
    for first, (N, n), turn in list(zip(leading, forms, turns, strict=True))[2::-1]:
        largest = at_most(best, abs(first))
        ahead = [*N, *n, *(g.lift(x) for x in turn)]
        chosen = [g.select(largest, a, b) for a, b in zip(ahead, chosen, strict=True)]
    a, b, d, e, f, c0, s0 = chosen
    flat, roots = _flat([*M, *m, k]), []
    for t, ok in quartic(a - 2 * e + k, 4 * (f - b), 4 * d - 2 * a + 2 * k, 4 * (f + b), a + 2 * e + k):
        c, s, _ = unit(1 - t * t, 2 * t)
        c, s = c0 * c - s0 * s, s0 * c + c0 * s
        for _ in range(3):
            c, s = _closer_on_circle(M, m, k, flat, c, s)
        roots.append(Root((c, s), ok, g.zero))
    return _distinct(roots)


def _closer_on_circle(M: Sequence[Expr], m: Sequence[Expr], k: Expr, flat: Expr, c: Expr, s: Expr) -> tuple[Expr, Expr]:
    """A step of Newton's method for the angle. With u = (c, s), f = uᵀM u + 2 m·u + k."""
    x, y = M[0] * c + M[1] * s, M[1] * c + M[2] * s
    square, along = c * x + s * y, m[0] * c + m[1] * s
    slope = 2 * (c * y - s * x + m[1] * c - m[0] * s)
    step = _step(square + 2 * along + k, slope, 2 * (M[0] + M[2] - 2 * square - along), flat)
    c, s, _ = unit(c - step * s, s + step * c)
    return c, s


def line_roots(e: Sequence[Expr]) -> list[Root]:
    """e4 r⁴ + e3 r³ + e2 r² + e1 r + e0 = 0, the coefficients from the highest on."""
    flat, roots = _flat(e), []
    for r, ok in quartic(*e):
        for _ in range(3):
            value = (((e[0] * r + e[1]) * r + e[2]) * r + e[3]) * r + e[4]
            slope = ((4 * e[0] * r + 3 * e[1]) * r + 2 * e[2]) * r + e[3]
            r = r + _step(value, slope, (12 * e[0] * r + 6 * e[1]) * r + 2 * e[2], flat)
        roots.append(Root((r,), ok, r.graph.zero))
    return _distinct(roots)


def _flat(coefficients: Sequence[Expr]) -> Expr:
    """The square of a slope that is rounding only."""
    size = sum((abs(x) for x in coefficients[1:]), abs(coefficients[0]))
    return (_ROUNDING * size) ** 2


def _step(f: Expr, slope: Expr, curvature: Expr, flat: Expr) -> Expr:
    """The step of Newton's method to a root of f; where two roots are one, that to the zero of the slope between them.

    Near a double root f and its slope vanish together, so that −f / slope is rounding only; the zero of the slope has
    all digits there. The distance of two roots is 2 √(slope² − 2 f curvature) / |curvature|.
    """
    g = f.graph
    twice = at_most(abs(slope * slope - 2 * f * curvature), _SAME * (curvature * curvature))
    over = g.select(twice, curvature, slope)
    step = quotient(-g.select(twice, slope, f) * over, over * over + flat)
    return g.apply(Op.MAX, g.apply(Op.MIN, step, g.lift(_LARGEST_STEP)), g.lift(-_LARGEST_STEP))


def _distinct(roots: Sequence[Root]) -> list[Root]:
    """A root that equals an earlier one does not count."""
    distinct: list[Root] = []
    for root in roots:
        ok = root.ok
        for other in distinct:
            apart = [abs(a - b) for a, b in zip(root.value, other.value, strict=True)]
            same = both(other.ok, at_most(sum(apart[1:], apart[0]), _NEARLY * ok.graph.one))
            ok = both(ok, opposite(same))
        distinct.append(Root(root.value, ok, root.free))
    return distinct


def quartic(e4: Expr, e3: Expr, e2: Expr, e1: Expr, e0: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Four roots of e4 t⁴ + … + e0, each with 1 where it is real."""
    g = e4.graph
    a3, a2, a1, a0 = (quotient(e, e4) for e in (e3, e2, e1, e0))
    h = a3 * a3
    p = a2 - 0.375 * h  # t = y − a3/4 gives y⁴ + p y² + q y + r
    q = a1 - a3 * a2 / 2 + a3 * h / 8
    r = a0 - a3 * a1 / 4 + h * a2 / 16 - 3 * h * h / 256
    m = positive(_largest_root(p, p * p / 4 - r, -q * q / 8))
    s = g.sqrt(2 * m)
    size = abs(p) + g.sqrt(abs(r))
    biquadratic = at_most(m, 1e-14 * size)
    inner = g.sqrt(positive(p * p - 4 * r))
    for first in (1, -1):
        under = g.select(biquadratic, 2 * (first * inner - p), -2 * p - 2 * m - first * quotient(2 * q, s))
        exists = at_most(-_NEARLY * (size + m), under)
        root = g.sqrt(positive(under))
        for second in (1, -1):
            yield (first * s + second * root) / 2 - a3 / 4, exists


def _largest_root(a: Expr, b: Expr, c: Expr) -> Expr:
    """The largest real root of m³ + a m² + b m + c, by Cardano's formulas and two steps of Newton's method."""
    g = a.graph
    P = b - a * a / 3
    Q = a * (2 * a * a / 27 - b / 3) + c
    D = Q * Q / 4 + P * P * P / 27
    three = 2 * g.sqrt(positive(-P / 3)) * g.cos(g.atan2(g.sqrt(positive(-D)), -Q / 2) / 3)
    u = _cube_root(abs(Q) / 2 + g.sqrt(positive(D)))
    one = g.select(g.less(g.zero, Q), -g.one, g.one) * (u - quotient(P / 3, u))
    m = g.select(at_most(D, g.zero), three, one) - a / 3
    for _ in range(2):
        slope = (3 * m + 2 * a) * m + b
        m = m - quotient(((m + a) * m + b) * m + c, slope)
    return m


def _cube_root(x: Expr) -> Expr:
    """x^(1/4) x^(1/16) x^(1/64) is nearly x^(1/3); then Halley's method."""
    g = x.graph
    part, u = x, g.one
    for _ in range(3):
        part = g.sqrt(g.sqrt(part))
        u = u * part
    for _ in range(3):
        cube = u * u * u
        u = u * quotient(cube + 2 * x, 2 * cube + x)
    return u
