"""How far a parallel robot is from its singularities, and what its platform can do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import function_of, home, size, twist_sizes
from symoro.models.parallel.pose import is_rigid, poses_of
from symoro.models.parallel.structure import DIRECTIONS, Structure, structure
from symoro.robot.parallel import ParallelRobot

Array = NDArray[Any]
#: A pose with a larger condition number is near a singularity.
_NEAR = 1e4


@dataclass(frozen=True, slots=True)
class PlatformMobility:
    """What the legs leave to the platform, and how many motors there are for it."""

    freedom: int
    directions: tuple[str, ...]
    """The components of V that are independent."""
    constrained: tuple[str, ...]
    """The components of V that follow from them."""
    constant: bool
    """Whether the constrained components are the same combination of the others in every pose."""
    constraints: int
    """The number of constraints, dependent ones included."""
    motors: int

    @property
    def redundancy(self) -> int:
        """The motors beyond the freedoms; negative where motors are missing."""
        return self.motors - self.freedom

    def __str__(self) -> str:
        motors = f"{self.motors} motors"
        if self.redundancy:
            motors += f", {abs(self.redundancy)} {'too few' if self.redundancy < 0 else 'redundant'}"
        follow = f"; {', '.join(self.constrained)} follow" if self.constrained and not self.constant else ""
        return f"{self.freedom} freedoms of the platform ({', '.join(self.directions)}{follow}), {motors}"


def mobility(robot: ParallelRobot) -> PlatformMobility:
    """The freedom of the platform near the home pose."""
    found = structure(robot)
    rows = sum(6 - a.kind.freedoms - len(chosen) for a, chosen in zip(robot.attachments, found.chosen, strict=True))
    constrained = tuple(DIRECTIONS[k] for k in found.dependent)
    fixed = not found.dependent or found.fixed is not None
    return PlatformMobility(found.freedom, found.names, constrained, fixed, rows, len(robot.motors))


@dataclass(frozen=True, slots=True)
class Conditions:
    """Condition numbers at poses, with lengths in units of the platform's radius; infinite in a singularity."""

    legs: Array
    """Type 1, of the Jacobian matrix of each leg: (..., legs). The leg is stretched or folded."""
    platform: Array
    """Type 2, of the motors and constraints together: (...). The motors do not hold the platform."""
    constraints: Array
    """Of the constraints alone: (...); 1 where there are none. The platform gains a freedom."""


def matrices(m: Mechanism) -> list[Expr]:
    """The elements of the Jacobian matrix of each leg, then those of the rows of motors and constraints."""
    legs = [x for leg in m.legs for k in leg.chosen for x in leg.JG[k]]
    return [*legs, *(x for row in (*m.D, *m.C) for x in row)]


class PlatformSingularities:
    """`at(T)` gives the condition numbers of a parallel robot at poses T (..., 4, 4) of its platform.

    `function` gives the numbers of `matrices` for poses; without one they are computed step by step.
    """

    def __init__(self, robot: ParallelRobot, function: Callable[[Array], Array] | None = None) -> None:
        self.robot = robot
        self._m = m = Mechanism.made(robot, Graph(), None)
        self._f = function or function_of(m.of, matrices(m))

    @property
    def structure(self) -> Structure:
        return self._m.structure

    def at(self, T: ArrayLike) -> Conditions:
        given = poses_of(T)
        if np.any(np.isfinite(given).all((-1, -2)) & ~is_rigid(given)):
            raise InputError("T is no pose: it is not a rotation and a translation (allowed: an error of 1e-6)")
        numbers, place, legs = self._f(given), 0, []
        for leg in self._m.legs:
            n = len(leg.chosen)
            J = numbers[..., place : place + n * n].reshape(*given.shape[:-2], n, n)
            legs.append(_condition(self._scaled(leg, J)))
            place += n * n
        rows = numbers[..., place:].reshape(*given.shape[:-2], -1, 6) * twist_sizes(self.robot)
        motors = len(self.robot.motors)
        D, C = rows[..., :motors, :] * self._motors[:, None], _unit_rows(rows[..., motors:, :])
        none = np.ones(given.shape[:-2])
        return Conditions(
            np.stack(legs, axis=-1),
            _condition(np.concatenate([D, C], axis=-2)),
            _condition(C) if C.shape[-2] else none,
        )

    @property
    def _radius(self) -> float:
        return size(self.robot)

    @property
    def _motors(self) -> Array:
        slides = [self.robot.legs[i].joint(j).prismatic for i, j in self.robot.motors]
        found: Array = np.where(slides, 1 / self._radius, 1.0)
        return found

    def _scaled(self, leg: Any, J: Array) -> Array:
        rows = np.array([1 / self._radius if k < 3 else 1.0 for k in leg.chosen])
        columns = np.array([self._radius if leg.s.prismatic[j] else 1.0 for j in leg.loops.left])
        found: Array = J * rows[:, None] * columns
        return found


def nearly_singular_home(robot: ParallelRobot) -> list[str]:
    """A message for each leg that is nearly singular at the home pose, or one for the platform.

    The rows of a motor are large where its leg is nearly singular, and with them the condition of the platform. So
    nothing is said of the platform then.
    """
    found = PlatformSingularities(robot).at(home(robot))
    legs = {f"leg {i}": x for i, x in enumerate(found.legs, 1) if x > _NEAR}
    platform = {"the platform": found.platform} if found.platform > _NEAR else {}
    return [
        f"the home pose is near a singularity of {part}: the condition number is {x:.2g} (allowed: up to {_NEAR:g})"
        for part, x in (legs or platform).items()
    ]


def _unit_rows(C: Array) -> Array:
    length = np.linalg.norm(C, axis=-1, keepdims=True)
    return C / np.where(length > 0, length, 1.0)


def _condition(A: Array) -> Array:
    """σ_max/σ_min; infinite for a singular matrix, NaN where it has a number that is not finite."""
    finite: Array = np.asarray(np.isfinite(A).all((-1, -2)))
    safe: Array = np.where(finite[..., None, None], A, 0.0)
    values: Array = np.linalg.svd(safe, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(values[..., -1] > 1e-15 * values[..., 0], values[..., 0] / values[..., -1], np.inf)
    return np.where(finite, ratio, np.nan)
