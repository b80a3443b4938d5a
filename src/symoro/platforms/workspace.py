"""Which poses of a platform its legs reach, what ends the others, and how far reached poses are from singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, NotApplicable, OptionError
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import function_of, has_numbers, home, moved
from symoro.models.parallel.singularities import Conditions, PlatformSingularities
from symoro.models.parallel.structure import structure
from symoro.platforms.inverse import LegSolver, inverse_geometry
from symoro.platforms.poses import parallel
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
COORDINATES = ("x", "y", "z", "rx", "ry", "rz")
_MOST, _CHUNK, _STEPS = 1_000_000, 10_000, 30
#: The constraints of a platform hold below the first number; Newton's method stops below the second.
_HELD, _EXACT = 1e-9, 1e-13


@dataclass(frozen=True)
class Workspace:
    """A grid of poses. The arrays have an axis for each coordinate that was varied, in the order of `axes`."""

    robot: ParallelRobot
    axes: Mapping[str, Array]
    """The values of each coordinate."""
    T: Array
    """The poses (..., 4, 4), with what follows from the constraints; NaN where no pose satisfies them."""
    reasons: tuple[str, ...]
    """What can end the workspace: a leg that does not reach, a limit of a joint, the constraints of the platform."""
    ended: Array
    """Which of these reasons hold: (..., reasons)."""
    conditions: Conditions
    """Condition numbers of type 1 and 2 at the poses that are reached; NaN at others."""

    @cached_property
    def reachable(self) -> Array:
        """Where all legs reach the pose, inside their limits."""
        found: Array = np.logical_not(self.ended.any(-1))
        return found

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of poses that each reason ends; a pose can have several."""
        every = self.ended.reshape(-1, len(self.reasons)).sum(0)
        return {reason: int(n) for reason, n in zip(self.reasons, every, strict=True) if n}

    @cached_property
    def worst(self) -> dict[str, float]:
        """The largest condition number of each leg, of the platform and of the constraints where poses are reached."""
        legs = {f"leg {i + 1}": x for i, x in enumerate(np.moveaxis(self.conditions.legs, -1, 0))}
        parts = {**legs, "platform": self.conditions.platform, "constraints": self.conditions.constraints}
        return {name: float(x[self.reachable].max()) for name, x in parts.items()} if self.reachable.any() else {}

    def draw(self, to: str | Path | None = None) -> Figure:
        """A picture of the workspace as a matplotlib figure; `to` is a file to write, such as reach.svg or reach.png.

        With one coordinate that varies it is the curve of the platform's condition number, with two its map, with more
        the projections on each two of them.
        """
        from symoro.platforms.workspace_picture import draw_workspace

        return draw_workspace(self, to)

    def __str__(self) -> str:
        every, reached = self.reachable.size, int(self.reachable.sum())
        grid = ", ".join(f"{name} {len(x)}" for name, x in self.axes.items())
        ends = [f"  {n} ended: {reason}" for reason, n in self.counts.items()]
        conditions = ", ".join(f"{name} {x:.3g}" for name, x in self.worst.items())
        lines = [f"{self.robot.name}: {reached} of {every} poses are reached ({grid})", *ends]
        return "\n".join([*lines, f"largest condition numbers: {conditions}"] if conditions else lines)


def workspace(robot: Robot | str, **coordinates: ArrayLike) -> Workspace:
    """The poses of a parallel robot's platform that its legs reach, on a grid of coordinates.

    `x`, `y` and `z` are arrays of positions in frame 0; `rx`, `ry` and `rz` of the components of a rotation vector in
    frame 0 that turns the platform from its home pose. Others stay as they are at home, or follow from the constraints
    of the platform. Legs are in the branches in which the models have them.
    """
    described = parallel(valid_robot(robot, parallel=True))
    if not has_numbers(described):
        raise NotApplicable(f"{described.name} has symbols in its geometry that have no numbers")
    axes, legs = _axes(described, coordinates), _Legs(described)
    T = _grid(home(described), axes)
    parts = [legs.at(T[k : k + _CHUNK]) for k in range(0, len(T), _CHUNK)]
    shape = tuple(len(x) for x in axes.values())
    T, ended, *conditions = (np.concatenate(x).reshape(*shape, *x[0].shape[1:]) for x in zip(*parts, strict=True))
    return Workspace(described, axes, T, legs.reasons, ended, Conditions(*conditions))


def _axes(robot: ParallelRobot, given: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """The values of each coordinate, checked."""
    name, allowed = robot.name, [COORDINATES[k] for k in structure(robot).independent]
    if not given or set(given) - set(allowed):
        wrong = ", ".join(sorted(set(given) - set(allowed))) or "no coordinate is given"
        raise OptionError(f"workspace of {name}: {wrong} (allowed: arrays of values for {', '.join(allowed)})")
    found = {}
    for coordinate in (c for c in COORDINATES if c in given):
        try:
            values = np.atleast_1d(np.asarray(given[coordinate], dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(f"{coordinate} is not an array of numbers: {error}") from None
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise InputError(f"{coordinate} has the shape {values.shape} (allowed: a row of finite numbers)")
        found[coordinate] = values
    if (count := int(np.prod([len(x) for x in found.values()], dtype=float))) > _MOST:
        raise InputError(f"workspace of {name}: {count} poses (allowed: at most {_MOST})")
    return found


def _grid(at: Array, axes: Mapping[str, Array]) -> Array:
    """The poses of all combinations, (n, 4, 4)."""
    values = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    count = next(iter(values.values())).size
    start = np.r_[at[:3, 3], 0, 0, 0]
    columns = [values[c].ravel() if c in values else np.full(count, x) for c, x in zip(COORDINATES, start, strict=True)]
    return moved(at, np.stack(columns, axis=-1) - np.r_[at[:3, 3], 0, 0, 0])


class _Legs:
    """The legs, the limits of their joints and the constraints of the platform at many poses."""

    def __init__(self, robot: ParallelRobot) -> None:
        self.robot, self.singularities = robot, PlatformSingularities(robot)
        self._solver: LegSolver = inverse_geometry(robot).compile("numpy")
        m = Mechanism.made(robot, Graph(), None)
        self._size = len(m.structure.kept)
        rows = [x for row in m.C for x in row] if self._size else []
        errors = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
        self._constraints = function_of(m.of, [*rows, *errors])

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        legs = [f"leg {i + 1} does not reach" for i in range(len(self.robot.legs))]
        joints = zip(self._solver.leg, self._solver.joints, strict=True)
        limits = [f"leg {i + 1}: {joint.name} outside its limits" for i, joint in joints]
        return (*legs, *limits, "the constraints of the platform")

    def at(self, T: Array) -> tuple[Array, ...]:
        """Poses that satisfy the constraints, what ends them, and their condition numbers."""
        with np.errstate(all="ignore"):
            T, lost = self._closed(T)
            q, inside = self._joints(T)
            missing = np.stack([np.isnan(x).any(-1) for x in q], axis=-1) & ~lost[:, None]
            outside = ~inside & ~missing[:, self._solver.leg] & ~lost[:, None]
            ended = np.concatenate([missing, outside, lost[:, None]], axis=-1)
            found = self.singularities.at(T)
        reached: Array = np.logical_not(ended.any(-1))
        parts = (found.legs, found.platform, found.constraints)
        return np.where(lost[:, None, None], np.nan, T), ended, *(_where_reached(reached, x) for x in parts)

    def _joints(self, T: Array) -> tuple[list[Array], Array]:
        """The joints of each leg in its branch, and which joints are inside their limits."""
        every = self._solver(T, joints=True, search=False).q
        inside = self._solver.inside(every)
        numbers = np.array(self.singularities.structure.branches)
        numbers[list(self._solver.searched)] = 0  # their only row is that of the models
        branches = numbers[self._solver.leg]
        joints = np.arange(len(branches))
        q, inside = every[:, branches, joints], inside[:, branches, joints]
        return [q[:, self._solver.leg == i] for i in range(len(self.robot.legs))], inside

    def _closed(self, T: Array) -> tuple[Array, Array]:
        """Poses whose dependent components Newton's method moved until the constraints hold; where they cannot hold.

        A pose that a leg does not reach has no constraints: it stays.
        """
        found, n = self.singularities.structure, self._size
        lost = np.zeros(len(T), dtype=bool)
        if not n or found.fixed is not None:
            return T, lost
        for _ in range(_STEPS):
            numbers = self._constraints(T)
            known = np.isfinite(numbers).all(-1)
            C, e = numbers[known, : 6 * n].reshape(-1, n, 6), numbers[known, 6 * n :]
            lost[known] = np.abs(e).max(-1, initial=0.0) > _HELD
            if np.abs(e).max(initial=0.0) <= _EXACT:
                break
            step = np.zeros((len(e), 6))
            step[:, found.dependent] = -(np.linalg.pinv(C[..., found.dependent]) @ e[:, found.kept, None])[..., 0]
            T = np.array(T)
            T[known] = moved(T[known], step)
        return T, lost


def _where_reached(reached: Array, conditions: Array) -> Array:
    """Condition numbers at reached poses, infinite where a matrix has no finite numbers; NaN elsewhere."""
    every = np.where(np.isnan(conditions), np.inf, conditions)
    return np.where(reached.reshape(-1, *[1] * (every.ndim - 1)), every, np.nan)
