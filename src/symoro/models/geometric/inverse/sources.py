"""Equations in one unknown: a component of a view, a squared length, or a pair of which another unknown is eliminated.

Each source gives the same equation for numbers and for polynomials; its zero is where the equation holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symoro.models.geometric.inverse.figure import Figure, Scalar
from symoro.models.geometric.inverse.loop import Goal, Loop, Values, View
from symoro.models.geometric.inverse.polynomial import Polynomial, known, unknown

#: The power of a length in each quantity.
DIMENSION = {"p": 1, "a": 0, "s": 0, "h": 1, "pp": 2, "pa": 1}


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a view on both ways."""

    view: View
    name: str

    @property
    def dimension(self) -> int:
        return DIMENSION.get(self.name) or DIMENSION[self.name[0]]

    def zero(self, loop: Loop, goal: Goal, values: Values) -> Scalar:
        left, right = loop.both(self.view, goal, values)
        return left.element(self.name) - right.element(self.name)


@dataclass(frozen=True, slots=True)
class Length:
    """The x and y components of a view, squared and added: the joint that turns them falls out.

    `together` says that the unknown is on the same way as that joint, so that their sum is in the equations.
    """

    view: View
    vector: str
    eliminated: int
    together: bool

    @property
    def dimension(self) -> int:
        return 2 * DIMENSION[self.vector]

    def zero(self, loop: Loop, goal: Goal, values: Values) -> Scalar:
        arm, known = self.sides(loop, goal, values)
        return arm - known

    def sides(self, loop: Loop, goal: Goal, values: Values) -> tuple[Scalar, Scalar]:
        """x² + y² on the way that has the unknown, and on the other way."""
        left, right = (_across(figure, self.vector) for figure in loop.both(self.view, goal, values))
        return (left, right) if self.together else (right, left)


def _across(figure: Figure, vector: str) -> Scalar:
    x, y, _ = getattr(figure, vector)
    return x * x + y * y


@dataclass(frozen=True, slots=True)
class Elimination:
    """Two components, linear in the sine and cosine of a joint, or in its r: that joint is eliminated.

    a_i C + b_i S + c_i = 0 for i = 1, 2 gives (b1 c2 − b2 c1)² + (a2 c1 − a1 c2)² = (a1 b2 − a2 b1)².
    a1 r + c1 = 0 and d r² + a2 r + c2 = 0 give d c1² − a1 a2 c1 + a1² c2 = 0.
    """

    first: Component
    second: Component
    eliminated: int
    prismatic: bool

    @property
    def dimension(self) -> int:
        return 2 * (self.first.dimension + self.second.dimension)

    def zero(self, loop: Loop, goal: Goal, values: Values) -> Scalar:
        numeric = not isinstance(next(iter(values.values()))[0], Polynomial)
        split = self._by_numbers if numeric else self._by_names
        (a1, b1, c1), (a2, b2, c2) = (split(part, loop, goal, values) for part in (self.first, self.second))
        if self.prismatic:
            return b2 * c1 * c1 - a1 * a2 * c1 + a1 * a1 * c2
        C, S, D = b1 * c2 - b2 * c1, a2 * c1 - a1 * c2, a1 * b2 - a2 * b1
        return C * C + S * S - D * D

    def _by_numbers(self, part: Component, loop: Loop, goal: Goal, values: Values) -> tuple[Any, Any, Any]:
        """The coefficients from values of the equation at arguments (0, 0), (1, 0), (0, 1), or at r = 0, 1, −1."""
        points: tuple[tuple[int, ...], ...] = ((0,), (1,), (-1,)) if self.prismatic else ((0, 0), (1, 0), (0, 1))
        f, g, h = (part.zero(loop, goal, {**values, self.eliminated: point}) for point in points)
        if self.prismatic:
            return (g - h) / 2, (g + h) / 2 - f, f
        return g - f, h - f, f

    def _by_names(self, part: Component, loop: Loop, goal: Goal, values: Values) -> tuple[Any, Any, Any]:
        graph = loop.chain.symbols.graph
        names = ("r",) if self.prismatic else ("C", "S")
        atoms = tuple(unknown(graph, f"{name}{self.eliminated}") for name in names)
        found = part.zero(loop, goal, {**values, self.eliminated: atoms})
        first = f"{names[0]}{self.eliminated}"
        second = (first, first) if self.prismatic else (f"S{self.eliminated}",)
        rest = {m: x for m, x in found.terms.items() if m not in ((first,), second)}
        return known(found.coefficient(first)), known(found.coefficient(*second)), Polynomial(graph, rest)


Source = Component | Length | Elimination
