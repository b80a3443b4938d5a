"""The structure of a chain's equations, found by numbers: which unknowns each has, and of which degree it is.

A coefficient is zero by structure if it vanishes at random configurations, whatever its formula looks like. Symbols get
random numbers, so that what is found holds for all of theirs. Known joints are at their true positions: then an
equation of an arm with fewer than six joints shows what it has on reachable poses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Variable
from symoro.models.geometric.inverse.chain import Axis, Chain
from symoro.models.geometric.inverse.figure import VECTORS, Figure
from symoro.models.geometric.inverse.loop import Goal, Loop, Task, Values, View
from symoro.models.geometric.inverse.sources import Source

Array = NDArray[Any]
SAMPLES, POINTS = 4, 12
#: Smaller than this is zero: rounding errors of products of a few matrices are near 1e-15.
ZERO = 1e-10
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
        self, chain: Chain, task: Task, axis: tuple[int, int, int], seed: int = 1, samples: Samples | None = None
    ) -> None:
        rng = np.random.default_rng(seed)
        self.chain, self.names, self._rng = chain, _NAMES[task], rng
        self._numbers: dict[Expr, float] = {}
        self._parameters = {name: float(rng.uniform(0.3, 1.3)) for name in chain.symbols.parameter_names}
        self._parameters |= {} if samples is None else samples.numbers
        self.loop = Loop(chain, self._number, task, axis)
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

    def unknowns(self, found: Sequence[int]) -> Table:
        """The unknown joints of each component of each view, and a mark that equal equations have in common."""
        hidden = [j for j in self.true if j not in found]
        base = {j: x if j in found else x + self._rng.uniform(0.5, 2.5, SAMPLES) for j, x in self.true.items()}
        moved = {j: np.tile(x, (len(hidden) + 1, 1)) for j, x in base.items()}
        for row, j in enumerate(hidden, 1):
            moved[j][row] += self._rng.uniform(0.5, 2.5, SAMPLES)
        values = self._values(moved)
        views = self.loop.views(self.goal, values)
        return {view: dict(self._contents(left, right, hidden)) for view, left, right in views}

    def _contents(self, left: Figure, right: Figure, hidden: Sequence[int]) -> Iterator[tuple[str, Content]]:
        for name in self.names:
            f = np.broadcast_to(left.element(name) - right.element(name), (len(hidden) + 1, SAMPLES))
            size = np.abs(f).max()
            differs = np.abs(f[1:] - f[0]).max(axis=1) > ZERO * (1 + size)
            mark = tuple(np.round(f.ravel() / (f.ravel()[0] or 1.0), 6)) if differs.any() else ()
            yield name, Content(frozenset(j for j, yes in zip(hidden, differs, strict=True) if yes), mark)

    def at(self, found: Sequence[int], **moved: Array) -> Values:
        """Found joints at their true positions and the others at zero, but for those given by "j3" and the like."""
        rest = {j: x if j in found else np.zeros(SAMPLES) for j, x in self.true.items()}
        return self._values({j: moved.get(f"j{j}", x) for j, x in rest.items()})

    def coefficients(self, source: Source, joint: int, found: Sequence[int]) -> Array:
        """The coefficients of an equation in one unknown, (coefficients, samples).

        Of an angle: those of 1, cos, sin, cos 2θ, sin 2θ …; of a prismatic joint: those of 1, r, r² …
        """
        turn = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
        points = np.linspace(-1, 1, 7) if self.prismatic[joint] else turn
        moved = np.tile(points[:, None], (1, SAMPLES))
        f = source.zero(self.loop, self.goal, self.at(found, **{f"j{joint}": moved}))
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

    def twists(self, step: float = 1e-5) -> list[Array]:
        """The Jacobian [v; ω] of the end at each sample, by differences."""
        columns = []
        for j in self.true:
            poses = []
            for sign in (1, -1):
                rows, t = self.loop.goal(self._values(self.true | {j: self.true[j] + sign * step}))
                poses.append((np.array([_at_samples(row) for row in rows]), _at_samples(t)))
            (R, p), (Q, r) = poses
            turn = np.einsum("iks,jks->sij", R - Q, (R + Q) / 2) / (2 * step)
            spin = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
            columns.append(np.concatenate([np.moveaxis(p - r, 0, 1) / (2 * step), spin], axis=1))
        return list(np.stack(columns, axis=2))

    @cached_property
    def constants(self) -> dict[tuple[int, int], float]:
        """The elements (row, column) of the goal that are 0, 1 or −1 on every reachable pose; column 3 is p."""
        rows, t = self.goal
        elements = {(i, k): x for i, row in enumerate(rows) for k, x in enumerate(row)}
        elements |= {(i, 3): x for i, x in enumerate(t)}
        rounded = {place: (x, np.round(np.mean(x))) for place, x in elements.items()}
        return {place: float(n) for place, (x, n) in rounded.items() if np.abs(x - n).max() < ZERO}


def _at_samples(numbers: Iterable[Any]) -> Array:
    """Numbers, some of which are the same at every sample, as (numbers, samples)."""
    return np.array([np.broadcast_to(x, SAMPLES) for x in numbers])


def _waves(angles: Array) -> Array:
    columns = [np.ones_like(angles)]
    for k in range(1, 5):
        columns += [np.cos(k * angles), np.sin(k * angles)]
    return np.stack(columns, axis=1)
