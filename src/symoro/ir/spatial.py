"""Rotations as sequences of elementary turns, which need fewer operations than a product with their matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import overload

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, identity


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation about the x (0) or the z (2) axis by an angle of known cosine and sine."""

    axis: int
    cosine: Expr
    sine: Expr

    @property
    def inverse(self) -> Turn:
        return Turn(self.axis, self.cosine, -self.sine)

    def __matmul__(self, v: Vector) -> Vector:
        c, s = self.cosine, self.sine
        x, y, z = v.elements
        if self.axis == 0:
            return Vector.of(v.graph, (x, c * y - s * z, s * y + c * z))
        return Vector.of(v.graph, (c * x - s * y, s * x + c * y, z))


class Rotation:
    """A product of turns. `R @ v` rotates a vector or the columns of a matrix, `R.T` is the inverse."""

    __slots__ = ("graph", "turns")

    def __init__(self, graph: Graph, turns: Iterable[Turn]) -> None:
        self.graph = graph
        self.turns = tuple(turns)

    @property
    def T(self) -> Rotation:
        return Rotation(self.graph, (turn.inverse for turn in reversed(self.turns)))

    @property
    def matrix(self) -> Matrix:
        return self @ identity(self.graph, 3)

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Vector | Matrix) -> Vector | Matrix:
        if isinstance(other, Matrix):
            return Matrix(self.graph, (self @ column for column in other.T)).T
        for turn in reversed(self.turns):
            other = turn @ other
        return other
