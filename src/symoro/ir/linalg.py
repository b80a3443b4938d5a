"""Vectors and matrices of expressions, rotations as elementary turns, inertia tensors in other frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from symoro.ir.expr import Expr, Number
from symoro.ir.graph import Graph

# Vectors and matrices of expressions: plain containers; the graph removes zeros and ones element by element.


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
        vector = object.__new__(Vector)
        vector.graph = graph
        vector.elements = tuple(elements)
        return vector

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


# Rotations as sequences of elementary turns, which need fewer operations than a product with their matrix.


Pair = tuple[Expr, Expr]
"""Cosine and sine of an angle."""


def sum_of_angles(a: Pair, b: Pair) -> Pair:
    """Cosine and sine of the sum of two angles."""
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


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


class GivenRotation(Rotation):
    """A rotation of which nothing but its matrix is known."""

    __slots__ = ("entries",)

    def __init__(self, matrix: Matrix) -> None:
        super().__init__(matrix.graph, ())
        self.entries = matrix

    @property
    def T(self) -> Rotation:
        return GivenRotation(self.entries.T)

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...
    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...
    def __matmul__(self, other: Vector | Matrix) -> Vector | Matrix:
        return self.entries @ other


# Inertia tensors under a change of frame: rotation, and the parallel-axis rule linear in the inertial parameters.


def rotated(R: Rotation, J: Matrix) -> Matrix:
    """R J Rᵀ of a symmetric matrix."""
    if isinstance(R, GivenRotation):
        return R.entries @ J @ R.entries.T
    for turn in reversed(R.turns):
        J = turned(turn, J)
    return J


def turned(turn: Turn, J: Matrix) -> Matrix:
    """R J Rᵀ for one turn; in its plane by w = S(xx − yy) + 2C xy: xx − S w, yy + S w, C w − xy."""
    x, y, z = (0, 1, 2) if turn.axis == 2 else (1, 2, 0)
    c, s, xx, yy, xy = turn.cosine, turn.sine, J[x, x], J[y, y], J[x, y]
    if c.is_zero:
        xx, yy, xy = yy, xx, -xy
    elif not s.is_zero:
        w = s * (xx - yy) + c * (2 * xy)
        xx, yy, xy = xx - s * w, yy + s * w, c * w - xy
    return symmetric({
        (x, x): xx, (y, y): yy, (z, z): J[z, z], (x, y): xy,
        (x, z): c * J[x, z] - s * J[y, z], (y, z): s * J[x, z] + c * J[y, z],
    }, J)  # fmt: skip


def conjugated(turn: Turn, C: Matrix) -> Matrix:
    """R C Rᵀ of any matrix for one turn; in its plane xy − yx stays, and the rest turns as a symmetric matrix."""
    x, y, z = (0, 1, 2) if turn.axis == 2 else (1, 2, 0)
    c, s, xx, yy, xy, yx = turn.cosine, turn.sine, C[x, x], C[y, y], C[x, y], C[y, x]
    if c.is_zero:
        xx, yy, xy, yx = yy, xx, -yx, -xy
    elif not s.is_zero:
        w = s * (xx - yy) + c * (xy + yx)
        xx, yy, xy, yx = xx - s * w, yy + s * w, c * w - yx, c * w - xy
    entries = {
        (x, x): xx, (y, y): yy, (z, z): C[z, z], (x, y): xy, (y, x): yx,
        (x, z): c * C[x, z] - s * C[y, z], (y, z): s * C[x, z] + c * C[y, z],
        (z, x): c * C[z, x] - s * C[z, y], (z, y): s * C[z, x] + c * C[z, y],
    }  # fmt: skip
    return Matrix(C.graph, ((entries[a, b] for b in range(3)) for a in range(3)))


def symmetric(entries: dict[tuple[int, int], Expr], like: Matrix) -> Matrix:
    """The symmetric 3 × 3 matrix of six entries, given on either side of the diagonal."""
    both = entries | {(b, a): x for (a, b), x in entries.items()}
    return Matrix(like.graph, ((both[a, b] for b in range(3)) for a in range(3)))


def moved(J: Matrix, MS: Vector, MSP: Vector, P: Vector) -> Matrix:
    """The inertia about the origin of a parallel frame from which P leads to this one (K97:28).

    MS are the first moments about the old origin, MSP = MS + M P about the new one. J − P̂ M̂S − M̂S P̂ − M P̂ P̂ is,
    element by element, J_aa plus P_b (MS_b + MSP_b) of the other two axes, and J_ab − P_a MSP_b − P_b MS_a.
    """
    t = [p * (a + b) for p, a, b in zip(P, MS, MSP, strict=True)]
    diagonal = {(a, a): J[a, a] + t[(a + 1) % 3] + t[(a + 2) % 3] for a in range(3)}
    others = {(a, b): J[a, b] - P[a] * MSP[b] - P[b] * MS[a] for a, b in ((0, 1), (0, 2), (1, 2))}
    return symmetric({**diagonal, **others}, J)


def outer(a: Vector, b: Vector) -> Matrix:
    """a bᵀ."""
    return Matrix(a.graph, ((x * y for y in b) for x in a))


# Symmetric positive definite matrices of expressions, without pivoting: A = Lᵀ D L, from the last row to the first.
# In this order the zeros of a tree's inertia matrix stay zeros.

Rows = Sequence[Sequence[Expr]]


def inverse_form(graph: Graph, A: Rows, B: Rows, C: Rows | None = None) -> list[list[Expr]] | None:
    """Bᵀ A⁻¹ C; Bᵀ A⁻¹ B where C is left out, both halves the same expressions. None where a pivot is the number 0.

    With L⁻ᵀ B and L⁻ᵀ C it is a sum over the rows, (L⁻ᵀ B)ᵀ D⁻¹ (L⁻ᵀ C): one pass instead of two.
    """
    width = len(B[0]) if B else 0
    reduced = _reduced(graph, A, [[*b, *c] for b, c in zip(B, C or [()] * len(B), strict=True)])
    if reduced is None:
        return None
    D, rows = reduced
    scaled = [[x * d for x in row[:width]] for row, d in zip(rows, D, strict=True)]

    def product(i: int, k: int) -> Expr:
        return total(graph, (x[i] * y[k] for x, y in zip(scaled, rows, strict=True)))

    if C is not None:
        return [[product(i, width + k) for k in range(len(C[0]))] for i in range(width)]
    half = {(i, k): product(i, k) for i in range(width) for k in range(i, width)}
    return [[half[min(i, k), max(i, k)] for k in range(width)] for i in range(width)]


def _reduced(graph: Graph, A: Rows, right: list[list[Expr]]) -> tuple[list[Expr], list[list[Expr]]] | None:
    """1 / D, and L⁻ᵀ times the right side."""
    n, rest = len(A), [list(row) for row in A]
    D = [graph.zero] * n
    for k in reversed(range(n)):
        if rest[k][k].is_zero:
            return None
        D[k] = graph.one / rest[k][k]
        for i in range(k):
            if rest[i][k].is_zero:
                continue
            L = rest[i][k] * D[k]
            right[i] = [x - L * y for x, y in zip(right[i], right[k], strict=True)]
            for h in range(i + 1):
                rest[h][i] = rest[h][i] - L * rest[h][k]
    return D, right
