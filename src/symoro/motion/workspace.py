"""Which poses of a frame a robot reaches, what ends the others, and how far reached poses are from singularities.

The frame is one of an arm, or the platform of a parallel robot. Both are asked in the same way: which coordinates of
the frame can be varied, what can end its workspace, and what holds at many poses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.coordinates import Coordinates
from symoro.bind.symbols import Symbols
from symoro.errors import InputError, MissingParameter, NotApplicable, OptionError
from symoro.findings import Argument, Finding
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.lazy import lazy
from symoro.model import Model
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, chosen_frame
from symoro.models.geometric.inverse.chain import tip
from symoro.models.geometric.inverse.tasks import TASKS
from symoro.models.loops.inverse import end_links
from symoro.models.parallel.mechanism import Mechanism, structure
from symoro.models.parallel.motions import Conditions, PlatformSingularities
from symoro.models.parallel.platform import function_of, home, moved, parallel, without_numbers
from symoro.motion.state import closed_of
from symoro.options import FRAME, NONE, Choice, Kind, Numbers, Option, Schema
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.given import model
from symoro.solve.legs import LegSolver
from symoro.solve.limits import allowed
from symoro.solve.ways import inverse_geometry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[Any]
COORDINATES = ("x", "y", "z", "rx", "ry", "rz")


class Grid(Kind):
    """A row of values; FROM,TO,COUNT on the command line."""

    annotation = "ArrayLike"

    def accepts(self, value: Any, about: Any = None) -> bool:
        if isinstance(value, str):
            return False
        try:
            values = np.atleast_1d(np.asarray(value, dtype=np.float64))
        except (TypeError, ValueError):
            return False
        return values.ndim == 1 and bool(values.size) and bool(np.isfinite(values).all())

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("workspace.row_of_values", most=_MOST)]

    def taken(self, value: Any, about: Any = None) -> Any:
        return np.atleast_1d(np.asarray(value, dtype=np.float64))

    def read(self, text: Any) -> Any:
        values = Numbers("coordinate").read(text)
        if not isinstance(values, list) or len(values) != 3 or values[2] not in range(1, _MOST + 1):
            return text
        return np.linspace(values[0], values[1], int(values[2]))


class GridOfJoints(Kind):
    """A row of positions for each of some joints; JOINT=FROM,TO,COUNT on the command line."""

    annotation = "Mapping[int | str, ArrayLike]"
    repeated = True

    def accepts(self, value: Any, about: Any = None) -> bool:
        return (
            isinstance(value, Mapping)
            and bool(value)
            and all(isinstance(joint, int | str) and Grid().accepts(x) for joint, x in value.items())
        )

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("workspace.rows_of_joints", most=_MOST)]

    def taken(self, value: Any, about: Any = None) -> Any:
        return {joint: Grid().taken(x) for joint, x in value.items()}

    def read(self, texts: Any) -> Any:
        pairs = [text.partition("=") for text in texts]
        return {int(joint) if joint.isdigit() else joint: Grid().read(row) for joint, _, row in pairs}


def _along(name: str) -> Option:
    en, fr = ("Positions along", "Positions suivant") if len(name) == 1 else ("Rotations about", "Rotations autour de")
    return Option(name, Grid() | NONE, None, f"{en} {name[-1]}.", f"{fr} {name[-1]}.", metavar="FROM,TO,COUNT")


WORKSPACE = Schema(
    "workspace",
    (
        Option(
            "link", FRAME | NONE, None,
            "A link, a joint or a named frame of an arm; else its only tip.",
            "Un corps, une articulation ou un repère nommé d'un bras ; sinon sa seule extrémité.",
        ),
        Option(
            "task", Choice(TASKS) | NONE, None,
            "What an arm shall reach: pose, position, axis-x, axis-y or axis-z.",
            "Ce qu'un bras doit atteindre : pose, position, axis-x, axis-y ou axis-z.",
        ),
        Option(
            "redundant", GridOfJoints() | NONE, None,
            "Positions at which joints of an arm are tried that has more of them than the task fixes.",
            "Les positions auxquelles sont essayées des articulations d'un bras qui en a plus que la tâche n'en fixe.",
            metavar="JOINT=FROM,TO,COUNT",
        ),
        *map(_along, COORDINATES),
    ),
)  # fmt: skip
_MOST, _CHUNK, _STEPS, _SAMPLES = 1_000_000, 10_000, 30, 200
#: A greater condition number of an arm is that of a singular configuration.
_SINGULAR = 1e15
#: The constraints of a platform hold below the first number; Newton's method stops below the second.
_HELD, _EXACT = 1e-9, 1e-13


@dataclass(frozen=True)
class Workspace:
    """A grid of poses. The arrays have an axis for each coordinate that was varied, in the order of `axes`."""

    robot: Robot
    axes: Mapping[str, Array]
    """The values of each coordinate."""
    T: Array
    """The poses (..., 4, 4), with what follows from constraints or joints; NaN where no pose satisfies constraints."""
    ends: tuple[Finding, ...]
    """What can end the workspace: an arm or leg that does not reach, a limit of a joint, constraints of a platform."""
    ended: Array
    """Which of these reasons hold: (..., reasons)."""
    conditions: Conditions
    """Condition numbers of type 1 and 2 at the poses that are reached; NaN at others.

    An arm has no legs: `platform` is the condition number of its Jacobian matrix.
    """
    condition_of: str = "platform"
    """What `conditions.platform` is the condition number of: platform, or Jacobian matrix."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What can end the workspace, in words."""
        return tuple(map(str, self.ends))

    @lazy
    def reachable(self) -> Array:
        """Where the arm or all legs reach the pose, inside their limits."""
        reachable: Array = np.logical_not(self.ended.any(-1))
        return reachable

    @lazy
    def counts(self) -> dict[str, int]:
        """The number of poses that each reason ends; a pose can have several."""
        every = self.ended.reshape(-1, len(self.reasons)).sum(0)
        return {reason: int(n) for reason, n in zip(self.reasons, every, strict=True) if n}

    @lazy
    def worst(self) -> dict[str, float]:
        """The largest condition numbers where poses are reached: of an arm, or of legs, platform and constraints."""
        legs = {f"leg {i + 1}": x for i, x in enumerate(np.moveaxis(self.conditions.legs, -1, 0))}
        parts = {**legs, self.condition_of: self.conditions.platform}
        if legs:
            parts["constraints"] = self.conditions.constraints
        return {name: float(x[self.reachable].max()) for name, x in parts.items()} if self.reachable.any() else {}

    def draw(self, to: str | Path | None = None) -> Figure:
        """A picture of the workspace as a matplotlib figure; `to` is a file to write, such as reach.svg or reach.png.

        With one coordinate that varies it is the curve of the condition number, with two its map, with more
        the projections on each two of them.
        """
        from symoro.motion.workspace_picture import draw_workspace

        return draw_workspace(self, to)

    def __str__(self) -> str:
        every, reached = self.reachable.size, int(self.reachable.sum())
        grid = ", ".join(f"{name} {len(x)}" for name, x in self.axes.items())
        ends = [f"  {n} ended: {reason}" for reason, n in self.counts.items()]
        conditions = ", ".join(f"{name} {x:.3g}" for name, x in self.worst.items())
        lines = [f"{self.robot.name}: {reached} of {every} poses are reached ({grid})", *ends]
        return "\n".join([*lines, f"largest condition numbers: {conditions}"] if conditions else lines)


@WORKSPACE.function
def workspace(
    robot: Robot | str | Path,
    *,
    link: FrameRef | None,
    task: str | None,
    redundant: Mapping[int | str, Array] | None,
    **grid: Array | None,
) -> Workspace:
    """The poses of a frame that a robot reaches, on a grid of coordinates: a platform's, or that of an arm.

    `x`, `y` and `z` are arrays of positions in frame 0; `rx`, `ry` and `rz` of the components of a rotation vector in
    frame 0 that turns the frame from its home pose. Others stay as they are at home, or follow from the constraints of
    the platform. Legs are in the branches in which the models have them.

    The frame of an arm is its terminal one, or `link`; its home pose is that of positions 0, or of the nearest ones
    inside the limits. An arm reaches a pose where a branch of `symoro.inverse_geometry` is inside the limits of its
    joints, and its condition number is that of the Jacobian matrix at the best of these branches, in units of its
    reach. `task` is that of inverse geometry. Where it is not given and no rotation is, it is the position for arms
    whose joints a position determines: the orientation then follows. Of an arm with more joints than the task fixes,
    `redundant` are the positions at which some of them are tried, as {3: [-1, 0, 1]} or {"arm": …} of the arm angle: a
    pose is reached where one of these positions reaches it. Between them there may be others.
    """
    described, coordinates = valid_robot(robot).taking(None), {c: x for c, x in grid.items() if x is not None}
    if not Coordinates.of(described).followers:
        reach: _ArmReach | _LegReach = _ArmReach(described, link, task, redundant or {}, coordinates)
    elif link is None and task is None and redundant is None:
        reach = _LegReach(parallel(described))
    else:
        names = [Argument(name) for name in ("link", "task", "redundant")]
        raise OptionError("workspace.of_arms", robot=described.name, names=names)
    axes = _axes(described.name, coordinates, reach.coordinates, reach.tried)
    T = _grid(reach.home, axes)
    parts = [reach.at(T[k : k + _CHUNK]) for k in range(0, len(T), _CHUNK)]
    shape = tuple(len(x) for x in axes.values())
    T, ended, *conditions = (np.concatenate(x).reshape(*shape, *x[0].shape[1:]) for x in zip(*parts, strict=True))
    return Workspace(described, axes, T, reach.ends, ended, Conditions(*conditions), reach.condition_of)


def _axes(name: str, coordinates: Mapping[str, Array], allowed: Sequence[str], tried: int) -> dict[str, Array]:
    """The values of each coordinate, checked; each pose is tried so many times."""
    if not coordinates or set(coordinates) - set(allowed):
        wrong: list[str | Finding] = [*sorted(set(coordinates) - set(allowed))] or [Finding("workspace.no_coordinate")]
        raise OptionError("workspace.coordinates", robot=name, wrong=wrong, allowed=allowed)
    axes = {c: coordinates[c] for c in COORDINATES if c in coordinates}
    if (count := tried * int(np.prod([len(x) for x in axes.values()], dtype=float))) > _MOST:
        raise InputError("workspace.too_many", robot=name, count=count, most=_MOST)
    return axes


def _grid(at: Array, axes: Mapping[str, Array]) -> Array:
    """The poses of all combinations, (n, 4, 4)."""
    values = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    count = next(iter(values.values())).size
    start = np.r_[at[:3, 3], 0, 0, 0]
    columns = [values[c].ravel() if c in values else np.full(count, x) for c, x in zip(COORDINATES, start, strict=True)]
    return moved(at, np.stack(columns, axis=-1) - np.r_[at[:3, 3], 0, 0, 0])


class _LegReach:
    """The legs, the limits of their joints and the constraints of the platform at many poses."""

    condition_of = "platform"
    tried = 1

    def __init__(self, robot: Robot) -> None:
        if missing := without_numbers(robot):
            raise MissingParameter(missing)
        self.robot, self.home, self.singularities = robot, home(robot), PlatformSingularities(robot)
        self.coordinates = [COORDINATES[k] for k in structure(robot).independent]
        self._solver: LegSolver = inverse_geometry(robot).compile("numpy")
        m = Mechanism.of_robot(robot, Graph(), None)
        self._size = len(m.structure.kept)
        rows = [x for row in m.C for x in row] if self._size else []
        errors = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
        self._constraints = function_of(m.of, [*rows, *errors])

    @lazy
    def ends(self) -> tuple[Finding, ...]:
        legs = [Finding("workspace.leg_out_of_reach", leg=i + 1) for i in range(len(self.robot.legs))]
        joints = zip(self._solver.leg, self._solver.joints, strict=True)
        limits = [Finding("workspace.leg_limits", leg=i + 1, joint=joint.name) for i, joint in joints]
        return (*legs, *limits, Finding("workspace.constraints"))

    def at(self, T: Array) -> tuple[Array, ...]:
        """Poses that satisfy the constraints, what ends them, and their condition numbers."""
        with np.errstate(all="ignore"):
            T, lost = self._closed(T)
            q, inside = self._joints(T)
            missing = np.stack([np.isnan(x).any(-1) for x in q], axis=-1) & ~lost[:, None]
            outside = ~inside & ~missing[:, self._solver.leg] & ~lost[:, None]
            ended = np.concatenate([missing, outside, lost[:, None]], axis=-1)
            conditions = self.singularities.at(T)
        reached: Array = np.logical_not(ended.any(-1))
        parts = (conditions.legs, conditions.platform, conditions.constraints)
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
        legs_structure, n = self.singularities.structure, self._size
        lost = np.zeros(len(T), dtype=bool)
        if not n or legs_structure.fixed is not None:
            return T, lost
        for _ in range(_STEPS):
            numbers = self._constraints(T)
            known = np.isfinite(numbers).all(-1)
            C, e = numbers[known, : 6 * n].reshape(-1, n, 6), numbers[known, 6 * n :]
            lost[known] = np.abs(e).max(-1, initial=0.0) > _HELD
            if np.abs(e).max(initial=0.0) <= _EXACT:
                break
            step = np.zeros((len(e), 6))
            step[:, legs_structure.dependent] = -(
                np.linalg.pinv(C[..., legs_structure.dependent]) @ e[:, legs_structure.kept, None]
            )[..., 0]
            T = np.array(T)
            T[known] = moved(T[known], step)
        return T, lost


class _ArmReach:
    """The branches of an arm, the limits of its joints and its Jacobian matrix at many poses of a frame."""

    condition_of = "Jacobian matrix"

    def __init__(
        self,
        robot: Robot,
        link: FrameRef | None,
        task: str | None,
        redundant: Mapping[int | str, Array],
        varied: Iterable[str],
    ) -> None:
        if robot.base.free:
            raise NotApplicable("workspace.base_moves", robot=robot.name)
        names = {joint: f"r{k}" for k, joint in enumerate(redundant, 1)}
        inverse = _inverse(robot, link, task, names, turned=any(name in COORDINATES[3:] for name in varied))
        self.tried = int(np.prod([len(x) for x in redundant.values()], dtype=float))
        if self.tried > _MOST:
            raise InputError("workspace.too_many", robot=robot.name, count=self.tried, most=_MOST)
        self._tried = [list(r) for r in product(*redundant.values())]
        self._solver, self._task = inverse.compile(), inverse.task
        frame = chosen_frame(robot, link) or (end_links(robot)[0] if robot.cuts else tip(robot))
        self._pose, self._jacobian = (
            model(name, robot, link=frame).compile(check=False) for name in ("forward_geometry", "jacobian")
        )
        self._limits = allowed(robot, self._solver.joints, robot.values.numbers())
        self._order = [joint.index for joint in topology.with_variables(robot)]
        self.home = self._pose(_at_home(robot))
        self.coordinates = COORDINATES[:3] if self._task == "position" else COORDINATES
        joints = [robot.joint(j) for j in self._solver.joints]
        limits = (Finding("workspace.limits", joint=joint.label) for joint in joints)
        self.ends = (Finding("workspace.arm_out_of_reach"), *limits)
        q = Coordinates.of(robot).random(np.random.default_rng(0), _SAMPLES)
        P, symbols = self._pose(q)[..., :3, 3], Symbols(robot, Graph())
        self._reach = float(np.linalg.norm(P - P.mean(0), axis=-1).max()) or 1.0
        left = constraint_of(symbols, ("loops",)).left if robot.cuts else symbols.variables
        self._columns = np.array([self._reach if robot.joint(j).prismatic else 1.0 for j in left])
        self._rank = int(np.max(np.linalg.matrix_rank(self._matrix(q), tol=1e-9)))

    def _matrix(self, q: Array) -> Array:
        """J in the rows that the task has; lengths are in units of the reach."""
        J = self._jacobian(q) * self._columns
        J[..., :3, :] /= self._reach
        if self._task == "position":
            return np.asarray(J[..., :3, :])
        if self._task.startswith("axis"):  # turns about the axis do not count
            a = self._pose(q)[..., :3, "xyz".index(self._task[-1])]
            J[..., 3:, :] -= a[..., :, None] * (a[..., None, :] @ J[..., 3:, :])
        return np.asarray(J)

    def at(self, T: Array) -> tuple[Array, ...]:
        """The poses with the orientation that is reached, what ends them, and their condition numbers."""
        found, valid = self._branches(T, limits=True)
        q = np.zeros((*valid.shape, len(self._order)))
        q[..., [self._order.index(j) for j in self._solver.joints]] = found
        conditions = np.full(valid.shape, np.inf)
        conditions[valid] = self._conditions(q[valid])
        best = conditions.argmin(-1)[:, None]
        reached: Array = np.asarray(valid.any(-1))
        ended = np.zeros((len(T), len(self.ends)), dtype=bool)
        ended[~reached] = self._ends(T[~reached])
        if self._task != "pose" and reached.any():
            T = np.array(T)
            T[reached] = self._pose(np.take_along_axis(q, best[..., None], 1)[reached, 0])
        condition = np.take_along_axis(conditions, best, -1)[:, 0]
        condition = np.where(condition >= _SINGULAR, np.inf, condition)
        return T, ended, np.zeros((len(T), 0)), _where_reached(reached, condition), np.ones(len(T))

    def _branches(self, T: Array, limits: bool = False) -> tuple[Array, Array]:
        """All branches (poses, branches, joints) at all positions of redundant joints, and which exist."""
        each = [self._solver(T, *([r] if r else []), limits=limits) for r in self._tried]
        return np.concatenate([one.q for one in each], axis=-2), np.concatenate([one.valid for one in each], axis=-1)

    def _conditions(self, q: Array) -> Array:
        """The condition number at configurations; a large number in singular ones, so that others are preferred."""
        sizes = np.linalg.svd(self._matrix(q), compute_uv=False) if len(q) else np.ones((0, self._rank))
        largest, least = sizes[..., 0], sizes[..., self._rank - 1]
        return np.asarray(largest / np.maximum(least, largest / _SINGULAR))

    def _ends(self, T: Array) -> Array:
        """Which reasons hold at poses that are not reached: of the branches, the one with the fewest joints outside."""
        q, valid = self._branches(T)
        q = self._limits.placed(q)[0]
        outside = (q < self._limits.lower) | (q > self._limits.upper)
        count = np.where(valid, outside.sum(-1), q.shape[-1] + 1)
        joints = np.take_along_axis(outside, count.argmin(-1)[:, None, None], -2)[:, 0]
        somewhere: Array = np.asarray(valid.any(-1))[:, None]
        return np.concatenate([~somewhere, joints & somewhere], axis=-1)


def _inverse(
    robot: Robot, link: FrameRef | None, task: str | None, redundant: Mapping[int | str, str], turned: bool
) -> Model:
    """The inverse geometric model: of the position alone, where it determines the joints and nothing else is asked."""
    if task is None and not turned:
        with suppress(NotApplicable):
            return inverse_geometry(robot, link=link, task="position", redundant=redundant)
    return inverse_geometry(robot, link=link, task=task, redundant=redundant)


def _at_home(robot: Robot) -> Array:
    """Positions 0 of all joints, or the nearest ones inside their limits; of closed loops those of home."""
    if robot.cuts:
        closed = closed_of(robot)
        if closed is None:
            raise NotApplicable("workspace.loops", robot=robot.name)
        return closed
    lower, upper = Coordinates.of(robot).limits
    return np.clip(np.zeros(len(lower)), lower, upper)


def _where_reached(reached: Array, conditions: Array) -> Array:
    """Condition numbers at reached poses, infinite where a matrix has no finite numbers; NaN elsewhere."""
    every = np.where(np.isnan(conditions), np.inf, conditions)
    return np.where(reached.reshape(-1, *[1] * (every.ndim - 1)), every, np.nan)
