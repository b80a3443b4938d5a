"""Composite links: link j with all that hangs on it, as one body (K97:27-30)."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector
from symoro.ir.tensor import moved, rotated
from symoro.symbols import Symbols


@dataclass(frozen=True, slots=True)
class Composite:
    """Mass, first moments and inertia about the frame's origin: M⁺, MS⁺, J⁺."""

    M: Expr
    MS: Vector
    J: Matrix


def composite_links(s: Symbols) -> dict[int, Composite]:
    """The composite link of every link."""
    whole: dict[int, Composite] = {}
    for j in s.inward:
        M, MS, J = s.M[j], s.MS[j], s.J[j]
        for k in s.children[j]:
            R, P, body = s.R[k], s.P[k], whole[k]
            here = s.name("AS", k, R @ body.MS)  # (K97:27)
            there = here + P * body.M
            J = J + moved(rotated(R, body.J), here, there, P)  # (K97:28)
            MS = MS + there  # (K97:29)
            M = M + body.M  # (K97:30)
        whole[j] = Composite(s.name_scalar(f"MP{j}", j, M), s.name("MSP", j, MS), named(s, "JP", j, J))
    return whole


def composite_moments(s: Symbols) -> dict[int, tuple[Expr, Vector]]:
    """M⁺ and MS⁺ of every link (K97:27, 29, 30)."""
    whole: dict[int, tuple[Expr, Vector]] = {}
    for j in s.inward:
        M, MS = s.M[j], s.MS[j]
        for k in s.children[j]:
            mass, moments = whole[k]
            MS = MS + s.name("AS", k, s.R[k] @ moments) + s.P[k] * mass  # (K97:29)
            M = M + mass  # (K97:30)
        whole[j] = s.name_scalar(f"MP{j}", j, M), s.name("MSP", j, MS)
    return whole


def named(s: Symbols, letters: str, j: int, J: Matrix) -> Matrix:
    """The elements of a symmetric matrix of link j under their names: JP123 is row 1, column 2 of link 3."""
    for row in range(3):
        for column in range(row, 3):
            s.name_scalar(f"{letters}{row + 1}{column + 1}{j}", j, J[row, column])
    return J
