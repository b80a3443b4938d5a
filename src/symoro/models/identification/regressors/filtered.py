"""The filtered dynamic model Γ = d(D1 K)/dt + D2 K (K97:40-44), and its filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.errors import OptionError
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, total
from symoro.models.dynamic.drives import rotor_row
from symoro.models.families import constraint_of
from symoro.models.identification.columns import INERTIAL, Key, at_joints, drive_column, matrix_result, unit_parameters
from symoro.models.identification.regressors.energy import gravity_in_frames, moved
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.recursion import LinkMotion, six

# The filtered dynamic model Γ = d(D1 K)/dt + D2 K (K97:40-44). After filtering it needs no accelerations.
#
# D1 K = ∂E/∂q̇ is the momentum along the joints, D2 K = −∂E/∂q + ∂U/∂q. Both come from the momentum of links by the
# inward recursion of Newton-Euler: with the momentum l, L of the links that joint k carries, in frame k,
# ∂E/∂q̇_k = z·L and ∂E/∂q_k = (V_k × z)·l + (ω_k × z)·L for a revolute joint; z·l and (ω_k × z)·l for a prismatic one.


def filtered_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """D1 and D2: Γ filtered by F is (D1 filtered by F′ + D2 filtered by F) K (K97:44)."""
    first, second = _columns(s)
    chosen = selected(s, columns)
    return [matrix_result(s, "D1", chosen, first, "K97:42"), matrix_result(s, "D2", chosen, second, "K97:43")]


def _columns(s: Symbols) -> tuple[Callable[[Key], dict[int, Expr]], Callable[[Key], dict[int, Expr]]]:
    """The columns of D1 and of D2 by parameter."""
    motion, g = moved(s), gravity_in_frames(s)[0]

    def first(key: Key) -> dict[int, Expr]:
        if key[0] in INERTIAL:
            return dict(at_joints(s, key[1], *momentum(motion, key)))
        return rotor_momentum(s, key) if key[0] == "IA" else {}

    def second(key: Key) -> dict[int, Expr]:
        if key[0] in INERTIAL:
            return without_acceleration(motion, g, key)
        return {} if key[0] == "IA" else drive_column(s, key)

    return first, second


def of_loops(s: Symbols, columns: Columns) -> list[Result]:
    """Γ = Gᵀ (d(D1 K)/dt + D2 K) = d(Gᵀ D1 K)/dt + (Gᵀ D2 − Ġᵀ D1) K."""
    c = constraint_of(s)
    Gd = c.rates
    first, second = _columns(c.with_velocities)

    def later(key: Key) -> dict[int, Expr]:
        projected, momenta = c.forces(second(key)), first(key)
        return {
            i: total(s.graph, (x, *(-(row[i] * momenta[k]) for k, row in Gd.items() if k in momenta and i in row)))
            for i, x in projected.items()
        }

    chosen, rows = selected(s, columns), {k: str(k if k > 0 else n) for n, k in enumerate(c.left, 1)}
    return [
        matrix_result(s, "D1", chosen, lambda key: c.forces(first(key)), "K97:42, K10:55", rows),
        matrix_result(s, "D2", chosen, later, "K97:43, K10:55", rows),
    ]


def momentum(motion: LinkMotion, key: Key) -> tuple[Vector, Vector]:
    """Linear and angular momentum of link j, at the origin of its frame, where one of its parameters is 1."""
    s, j = unit_parameters(motion.s, key), key[1]
    v, w = motion.v[j], motion.w[j]
    return s.M[j] * v + w.cross(s.MS[j]), s.J[j] @ w + s.MS[j].cross(v)


def without_acceleration(motion: LinkMotion, g: dict[int, Vector], key: Key) -> dict[int, Expr]:
    """−∂E/∂q + ∂U/∂q at every joint (K97:43)."""
    s, j = motion.s, key[1]
    unit = unit_parameters(s, key)
    weight = -(unit.M[j] * g[j]), -unit.MS[j].cross(g[j])
    row = dict(at_joints(s, j, *weight))
    l, L = momentum(motion, key)
    while j:
        if j not in s.free:
            row[j] = row[j] - _turned(motion, j, l, L)
        l, L = s.R[j] @ l, s.R[j] @ L
        if j in s.free:
            row |= {k: row[k] - x for k, x in _turned_freely(motion, j, l, L)}
        L = L + s.P[j].cross(l)
        j = s.parent[j]
    return row


def _turned(motion: LinkMotion, k: int, l: Vector, L: Vector) -> Expr:
    """∂E/∂q_k, from the momentum of what joint k carries."""
    s, z = motion.s, motion.s.a
    across = motion.w[k].cross(z)
    if s.revolute[k]:
        return motion.v[k].cross(z).dot(l) + across.dot(L)
    return across.dot(l) if s.prismatic[k] else s.graph.zero


def _turned_freely(motion: LinkMotion, k: int, l: Vector, L: Vector) -> Iterator[tuple[int, Expr]]:
    """The same for the axes e of a free link, which are those of its antecedent: the antecedent turns them.

    l and L are in the frame of the antecedent. (ω × e)·l = e·(l × ω), and (v × e)·l = e·(l × v).
    """
    s, w = motion.s, motion.w[motion.s.parent[k]]
    v = s.R[k] @ motion.v[k]
    yield from zip(six(k), (*l.cross(w), *(l.cross(v) + L.cross(w))), strict=True)


def rotor_momentum(s: Symbols, key: Key) -> dict[int, Expr]:
    """A q̇ of the rotors, with one rotor inertia 1."""
    unit = unit_parameters(s, key)
    return {j: total(s.graph, (x * s.qd[k] for k, x in rotor_row(unit, j).items())) for j in s.variables}


# The filters of the filtered dynamic model as data: F and F′ (K97:45-46).


@dataclass(frozen=True, slots=True)
class Filter:
    """A transfer function: coefficients of falling powers of s."""

    numerator: tuple[float, ...]
    denominator: tuple[float, ...]

    def digital(self, rate: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Coefficients b, a of `scipy.signal.lfilter` for samples at a rate in Hz, by Tustin's rule."""
        from scipy.signal import bilinear

        b, a = bilinear(self.numerator, self.denominator, fs=rate)
        return tuple(map(float, b)), tuple(map(float, a))


def filters(a: float, order: int = 2) -> tuple[Filter, Filter]:
    """F = aⁿ/(s + a)ⁿ (K97:45) and F′ = s F (K97:46), with the corner at a in rad/s."""
    if order < 2:
        raise OptionError("regressors.order", order=order)
    denominator: tuple[float, ...] = (1.0,)
    for _ in range(order):
        denominator = tuple(x + a * y for x, y in zip((*denominator, 0.0), (0.0, *denominator), strict=True))
    gain = a**order
    return Filter((gain,), denominator), Filter((gain, 0.0), denominator)
