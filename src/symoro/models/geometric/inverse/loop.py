"""The loop of displacements of a chain, opened between any two places: figures that both ways see.

Let p be a point and a a direction. The quantities p, a, p·p, p·a and p×a of a displaced point and direction are linear
in those before (Raghavan and Roth, J. Mech. Des. 115, 1993). Products of them along a chain are therefore of the first
degree in the sine and cosine of each joint angle, however many joints there are. The scalars can be arrays of numbers,
expressions or polynomials: whatever can be added and multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from symoro.ir.expr import Expr
from symoro.models.geometric.inverse.chain import Axis, Screw, ScrewChain
from symoro.models.geometric.walk import X, Z

Scalar = Any
Triple = tuple[Scalar, Scalar, Scalar]
#: The quantities with three components and those with one.
VECTORS, SCALARS = ("p", "a", "s", "h"), ("pp", "pa")


@dataclass(frozen=True, slots=True)
class FrameVectors:
    """p a point, a and s the z and x axes of its frame (K97:1a), h = p×a, pp = p·p, pa = p·a."""

    p: Triple = (0, 0, 0)
    a: Triple = (0, 0, 1)
    s: Triple = (1, 0, 0)
    h: Triple = (0, 0, 0)
    pp: Scalar = 0
    pa: Scalar = 0

    def turned(self, axis: int, cosine: Scalar, sine: Scalar) -> FrameVectors:
        """After a rotation about the x or z axis by the angle of this cosine and sine."""
        p, a, s, h = (_turned(v, axis, cosine, sine) for v in (self.p, self.a, self.s, self.h))
        return replace(self, p=p, a=a, s=s, h=h)

    def shifted(self, axis: int, t: Scalar) -> FrameVectors:
        """After a translation by t along a coordinate axis: p + t, p·p + 2 t·p + t·t, p·a + t·a, p×a + t×a."""
        p, h = list(self.p), list(self.h)
        j, k = (axis + 1) % 3, (axis + 2) % 3
        p[axis] = p[axis] + t
        h[j], h[k] = h[j] - t * self.a[k], h[k] + t * self.a[j]
        pp = self.pp + 2 * (t * self.p[axis]) + t * t
        return replace(self, p=tuple(p), h=tuple(h), pp=pp, pa=self.pa + t * self.a[axis])

    def displaced(self, rows: Sequence[Sequence[Scalar]], t: Sequence[Scalar]) -> FrameVectors:
        """After a rotation by a matrix, then a translation."""
        p, a, s, h = (_product(rows, v) for v in (self.p, self.a, self.s, self.h))
        figure = replace(self, p=p, a=a, s=s, h=h)
        for axis, along in enumerate(t):
            figure = figure.shifted(axis, along)
        return figure

    def element(self, name: str) -> Scalar:
        """A component by its name: "pz", "ax", "pp" …"""
        if name in SCALARS:
            return getattr(self, name)
        return getattr(self, name[0])["xyz".index(name[1])]


def _turned(v: Triple, axis: int, c: Scalar, s: Scalar) -> Triple:
    x, y, z = v
    if axis == X:
        return x, c * y - s * z, s * y + c * z
    return c * x - s * y, s * x + c * y, z


def _product(rows: Sequence[Sequence[Scalar]], v: Triple) -> Triple:
    a, b, c = (row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in rows)
    return a, b, c


# The loop of displacements of a chain, opened between any two places: two ways to see the same figure.
#
# The places 0 … N lie between the elements Z1, A2, Z2 … Zn of the chain. A figure that is fixed at place y is seen from
# place x on two ways: along the chain, and around through the wanted pose U. Both views are equal, which gives the
# equations of Paul's method, with all products from either side (K97 § 3.3). Seen in the other direction, a figure at x
# from place y, the roles of both ends of the chain are exchanged.


Task = Literal["pose", "position", "axis"]
Part = Axis | tuple[Screw, ...]
Values = Mapping[int, tuple[Scalar, ...]]
"""(cosine, sine) of each revolute joint and (r,) of each prismatic one."""
Goal = tuple[tuple[tuple[Scalar, ...], ...], tuple[Scalar, ...]]
"""The rows of a rotation, and a translation."""


@dataclass(frozen=True, slots=True)
class View:
    """A figure at one place seen from another: at `y` from `x` (outward), or at `x` from `y`; always x < y."""

    outward: bool
    x: int
    y: int

    @property
    def first(self) -> int:
        """The element that turns the view last on its way along the chain."""
        return self.x if self.outward else self.y - 1


@dataclass(frozen=True)
class ChainLoop:
    """The elements of a chain with scalars of one kind, made of the chain's expressions by `lift`."""

    chain: ScrewChain
    lift: Callable[[Expr], Scalar]
    task: Task = "pose"
    axis: tuple[int, int, int] = (0, 0, 1)

    @property
    def elements(self) -> tuple[Part, ...]:
        """Z1, A2, Z2 … Zn."""
        both = zip(self.chain.axes, self.chain.links, strict=False)
        return (*(element for pair in both for element in pair), self.chain.axes[-1])

    def views(self, goal: Goal, values: Values) -> Iterator[tuple[View, FrameVectors, FrameVectors]]:
        """Every pair of places, with both figures; without an orientation the figure is that at the end."""
        last = len(self.elements)
        for y in range(1, last + 1) if self.task == "pose" else (last,):
            left, right = self._along(View(True, 0, y), values), self._around(View(True, y - 1, y), goal, values)
            yield from ((View(True, x, y), left[y - x], right[last - y + 1 + x]) for x in range(y))
        for x in range(last) if self.task == "pose" else ():
            left, right = self._along(View(False, x, last), values), self._around(View(False, x, x + 1), goal, values)
            yield from ((View(False, x, y), left[y - x], right[x + 1 + last - y]) for y in range(x + 1, last + 1))

    def both(self, view: View, goal: Goal, values: Values) -> tuple[FrameVectors, FrameVectors]:
        """The figure of a view along the chain, and around through the goal."""
        return self._along(view, values)[-1], self._around(view, goal, values)[-1]

    def _along(self, view: View, values: Values) -> list[FrameVectors]:
        """The figure at each place of its way along the chain."""
        parts = self.elements[view.x : view.y]
        if view.outward:
            return self._way(self._tool(self._figure()), [(part, False) for part in reversed(parts)], values)
        return self._way(self._figure(), [(part, True) for part in parts], values)

    def _around(self, view: View, goal: Goal, values: Values) -> list[FrameVectors]:
        """The figure at each place of its way around through the goal, which counts as one place."""
        parts = self.elements
        if view.outward:
            first = self._way(self._figure(), [(part, True) for part in parts[view.y :]], values)
            rest = [(part, True) for part in parts[: view.x]]
            return first + self._way(first[-1].displaced(*goal), rest, values)
        first = self._way(self._figure(), [(part, False) for part in reversed(parts[: view.x])], values)
        rest = [(part, False) for part in reversed(parts[view.y :])]
        return first + self._way(first[-1].displaced(*inverse(goal)), rest, values)

    def _way(self, figure: FrameVectors, parts: Sequence[tuple[Part, bool]], values: Values) -> list[FrameVectors]:
        """The figure before and after each element; the flag says that the element is inverted."""
        figures = [figure]
        for part, inverted in parts:
            figures.append((self._moved_back if inverted else self._moved)(figures[-1], part, values))
        return figures

    def goal(self, values: Values) -> Goal:
        """U, or U with the tool, of these positions."""
        end, _ = self.both(View(True, 0, len(self.elements)), _NOWHERE, values)
        (a1, a2, a3), (s1, s2, s3) = end.a, end.s
        n = (a2 * s3 - a3 * s2, a3 * s1 - a1 * s3, a1 * s2 - a2 * s1)
        return tuple(zip(end.s, n, end.a, strict=True)), end.p

    def _figure(self) -> FrameVectors:
        """The figure at its own place: the origin with the z and x axes, or with the axis of the task."""
        zero, one = (self.lift(self.chain.symbols.graph.lift(k)) for k in (0, 1))
        axis = [one if k else zero for k in ((0, 0, 1) if self.task == "pose" else self.axis)]
        x, y, z = axis
        return FrameVectors((zero, zero, zero), (x, y, z), (z, x, y), (zero, zero, zero), zero, zero)

    def _tool(self, figure: FrameVectors) -> FrameVectors:
        """Without an orientation, the tool cannot be divided out."""
        if self.task == "pose":
            return figure
        A, P = self.chain.tool
        return figure.displaced([[self.lift(x) for x in row] for row in A], [self.lift(x) for x in P])

    def _moved(self, figure: FrameVectors, part: Part, values: Values) -> FrameVectors:
        if isinstance(part, Axis):
            turn, shift = self._motion(part, values)
            return figure.shifted(Z, shift).turned(Z, *turn)
        for screw in reversed(part):
            figure = figure.shifted(screw.axis, self.lift(screw.shift)).turned(screw.axis, *self._turn(screw.turn))
        return figure

    def _moved_back(self, figure: FrameVectors, part: Part, values: Values) -> FrameVectors:
        if isinstance(part, Axis):
            (c, s), shift = self._motion(part, values)
            return figure.turned(Z, c, -s).shifted(Z, -shift)
        for screw in part:
            c, s = self._turn(screw.turn)
            figure = figure.turned(screw.axis, c, -s).shifted(screw.axis, -self.lift(screw.shift))
        return figure

    def _motion(self, axis: Axis, values: Values) -> tuple[tuple[Scalar, Scalar], Scalar]:
        if axis.prismatic:
            return self._turn(axis.constant), values[axis.joint][0]
        c, s = values[axis.joint]
        return (c, s), self.lift(axis.constant)

    def _turn(self, angle: Expr) -> tuple[Scalar, Scalar]:
        graph = self.chain.symbols.graph
        return self.lift(graph.cos(angle)), self.lift(graph.sin(angle))


_NOWHERE: Goal = (((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0))


def inverse(goal: Goal) -> Goal:
    """The inverse displacement: Rᵀ and −Rᵀ t."""
    rows, t = goal
    columns = tuple(zip(*rows, strict=True))
    return columns, tuple(-(c[0] * t[0] + c[1] * t[1] + c[2] * t[2]) for c in columns)
