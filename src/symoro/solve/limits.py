"""Joint limits: the branches inside them, and the members of a continuum of branches that are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.inverse.branches import in_limits, in_turn_of, periods, turns_together
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

Array = NDArray[Any]
#: Positions of free joints (m, free) to the members of a continuum that have them, (m, joints), and which exist.
Members = Callable[[Array], tuple[Array, Array]]
#: How many positions of each free joint are tried, by the number of free joints, and how often finer ones follow.
_POSITIONS, _FEW, _FINER = {1: 181, 2: 31}, 9, 4
#: The positions of a slide without a limit that are tried: so far from where it is.
_FAR = 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """The least and the largest positions of joints, infinite where there is none, and their whole turns."""

    lower: Array
    upper: Array
    period: Array
    #: Moves of several joints together that leave every link where it is, (n, joints); the first one is zero.
    together: Array

    def placed(self, q: Array) -> tuple[Array, Array]:
        """The positions (..., joints) in the turn of the limits, and whether all joints are inside (...)."""
        best, inside = in_limits(q, self.period, self.lower, self.upper)
        good = np.asarray(inside.all(-1))
        for move in self.together[1:]:
            other, inside = in_limits(q + move, self.period, self.lower, self.upper)
            nearer = np.square(other - q).sum(-1) < np.square(best - q).sum(-1)
            better = inside.all(-1) & (~good | nearer)
            best, good = np.where(better[..., None], other, best), good | better
        return best, good

    def nearest(self, q: Array, near: Array) -> Array:
        """The positions (..., joints) in the turn that is nearest to another configuration."""
        best = in_turn_of(q, self.period, near)
        for move in self.together[1:]:
            other = in_turn_of(q + move, self.period, near)
            better = np.square(other - near).sum(-1) < np.square(best - near).sum(-1)
            best = np.where(better[..., None], other, best)
        return best

    def inside(self, q: Array) -> Array:
        """Which joints are inside their limits, (..., joints), after whole turns."""
        return in_limits(q, self.period, self.lower, self.upper)[1]

    def margin(self, q: Array) -> Array:
        """How far the joints are inside their limits; negative where one is outside."""
        least: Array = np.minimum(q - self.lower, self.upper - q).min(-1)
        return least

    def box(self, q: Array, joints: Array) -> tuple[Array, Array]:
        """The positions of these joints that matter: inside the limits, and not more than one turn."""
        way = np.where(self.period[joints] > 0, self.period[joints] / 2, _FAR * (1 + np.abs(q[joints])))
        low, high = self.lower[joints], self.upper[joints]
        middle = np.where(np.isfinite(low), low + way, np.where(np.isfinite(high), high - way, q[joints]))
        return np.maximum(low, middle - way), np.minimum(high, middle + way)


def allowed(robot: Robot, joints: Sequence[int], numbers: Mapping[str, float]) -> Allowed:
    """The limits of joints, for these numbers of parameters."""
    limits = [robot.joint(j).limits for j in joints]
    lower = [-np.inf if limit.lower is None else evaluate(limit.lower, numbers) for limit in limits]
    upper = [np.inf if limit.upper is None else evaluate(limit.upper, numbers) for limit in limits]
    period = periods(robot, joints, numbers)
    return Allowed(np.array(lower), np.array(upper), period, turns_together(robot, joints, numbers, period))


def member_inside(members: Members, free: Array, limits: Allowed, q: Array) -> Array | None:
    """The member of a continuum that is inside the limits, of several the one nearest to q; None if none is found.

    The free joints are put at many positions, and then at finer ones around the one that is least outside.
    """
    low, high = limits.box(q, free)
    count = _POSITIONS.get(len(free), _FEW)
    for _ in range(_FINER):
        grid = np.meshgrid(*(np.linspace(a, b, count) for a, b in zip(low, high, strict=True)), indexing="ij")
        points = np.stack(grid, axis=-1).reshape(-1, len(free))
        configurations, exists = members(points)
        chosen = nearest_inside(configurations, exists, limits, q)
        if chosen is not None or not exists.any():
            return chosen
        best = points[least_outside(configurations, exists, limits)]
        half = (high - low) / (count - 1)
        low, high = np.maximum(low, best - half), np.minimum(high, best + half)
    return None


def nearest_inside(configurations: Array, exists: Array, limits: Allowed, q: Array) -> Array | None:
    """Of configurations (m, joints), the one inside the limits that is nearest to q."""
    placed, inside = limits.placed(configurations)
    good = np.flatnonzero(exists & inside)
    if not len(good):
        return None
    nearest: Array = placed[good[np.square(placed[good] - q).sum(-1).argmin()]]
    return nearest


def least_outside(configurations: Array, exists: Array, limits: Allowed) -> int:
    """Of configurations (m, joints) that are outside of the limits, the one that is least so."""
    margin = limits.margin(limits.placed(configurations)[0])
    return int(np.where(exists, margin, -np.inf).argmax())
