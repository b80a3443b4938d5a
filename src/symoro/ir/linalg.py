"""Vectors and matrices of expressions: plain containers; the graph removes zeros and ones element by element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import overload

from symoro.ir.expr import Expr, Number
from symoro.ir.graph import Graph

Scalar = Expr | Number


def total(graph: Graph, terms: Iterable[Expr]) -> Expr:
    """The sum, from left to right."""
    result = graph.zero
    for term in terms:
        result = result + term
    return result


class Vector:
    """A column of expressions."""

    __slots__ = ("elements", "graph")

    def __init__(self, graph: Graph, elements: Iterable[Scalar]) -> None:
        self.graph = graph
        self.elements = tuple([e if isinstance(e, Expr) else graph.lift(e) for e in elements])

    @staticmethod
    def of(graph: Graph, elements: Iterable[Expr]) -> Vector:
        """A vector of what are expressions of the graph already."""
        made = object.__new__(Vector)
        made.graph = graph
        made.elements = tuple(elements)
        return made

    def __len__(self) -> int:
        return len(self.elements)

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.elements)

    @overload
    def __getitem__(self, i: int) -> Expr: ...
    @overload
    def __getitem__(self, i: slice) -> Vector: ...
    def __getitem__(self, i: int | slice) -> Expr | Vector:
        return Vector.of(self.graph, self.elements[i]) if isinstance(i, slice) else self.elements[i]

    def __add__(self, other: Vector) -> Vector:
        add = self.graph.add
        return Vector.of(self.graph, [add(a, b) for a, b in zip(self.elements, other.elements, strict=True)])

    def __sub__(self, other: Vector) -> Vector:
        add = self.graph.add
        return Vector.of(self.graph, [add(a, b.opposite) for a, b in zip(self.elements, other.elements, strict=True)])

    def __neg__(self) -> Vector:
        return Vector.of(self.graph, [a.opposite for a in self.elements])

    def __mul__(self, factor: Scalar) -> Vector:
        return Vector.of(self.graph, [a * factor for a in self.elements])

    __rmul__ = __mul__

    def dot(self, other: Vector) -> Expr:
        add, mul, result = self.graph.add, self.graph.mul, self.graph.zero
        for a, b in zip(self.elements, other.elements, strict=True):
            if not a.is_zero and not b.is_zero:
                result = add(result, mul(a, b))
        return result

    def cross(self, other: Vector) -> Vector:
        (a, b, c), (x, y, z) = self.elements, other.elements
        return Vector.of(self.graph, (b * z - c * y, c * x - a * z, a * y - b * x))

    @property
    def is_zero(self) -> bool:
        return all(e.is_zero for e in self.elements)


class Matrix:
    """Rows of expressions."""

    __slots__ = ("graph", "rows")

    def __init__(self, graph: Graph, rows: Iterable[Iterable[Scalar]]) -> None:
        self.graph = graph
        self.rows = tuple([row if isinstance(row, Vector) else Vector(graph, row) for row in rows])

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.rows)

    @overload
    def __getitem__(self, i: int) -> Vector: ...
    @overload
    def __getitem__(self, i: tuple[int, int]) -> Expr: ...
    def __getitem__(self, i: int | tuple[int, int]) -> Vector | Expr:
        return self.rows[i[0]].elements[i[1]] if isinstance(i, tuple) else self.rows[i]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    @property
    def T(self) -> Matrix:
        columns = zip(*[row.elements for row in self.rows], strict=True)
        return Matrix(self.graph, [Vector.of(self.graph, column) for column in columns])

    def column(self, j: int) -> Vector:
        return Vector.of(self.graph, [row.elements[j] for row in self.rows])

    def __add__(self, other: Matrix) -> Matrix:
        return Matrix(self.graph, (a + b for a, b in zip(self.rows, other.rows, strict=True)))

    def __sub__(self, other: Matrix) -> Matrix:
        return Matrix(self.graph, (a - b for a, b in zip(self.rows, other.rows, strict=True)))

    def __neg__(self) -> Matrix:
        return Matrix(self.graph, (-row for row in self.rows))

    def __mul__(self, factor: Scalar) -> Matrix:
        return Matrix(self.graph, (row * factor for row in self.rows))

    __rmul__ = __mul__

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Vector | Matrix) -> Vector | Matrix:
        if isinstance(other, Vector):
            return Vector.of(self.graph, [row.dot(other) for row in self.rows])
        columns = other.T.rows
        return Matrix(self.graph, [Vector.of(self.graph, [row.dot(c) for c in columns]) for row in self.rows])


def identity(graph: Graph, n: int) -> Matrix:
    return Matrix(graph, ((int(i == j) for j in range(n)) for i in range(n)))


def zeros(graph: Graph, n: int) -> Vector:
    return Vector(graph, (0,) * n)


def hat(v: Vector) -> Matrix:
    """The matrix of the vector product: hat(a) @ b = a × b."""
    x, y, z = v
    return Matrix(v.graph, ((0, -z, y), (z, 0, -x), (-y, x, 0)))
