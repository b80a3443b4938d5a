"""Direct dynamics through the inertia matrix, and H, the torques without joint accelerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total, zeros
from symoro.lazy import lazy
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


@dataclass(frozen=True)
class Factors:
    """A = Lᵀ D L for many right sides; `order` goes from the base to the tips, a free base first."""

    s: Symbols
    order: Sequence[int]
    L: Mapping[int, Mapping[int, Expr]]
    inverses: Mapping[int, Expr]
    """The elements of D⁻¹."""
    known: dict[tuple[int, frozenset[int]], Mapping[int, Expr]] = field(default_factory=dict)
    """What `rows` has given."""

    @staticmethod
    def of(s: Symbols, A: Entries, order: Sequence[int]) -> Factors:
        """Taken from the tips to the base, no element that the tree leaves 0 is filled."""
        half = ((i, k) for n, k in enumerate(order) for i in order[: n + 1])
        rest = {place: A[place] for place in half if place in A and not A[place].is_zero}
        L: dict[int, dict[int, Expr]] = {}
        inverses = {}
        for n, k in reversed(list(enumerate(order))):
            inverses[k] = 1 / rest[k, k]
            L[k] = {i: rest[i, k] * inverses[k] for i in order[:n] if (i, k) in rest}
            for m, i in enumerate(L[k]):
                for h in list(L[k])[: m + 1]:
                    rest[h, i] = rest.get((h, i), s.graph.zero) - L[k][i] * rest[h, k]
        return Factors(s, order, L, inverses)

    def solved(self, right: Mapping[int, Expr]) -> dict[int, Expr]:
        """x of A x = b: first L⁻ᵀ b from the tips to the base, then L⁻¹ D⁻¹ of it from the base to the tips."""
        zero = self.s.graph.zero
        b = {k: right.get(k, zero) for k in self.order}
        for k in reversed(self.order):
            for i, y in self.L[k].items():
                b[i] = b[i] - y * b[k]
        x: dict[int, Expr] = {}
        carried: set[int] = set()
        for k in self.order:
            carried |= {k} if b[k].is_zero else set()
            x[k] = b[k] * self.inverses[k] - self._before(k, carried, x)
        return x

    def _before(self, k: int, carried: Iterable[int], x: Mapping[int, Expr]) -> Expr:
        """Row k of L, less its diagonal, times x: of a branch that nothing pushes, by x of what carries the branch."""
        row = self.rows(k, frozenset(carried)) if k in carried else self.L[k]
        return total(self.s.graph, (y * x[i] for i, y in row.items()))

    def rows(self, k: int, carried: frozenset[int]) -> Mapping[int, Expr]:
        """Row k of L in which the rows of carried joints are put; they serve all right sides that leave the same 0."""
        carried = frozenset(i for i in self.L[k] if i in carried)
        if (k, carried) not in self.known:
            row = {i: y for i, y in self.L[k].items() if i not in carried}
            for i in sorted(carried):
                for h, y in self.rows(i, carried).items():
                    row[h] = row.get(h, self.s.graph.zero) - self.L[k][i] * y
            self.known[k, carried] = row
        return self.known[k, carried]

    @lazy
    def carriers(self) -> dict[int, set[int]]:
        """Each joint with those that L leads to from it; an element of L can be 0 between a joint and one before it."""
        carriers: dict[int, set[int]] = {}
        for k in self.order:
            carriers[k] = {k}.union(*(carriers[i] for i in self.L[k]))
        return carriers

    @lazy
    def inverse(self) -> Entries:
        """A⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, column by column from the base; symmetry gives those before the diagonal."""
        entries: Entries = {}
        for n, k in enumerate(self.order):
            column = {i: entries[i, k] for i in self.order[:n]}
            beside = [i for i in self.order if i not in self.carriers[k] and k not in self.carriers[i]]
            for i in self.order[n:]:
                diagonal = self.inverses[k] if i == k else self.s.graph.zero
                column[i] = entries[i, k] = entries[k, i] = diagonal - self._before(i, beside, column)
        return entries
