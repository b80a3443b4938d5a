"""The axes of the joints on the way from the base to each link."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.linalg import Vector


def axes(s: Symbols) -> dict[tuple[int, int], Vector]:
    """u_m in frame j for every link j and every movable joint m on the way from the base to it (L91:24).

    The keys (m, j) come link by link from the base to the tips, each link's from the base to itself.
    """
    u: dict[tuple[int, int], Vector] = {}
    for j in s.outward:
        for m in before(s, j):
            u[m, j] = s.name(f"UA{m}_", j, s.R[j].T @ u[m, s.parent[j]])  # (L91:24)
        if j in s.movable:
            u[j, j] = s.a
    return u


def before(s: Symbols, j: int) -> list[int]:
    """The movable joints on the way from the base to link j, without j."""
    way: list[int] = []
    while (j := s.parent[j]) != 0:
        way.append(j)
    return [i for i in reversed(way) if i in s.movable]
