"""Two angles that turn one direction into another: the step that solves a wrist.

Rz(θj) M Rz(θx) w = b with unit vectors w and b. The z component has θx only, K + X S + Y C = b_z. A cosine alone gives
an angle near 0 with half of the digits. Therefore, with ρ² = X² + Y² and ψ the angle between θx and atan2(X, Y), half
angles are used: 2ρ sin²(ψ/2) = K + ρ − b_z and 2ρ cos²(ψ/2) = b_z − K + ρ. Where K + ρ is 1, the first right side is
1 − b_z = (b_x² + b_y²) / (1 + b_z), which has all digits; the second is treated in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.models.geometric.inverse.types import (
    DOUBLE,
    EMPTY,
    TANGENT,
    Root,
    at_most,
    both,
    either,
    opposite,
    positive,
    quotient,
    unit,
)


@dataclass(frozen=True, slots=True)
class Cone:
    """K + X S + Y C = b_z; `top` says that K + ρ is 1, `bottom` that K − ρ is −1, whatever the pose is."""

    X: Expr
    Y: Expr
    K: Expr
    b: tuple[Expr, Expr, Expr]
    top: bool
    bottom: bool


def tilt(cone: Cone, near: tuple[Expr, Expr]) -> Iterator[Root]:
    """The two roots θx; free is 1 where the direction does not depend on it."""
    g = cone.X.graph
    c0, s0, rho = unit(cone.Y, cone.X)
    cosine, sine, exists = _angle(cone, rho)
    c, s, _ = unit(cosine, sine)
    empty = at_most(rho, EMPTY * g.one) if rho.constant is None else g.zero
    flat = at_most(_across(cone), EMPTY**2 * g.one) if cone.top or cone.bottom else g.zero
    twice = both(at_most(s * s, DOUBLE * g.one), opposite(at_most(_across(cone), 100 * DOUBLE * g.one)))
    s = g.select(twice, g.zero, s)  # the middle of two roots that are one has all digits
    for sign in (1, -1):
        C, S = c0 * c - sign * (s0 * s), s0 * c + sign * (c0 * s)
        value = g.select(empty, near[0], C), g.select(empty, near[1], S)
        once = g.one if sign > 0 else opposite(either(either(twice, flat), empty))
        yield Root(value, both(once, either(empty, exists)), empty if sign > 0 else g.zero)


def _across(cone: Cone) -> Expr:
    """b_x² + b_y²."""
    x, y, _ = cone.b
    return x * x + y * y


def _angle(cone: Cone, rho: Expr) -> tuple[Expr, Expr, Expr]:
    """Cosine and sine of ψ up to a factor, and whether ψ exists."""
    g, z = rho.graph, cone.b[2]
    if cone.top and cone.bottom:  # K = 0 and ρ = 1: b_z is the cosine, and the length of (b_x, b_y) the sine
        return z, g.sqrt(_across(cone)), g.one
    up, down = cone.K + rho - z, z - cone.K + rho
    if cone.top:
        up = g.select(g.less(z, g.zero), 1 - z, quotient(_across(cone), 1 + z))
    if cone.bottom:
        down = g.select(g.less(z, g.zero), quotient(_across(cone), 1 - z), 1 + z)
    exists = both(at_most(-TANGENT * g.one, up), at_most(-TANGENT * g.one, down))
    up, down = positive(up), positive(down)
    return down - up, 2 * g.sqrt(up * down), exists
