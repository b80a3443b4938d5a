"""The coefficients of Γ = A q̈ + B [q̇ q̇] + Q (K97 § 5.5).

B has a row for each joint and a column for each product q̇_j q̇_k with j ≤ k, in the order 11, 12 … 1n, 22 … nn.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.extract import Result
from symoro.models.dynamic import lin
from symoro.models.dynamic.christoffel import Coefficients, christoffel_symbols
from symoro.models.dynamic.composite_links import as_result, composite_entries, with_rotors
from symoro.models.dynamic.gravity import gravity_torques
from symoro.models.dynamic.paths import before
from symoro.models.results import by_joint


def by_differentiation(s: Symbols) -> list[Result]:
    """A by composite links, B from its derivatives (K13:7.7), Q by composite links."""
    A = composite_entries(s)
    B = coefficients(s, christoffel_symbols(s, A))
    return [as_result(s, with_rotors(s, A)), B, by_joint(s, "Q", gravity_torques(s))]


def by_lin(s: Symbols) -> list[Result]:
    """All three from Lin's composite bodies (L91:45-47, 65-67)."""
    c = lin.composites(s)
    A, Q = lin.entries(s, c), lin.gravity_torques(s, c)
    return [as_result(s, with_rotors(s, A)), coefficients(s, lin_symbols(s, c)), by_joint(s, "Q", Q)]


def lin_symbols(s: Symbols, c: lin.Composites) -> Coefficients:
    """D_mkj by row and pair of joints."""
    d = lin.coefficients(s, c)
    coefficients: Coefficients = {}
    for m, j in d:
        for k in (*before(s, j), j):
            if s.revolute[k]:
                coefficients[m, min(k, j), max(k, j)] = c.u[k, j].dot(d[m, j])  # (L91:45)
        for k in (*before(s, m), m):
            if s.revolute[k]:
                coefficients[j, min(k, m), max(k, m)] = -c.u[k, j].dot(d[m, j])  # (L91:47)
    return coefficients


def coefficients(s: Symbols, symbols: Coefficients) -> Result:
    """B: twice the symbol for a Coriolis product, once for a square."""
    joints, zero = sorted(s.movable), s.graph.zero
    pairs = [(j, k) for j in joints for k in joints if j <= k]
    elements = tuple((1 if j == k else 2) * symbols.get((i, j, k), zero) for i in s.movable for j, k in pairs)
    gap = "_" if joints and joints[-1] > 9 else ""
    names = tuple(f"B{i}_{j}{gap}{k}" for i in s.movable for j, k in pairs)
    return Result("B", (len(joints), len(pairs)), elements, names)
