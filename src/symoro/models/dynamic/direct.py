"""Direct dynamics through the inertia matrix, and H, the torques without joint accelerations."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.constraint import Entries
from symoro.models.dynamic.composite_links import composite_entries, with_rotors
from symoro.models.dynamic.newton_euler import joint_torques, link_torques
from symoro.models.results import by_joint

# H, the torques that remain without joint accelerations, by Newton-Euler (K97 § 5.3.1).


def bias(s: Symbols) -> list[Result]:
    """H of Γ = A q̈ + H: velocities, gravity, friction, the base's motion and external wrenches (K97:25)."""
    return [by_joint(s, "H", bias_torques(s))]


def bias_torques(s: Symbols) -> dict[int, Expr]:
    """Γ for q̈ = 0."""
    return joint_torques(s.in_state(qdd=s.still))


def coriolis_torques(s: Symbols) -> list[Result]:
    """C q̇, the Coriolis and centrifugal torques on a base that stands still: Γ for q̈ = 0 and g = 0."""
    none = zeros(s.graph, 6)
    alone = s.in_state(qdd=s.still, V0=none, VP0=none, g=none[:3], wrench={})
    return [by_joint(s, "CQP", link_torques(alone))]


# Direct dynamics through the inertia matrix: A q̈ = Γ − H by a factorisation that keeps the tree's zeros (K97:24).


def direct_dynamics(s: Symbols) -> list[Result]:
    """Joint accelerations QDP for given torques; A by composite links and H by Newton-Euler."""
    return [by_joint(s, "QDP", accelerations(s))]


def accelerations(s: Symbols) -> dict[int, Expr]:
    """q̈ = A⁻¹ (Γ − H) (K97:24)."""
    A, H = with_rotors(s, composite_entries(s)), bias_torques(s)
    return factored_solution(s, A, {j: s.tau[j] - H[j] for j in s.movable})


def factored_solution(s: Symbols, A: Entries, right: Mapping[int, Expr]) -> dict[int, Expr]:
    """x of A x = b with A = Lᵀ D L, from the tips to the base and back.

    Taken in this order, no element that the tree leaves 0 is filled: row k of L has an element only for the joints
    before k. Coupled motors may add others, which are found by their not being 0.
    """
    order = [j for j in s.outward if j in s.movable]
    place = {j: n for n, j in enumerate(order)}
    rest = {tuple(sorted(key, key=place.__getitem__)): x for key, x in A.items() if not x.is_zero}
    b, L = dict(right), {}
    inverse = {}
    for k in reversed(order):
        inverse[k] = s.name_scalar(f"DI{k}", k, 1 / rest[k, k])
        earlier = [i for i in order[: place[k]] if (i, k) in rest]
        for i in earlier:
            L[k, i] = s.graph.name(rest[i, k] * inverse[k], f"L{k}_{i}")
        for n, i in enumerate(earlier):
            b[i] = b[i] - L[k, i] * b[k]
            for h in earlier[: n + 1]:
                change = L[k, i] * rest[h, k]
                rest[h, i] = rest[h, i] - change if (h, i) in rest else -change
    x: dict[int, Expr] = {}
    for k in order:
        x[k] = b[k] * inverse[k]
        for i in order[: place[k]]:
            if (k, i) in L:
                x[k] = x[k] - L[k, i] * x[i]
        s.name_scalar(f"QDP{k}", k, x[k])
    return x
