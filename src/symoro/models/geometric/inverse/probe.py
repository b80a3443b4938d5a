"""The structure of the equations of a chain, found by numbers, and polynomials in its unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Variable
from symoro.lazy import lazy
from symoro.models.geometric.inverse.chain import Axis, ScrewChain
from symoro.models.geometric.inverse.loop import VECTORS, ChainLoop, FrameVectors, Goal, Scalar, Task, Values, View

# Polynomials in the unknowns of an equation, with expressions of what is known as coefficients.


Monomial = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExprPolynomial:
    """A sum of coefficients times monomials; a monomial is the sorted names of its factors."""

    graph: Graph
    terms: Mapping[Monomial, Expr]

    def __add__(self, other: ExprPolynomial | int) -> ExprPolynomial:
        added = dict(self.terms)
        for monomial, x in _lifted(self.graph, other).terms.items():
            added[monomial] = added[monomial] + x if monomial in added else x
        return ExprPolynomial(self.graph, _without_zeros(added))

    def __mul__(self, other: ExprPolynomial | int) -> ExprPolynomial:
        product: dict[Monomial, Expr] = {}
        for m, x in self.terms.items():
            for n, y in _lifted(self.graph, other).terms.items():
                both = tuple(sorted((*m, *n)))
                product[both] = product[both] + x * y if both in product else x * y
        return ExprPolynomial(self.graph, _without_zeros(product))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> ExprPolynomial:
        return ExprPolynomial(self.graph, {m: -x for m, x in self.terms.items()})

    def __sub__(self, other: ExprPolynomial | int) -> ExprPolynomial:
        return self + -_lifted(self.graph, other)

    def __rsub__(self, other: ExprPolynomial | int) -> ExprPolynomial:
        return -self + other

    def coefficient(self, *monomial: str) -> Expr:
        """The coefficient of a monomial; zero where it is absent."""
        return self.terms.get(tuple(sorted(monomial)), self.graph.zero)


def unknown(graph: Graph, name: str) -> ExprPolynomial:
    """The polynomial that is one unknown."""
    return ExprPolynomial(graph, {(name,): graph.one})


def known(x: Expr) -> ExprPolynomial:
    """The polynomial that is a known expression."""
    return ExprPolynomial(x.graph, {} if x.is_zero else {(): x})


def _lifted(graph: Graph, x: ExprPolynomial | int) -> ExprPolynomial:
    return x if isinstance(x, ExprPolynomial) else known(graph.lift(x))


def _without_zeros(terms: Mapping[Monomial, Expr]) -> dict[Monomial, Expr]:
    return {m: x for m, x in terms.items() if not x.is_zero}


# Equations in one unknown: a component of a view, a squared length, or a pair of which another unknown is eliminated.
#
# Each source gives the same equation for numbers and for polynomials; its zero is where the equation holds.


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

    def zero(self, loop: ChainLoop, goal: Goal, values: Values) -> Scalar:
        left, right = loop.both(self.view, goal, values)
        return left.element(self.name) - right.element(self.name)


@dataclass(frozen=True, slots=True)
class SquaredLength:
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

    def zero(self, loop: ChainLoop, goal: Goal, values: Values) -> Scalar:
        arm, known = self.sides(loop, goal, values)
        return arm - known

    def sides(self, loop: ChainLoop, goal: Goal, values: Values) -> tuple[Scalar, Scalar]:
        """x² + y² on the way that has the unknown, and on the other way."""
        left, right = (_across(figure, self.vector) for figure in loop.both(self.view, goal, values))
        return (left, right) if self.together else (right, left)


def _across(figure: FrameVectors, vector: str) -> Scalar:
    x, y, _ = getattr(figure, vector)
    return x * x + y * y


@dataclass(frozen=True, slots=True)
class EliminationPair:
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

    def zero(self, loop: ChainLoop, goal: Goal, values: Values) -> Scalar:
        numeric = not isinstance(next(iter(values.values()))[0], ExprPolynomial)
        split = self._by_numbers if numeric else self._by_names
        (a1, b1, c1), (a2, b2, c2) = (split(part, loop, goal, values) for part in (self.first, self.second))
        if self.prismatic:
            return b2 * c1 * c1 - a1 * a2 * c1 + a1 * a1 * c2
        C, S, D = b1 * c2 - b2 * c1, a2 * c1 - a1 * c2, a1 * b2 - a2 * b1
        return C * C + S * S - D * D

    def _by_numbers(self, part: Component, loop: ChainLoop, goal: Goal, values: Values) -> tuple[Any, Any, Any]:
        """The coefficients from values of the equation at arguments (0, 0), (1, 0), (0, 1), or at r = 0, 1, −1."""
        points: tuple[tuple[int, ...], ...] = ((0,), (1,), (-1,)) if self.prismatic else ((0, 0), (1, 0), (0, 1))
        f, g, h = (part.zero(loop, goal, {**values, self.eliminated: point}) for point in points)
        if self.prismatic:
            return (g - h) / 2, (g + h) / 2 - f, f
        return g - f, h - f, f

    def _by_names(self, part: Component, loop: ChainLoop, goal: Goal, values: Values) -> tuple[Any, Any, Any]:
        graph = loop.chain.symbols.graph
        names = ("r",) if self.prismatic else ("C", "S")
        atoms = tuple(unknown(graph, f"{name}{self.eliminated}") for name in names)
        equation = part.zero(loop, goal, {**values, self.eliminated: atoms})
        first = f"{names[0]}{self.eliminated}"
        second = (first, first) if self.prismatic else (f"S{self.eliminated}",)
        rest = {m: x for m, x in equation.terms.items() if m not in ((first,), second)}
        return known(equation.coefficient(first)), known(equation.coefficient(*second)), ExprPolynomial(graph, rest)


Source = Component | SquaredLength | EliminationPair


# The structure of a chain's equations, found by numbers: which unknowns each has, and of which degree it is.
#
# A coefficient is zero by structure if it vanishes at random configurations, whatever its formula looks like. Symbols
# get random numbers, so that what is found holds for all of theirs. Known joints are at their true positions: then an
# equation of an arm with fewer than six joints shows what it has on reachable poses.


Array = NDArray[Any]
SAMPLES, POINTS = 4, 12
#: Smaller than this is zero: rounding errors of products of a few matrices are near 1e-15.
ZERO = 1e-10
#: Cosines are equal below this: an angle between the axes that is wrong by δ changes them by δ²/2 only.
EXACT = 1e-13
#: A complex step: its square is nothing beside 1.
_STEP = 1e-20
_NAMES = {
    "pose": (*(v + c for v in VECTORS for c in "xyz"), "pp", "pa"),
    "position": ("px", "py", "pz", "pp"),
    "axis": (*(v + c for v in "pah" for c in "xyz"), "pp", "pa"),
}


class Content(NamedTuple):
    """The unknowns of an equation, and its values at a few points, in parts of the first one."""

    unknowns: frozenset[int]
    mark: tuple[float, ...]


Table = dict[View, dict[str, Content]]


class Samples(NamedTuple):
    """Configurations at which equations are looked at: the robot's numbers, and q of each joint, (SAMPLES,)."""

    numbers: Mapping[str, float]
    q: Mapping[int, Array]


class Probe:
    """Random configurations of a chain, or the given ones, and the poses that they reach."""

    def __init__(
        self, chain: ScrewChain, task: Task, axis: tuple[int, int, int], seed: int = 1, samples: Samples | None = None
    ) -> None:
        rng = np.random.default_rng(seed)
        self.chain, self.names, self._rng = chain, _NAMES[task], rng
        self._numbers: dict[Expr, float] = {}
        self._parameters = {name: float(rng.uniform(0.3, 1.3)) for name in chain.symbols.parameter_names}
        self._parameters |= {} if samples is None else samples.numbers
        self.loop = ChainLoop(chain, self._number, task, axis)
        self.prismatic = {a.joint: a.prismatic for a in chain.axes}
        ends = {j: (0.3, 1.3) if prismatic else (-3.0, 3.0) for j, prismatic in self.prismatic.items()}
        self.true = {j: rng.uniform(low, high, SAMPLES) for j, (low, high) in ends.items()}
        if samples is not None:
            self.true = {axis.joint: self._coordinate(axis, samples.q) for axis in chain.axes}
        self.goal: Goal = self.loop.goal(self._values(self.true))

    def _coordinate(self, axis: Axis, q: Mapping[int, Array]) -> Array:
        """θ or r of a joint in the chain, of which q of the variables is known."""
        moves = (self._number(slope) * q[k] for k, slope in axis.slopes.items())
        return sum(moves, np.full(SAMPLES, self._number(axis.offset)))

    def _number(self, x: Expr) -> float:
        """The number of an expression of parameters."""
        if x.constant is not None:
            return float(x.constant)
        if x not in self._numbers:
            program = extract(x.graph, (), map(Variable, self._parameters), [Result("x", (), (x,), ("x",))])
            self._numbers[x] = float(evaluate(program, {}, self._parameters)["x"])
        return self._numbers[x]

    def _values(self, positions: Mapping[int, Array]) -> Values:
        return {j: (x,) if self.prismatic[j] else (np.cos(x), np.sin(x)) for j, x in positions.items()}

    def unknowns(self, solved: Sequence[int]) -> Table:
        """The unknown joints of each component of each view, and a mark that equal equations have in common."""
        hidden = [j for j in self.true if j not in solved]
        base = {j: x if j in solved else x + self._rng.uniform(0.5, 2.5, SAMPLES) for j, x in self.true.items()}
        moved = {j: np.tile(x, (len(hidden) + 1, 1)) for j, x in base.items()}
        for row, j in enumerate(hidden, 1):
            moved[j][row] += self._rng.uniform(0.5, 2.5, SAMPLES)
        values = self._values(moved)
        views = self.loop.views(self.goal, values)
        return {view: dict(self._contents(left, right, hidden)) for view, left, right in views}

    def _contents(
        self, left: FrameVectors, right: FrameVectors, hidden: Sequence[int]
    ) -> Iterator[tuple[str, Content]]:
        for name in self.names:
            f = np.broadcast_to(left.element(name) - right.element(name), (len(hidden) + 1, SAMPLES))
            size = np.abs(f).max()
            differs = np.abs(f[1:] - f[0]).max(axis=1) > ZERO * (1 + size)
            first = f[
                np.unravel_index(np.argmax(np.abs(f) > size / 2), f.shape)
            ]  # not one that is zero but for rounding
            mark = tuple(np.round(f.ravel() / first, 6) + 0.0) if differs.any() else ()
            yield name, Content(frozenset(j for j, yes in zip(hidden, differs, strict=True) if yes), mark)

    def at(self, solved: Sequence[int], **moved: Array) -> Values:
        """Solved joints at their true positions and the others at zero, but for those given by "j3" and the like."""
        rest = {j: x if j in solved else np.zeros(SAMPLES) for j, x in self.true.items()}
        return self._values({j: moved.get(f"j{j}", x) for j, x in rest.items()})

    def coefficients(self, source: Source, joint: int, solved: Sequence[int]) -> Array:
        """The coefficients of an equation in one unknown, (coefficients, samples).

        Of an angle: those of 1, cos, sin, cos 2θ, sin 2θ …; of a prismatic joint: those of 1, r, r² …
        """
        turn = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
        points = np.linspace(-1, 1, 7) if self.prismatic[joint] else turn
        moved = np.tile(points[:, None], (1, SAMPLES))
        f = source.zero(self.loop, self.goal, self.at(solved, **{f"j{joint}": moved}))
        f = np.broadcast_to(f, (len(points), SAMPLES))
        basis = np.vander(points, 7, increasing=True) if self.prismatic[joint] else _waves(points)
        found_coefficients: Array = np.linalg.lstsq(basis, f, rcond=None)[0]
        return found_coefficients

    def degree(self, coefficients: Array, joint: int) -> int:
        """The degree of an equation in its unknown."""
        size = np.abs(coefficients).max(axis=1)
        present = np.flatnonzero(size > ZERO * max(1.0, size.max()))
        last = int(present.max(initial=0))
        return last if self.prismatic[joint] else (last + 1) // 2

    def twists(self) -> list[Array]:
        """The Jacobian [v; ω] of the end at each sample, by complex steps, which are as exact as the poses."""
        columns = []
        R = np.array([_at_samples(row) for row in self.goal[0]])
        for j in self.true:
            rows, t = self.loop.goal(self._values(self.true | {j: self.true[j] + _STEP * 1j}))
            dR, dp = (np.imag(x) / _STEP for x in (np.array([_at_samples(row) for row in rows]), _at_samples(t)))
            turn = np.einsum("iks,jks->sij", dR, R)
            spin = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
            columns.append(np.concatenate([np.moveaxis(dp, 0, 1), spin], axis=1))
        return list(np.stack(columns, axis=2))

    @lazy
    def constants(self) -> dict[tuple[int, int], float]:
        """The elements (row, column) of the goal that are 0, 1 or −1 on every reachable pose; column 3 is p."""
        rows, t = self.goal
        elements = {(i, k): x for i, row in enumerate(rows) for k, x in enumerate(row)}
        elements |= {(i, 3): x for i, x in enumerate(t)}
        rounded = {place: (x, np.round(np.mean(x))) for place, x in elements.items()}
        return {place: float(n) for place, (x, n) in rounded.items() if np.abs(x - n).max() < EXACT}


def _at_samples(numbers: Iterable[Any]) -> Array:
    """Numbers, some of which are the same at every sample, as (numbers, samples)."""
    return np.array([np.broadcast_to(x, SAMPLES) for x in numbers])


def _waves(angles: Array) -> Array:
    columns = [np.ones_like(angles)]
    for k in range(1, 5):
        columns += [np.cos(k * angles), np.sin(k * angles)]
    return np.stack(columns, axis=1)
