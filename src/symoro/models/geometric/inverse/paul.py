"""Paul's method: search the equations of a chain for one that gives the next joint, until all are found (K97 § 3.3).

Every pair of places of the loop gives equations, so that all products from either side are among them. A step is taken
from those whose unknowns are one joint, or two of which one falls out. Among them, first those with one root, then
those with a coefficient that cannot vanish, then those that depend on fewer joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from symoro.models.geometric.inverse.chain import Axis
from symoro.models.geometric.inverse.loop import View
from symoro.models.geometric.inverse.probe import (
    EXACT,
    ZERO,
    Array,
    Component,
    EliminationPair,
    Probe,
    SquaredLength,
    Table,
)
from symoro.models.geometric.inverse.steps import (
    DirectionStep,
    OneUnknownStep,
    RotatedUnknown,
    SolutionStep,
    ThreeSlidesStep,
    TwoAngleStep,
)

#: How many equations of the same unknowns are compared.
_COMPARED = 24
#: Sizes that agree to these digits are equal: the first equation is taken.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class RankedStep:
    """A step with its rank: a smaller one is better."""

    rank: tuple[float, ...]
    step: SolutionStep


@dataclass(slots=True)
class StepSearch:
    """The state of a search: the joints solved so far, and the unknowns of each equation."""

    probe: Probe
    solved: list[int]
    most: int = 4
    table: Table = field(init=False)
    every: Table = field(init=False)

    def __post_init__(self) -> None:
        self.every = self.probe.unknowns(())
        self.table = self.probe.unknowns(self.solved) if self.solved else self.every

    def advance(self, step: SolutionStep) -> None:
        self.solved += step.joints
        self.table = self.probe.unknowns(self.solved)

    # the steps that are possible now, the best kinds first

    def best(self) -> SolutionStep | None:
        """The best step, if there is one."""
        one_root = (self._turned, self._sliding), (self._two,)
        more_roots = (self._aimed,), (self._single,), (self._lengths, self._squares), (self._eliminations,)
        for kinds in (*one_root, *more_roots):
            candidates = [c for kind in kinds for c in kind() if c.step.branches <= self.most]
            if candidates:
                return self._together(min(candidates, key=lambda candidate: candidate.rank).step)
        return None

    def _together(self, step: SolutionStep) -> SolutionStep:
        """The step; where only three slides are left, and the divisor of the first can vanish, all of them at once."""
        left = [j for j in self.probe.true if j not in self.solved]
        slides = len(left) == 3 and all(self.probe.prismatic[j] for j in left)
        if not (slides and isinstance(step, OneUnknownStep) and step.varies):
            return step
        ends = [n for n, part in enumerate(self.probe.loop.elements) if isinstance(part, Axis) and part.joint in left]
        return ThreeSlidesStep(View(True, ends[0], ends[-1] + 1), (left[0], left[1], left[2]))

    def _turned(self) -> Iterator[RankedStep]:
        """Vectors that one unknown turns."""
        for view, vector, joint in self._vectors():
            names = self._unknowns(view, vector + "x", vector + "y")
            if names == {joint}:
                step = RotatedUnknown(view, vector, joint)
                length = self._length(step)
                if length.min() > ZERO:
                    yield RankedStep((np.ptp(length) > ZERO, *self._size(view, vector)), step)

    def _length(self, step: RotatedUnknown) -> Array:
        """The length of the vector that is turned."""
        left, _ = self.probe.loop.both(step.view, self.probe.goal, self.probe.at(self.solved))
        x, y, _ = getattr(left, step.vector)
        return np.broadcast_to(np.hypot(x, y), self.probe.true[step.joint].shape)

    def _sliding(self) -> Iterator[RankedStep]:
        """Equations of the first degree in one prismatic joint."""
        for component, joint in self._components():
            if self.probe.prismatic[joint]:
                f = self.probe.coefficients(component, joint, self.solved)
                if self.probe.degree(f, joint) == 1 and np.abs(f[1]).min() > ZERO:
                    varies = bool(np.ptp(np.abs(f[1])) > ZERO)
                    rank = (varies, *self._size(component.view, component.name))
                    yield RankedStep(rank, OneUnknownStep(component, joint, True, 1, varies))

    def _aimed(self) -> Iterator[RankedStep]:
        """Directions that two unknowns turn, the third component with one of them."""
        for view, vector, joint in self._vectors("as"):
            tilted = self._unknowns(view, vector + "z")
            if len(tilted) == 1 and self._unknowns(view, vector + "x", vector + "y") == {joint, *tilted}:
                (x,) = tilted
                if not self.probe.prismatic[x] and x != joint:
                    f = self.probe.coefficients(Component(view, vector + "z"), x, self.solved)
                    left, right = self.probe.loop.both(view, self.probe.goal, self.probe.at(self.solved))
                    known = getattr(right if self._along(view, x) else left, vector)[2]
                    sign = 1 if self._along(view, x) else -1
                    rho, middle = np.hypot(f[1], f[2]), sign * f[0] + known
                    if rho.min() > ZERO:
                        top, bottom = np.abs(middle + rho - 1).max() < EXACT, np.abs(middle - rho + 1).max() < EXACT
                        step = DirectionStep(view, vector, joint, x, bool(top), bool(bottom))
                        yield RankedStep((np.ptp(rho) > ZERO, *self._size(view, vector)), step)

    def _two(self) -> Iterator[RankedStep]:
        """Two equations in the same angle."""
        groups: dict[int, list[tuple[Component, Array]]] = {}
        for component, joint in self._components():
            rows = groups.setdefault(joint, [])
            if not self.probe.prismatic[joint] and len(rows) < _COMPARED:
                rows.append((component, self.probe.coefficients(component, joint, self.solved)))
        for joint, rows in groups.items():
            for (a, f), (b, g) in combinations(rows, 2):
                turn = np.abs(f[1] * g[2] - f[2] * g[1]) / (np.hypot(f[1], f[2]) * np.hypot(g[1], g[2]) + 1e-300)
                if turn.min() > 1e-3:
                    size = self._size(a.view, a.name)[0] + self._size(b.view, b.name)[0]
                    yield RankedStep(
                        (np.ptp(turn) > ZERO, size, -round(turn.min(), _DIGITS)), TwoAngleStep(a, b, joint)
                    )

    def _single(self) -> Iterator[RankedStep]:
        """Type 2."""
        for component, joint in self._components():
            if not self.probe.prismatic[joint] and component.name != "pp":
                yield from self._of_one(component, joint)

    def _squares(self) -> Iterator[RankedStep]:
        """Squared distances that have one unknown, and equations of the second degree in a prismatic joint.

        They come after type 2. Two square roots that vanish at the same poses must not be taken from independent
        equations: their rounding errors, near 1e-8, would not fit each other.
        """
        for component, joint in self._components():
            yield from self._of_one(component, joint, 0.5)

    def _of_one(self, component: Component, joint: int, more: float = 0) -> Iterator[RankedStep]:
        f = self.probe.coefficients(component, joint, self.solved)
        degree = self.probe.degree(f, joint)
        if self._regular(f, joint, degree):
            step = OneUnknownStep(component, joint, self.probe.prismatic[joint], degree)
            rank = (self._varies(f, joint), *self._size(component.view, component.name))
            yield RankedStep((step.branches + more, *rank), step)

    def _varies(self, f: Array, joint: int) -> bool:
        """Whether the coefficient that must not vanish depends on the pose."""
        leading = np.abs(f[2]) if self.probe.prismatic[joint] else np.hypot(f[1], f[2])
        return bool(np.ptp(leading) > ZERO)

    def _regular(self, f: Array, joint: int, degree: int) -> bool:
        """Whether an equation has roots that are not double for every pose."""
        if self.probe.prismatic[joint]:
            return degree in (2, 4) and bool(np.abs(f[degree]).min() > ZERO)
        B = f[1] ** 2 + f[2] ** 2
        if degree == 2:
            return True
        return degree == 1 and bool(B.min() > ZERO**2) and bool(((B - f[0] ** 2) / B).max() > 1e-6)

    def _lengths(self) -> Iterator[RankedStep]:
        """Vectors of which one unknown falls out when they are squared and added."""
        for view, vector, joint in self._vectors():
            others = self._unknowns(view, vector + "x", vector + "y") - {joint}
            if len(others) == 1:
                (x,) = others
                source = SquaredLength(view, vector, joint, self._along(view, x))
                f = self.probe.coefficients(source, x, self.solved)
                degree = self.probe.degree(f, x)
                if self._regular(f, x, degree):
                    step = OneUnknownStep(source, x, self.probe.prismatic[x], degree)
                    yield RankedStep((step.branches, self._varies(f, x), *self._size(view, vector)), step)

    def _eliminations(self) -> Iterator[RankedStep]:
        """Two equations in the same two unknowns, one of which is eliminated."""
        groups: dict[frozenset[int], list[Component]] = {}
        for component, unknowns in self._distinct(2):
            groups.setdefault(unknowns, []).append(component)
        for unknowns, components in groups.items():
            apart = [c for c in components if self._apart(c, *unknowns)][:_COMPARED]
            for eliminated, x in (sorted(unknowns), sorted(unknowns, reverse=True)):
                yield from self._of_pair(apart, eliminated, x)

    def _apart(self, component: Component, a: int, b: int) -> bool:
        """Whether no term has both unknowns."""
        grid = {j: self.probe.true[j] + np.array([[0.0], [1.0], [0.0], [1.0]]) * s for j, s in ((a, 0.7), (b, 0.0))}
        grid[b] = self.probe.true[b] + np.array([[0.0], [0.0], [0.9], [0.9]])
        moved = {f"j{j}": x for j, x in grid.items()}
        f = component.zero(self.probe.loop, self.probe.goal, self.probe.at(self.solved, **moved))
        return bool(np.abs(f[0] - f[1] - f[2] + f[3]).max() < ZERO * (1 + np.abs(f).max()))

    def _of_pair(self, components: Sequence[Component], eliminated: int, x: int) -> Iterator[RankedStep]:
        slides = self.probe.prismatic[eliminated]
        for first, second in combinations(components, 2):
            for a, b in ((first, second), (second, first)) if slides else ((first, second),):
                f, g = (self.probe.coefficients(c, eliminated, self.solved) for c in (a, b))
                if slides and (self.probe.degree(f, eliminated) != 1 or np.abs(f[1]).min() < ZERO):
                    continue
                turn = np.abs(f[1] * g[2] - f[2] * g[1])
                if not slides and turn.min() < 1e-3 * (np.hypot(f[1], f[2]) * np.hypot(g[1], g[2])).max():
                    continue
                source = EliminationPair(a, b, eliminated, slides)
                h = self.probe.coefficients(source, x, self.solved)
                degree = self.probe.degree(h, x)
                if degree <= (4 if self.probe.prismatic[x] else 2) and self._regular(h, x, degree):
                    step = OneUnknownStep(source, x, self.probe.prismatic[x], degree)
                    size = self._size(a.view, a.name)[0] + self._size(b.view, b.name)[0]
                    yield RankedStep((step.branches, size), step)

    # what the equations have

    def _vectors(self, letters: str = "pash") -> Iterator[tuple[View, str, int]]:
        """The vectors of views whose x and y an unknown joint turns."""
        for view, row in self.table.items():
            end = self.probe.loop.elements[view.first]
            if isinstance(end, Axis) and not end.prismatic and end.joint not in self.solved:
                yield from ((view, vector, end.joint) for vector in letters if vector + "x" in row)

    def _components(self) -> Iterator[tuple[Component, int]]:
        """The equations with one unknown."""
        for component, unknowns in self._distinct(1):
            yield component, next(iter(unknowns))

    def _distinct(self, count: int) -> Iterator[tuple[Component, frozenset[int]]]:
        """The equations with this number of unknowns; of those that are equal, the shortest."""
        listed = [
            (self._size(view, name), Component(view, name), content)
            for view, row in self.table.items()
            for name, content in row.items()
            if len(content.unknowns) == count
        ]
        seen: set[tuple[float, ...]] = set()
        for _, component, content in sorted(listed, key=lambda item: item[0]):
            if content.mark not in seen:
                seen.add(content.mark)
                yield component, content.unknowns

    def _unknowns(self, view: View, *names: str) -> frozenset[int]:
        return frozenset().union(*(self.table[view][name].unknowns for name in names))

    def _along(self, view: View, joint: int) -> bool:
        """Whether a joint is on the way along the chain."""
        between = self.probe.loop.elements[view.x : view.y]
        return any(isinstance(part, Axis) and part.joint == joint for part in between)

    def _size(self, view: View, name: str) -> tuple[float, float, float]:
        """How long an equation is: the joints in it, and how many powers of lengths."""
        names = [name] if name in self.table[view] else [name + "x", name + "y"]
        joints = frozenset().union(*(self.every[view][n].unknowns for n in names))
        return len(joints), "asph".index(name[0]) + ("pp", "pa").count(name), view.y - view.x
