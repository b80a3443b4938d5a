"""The geometry of parallel robots: legs for a pose of the platform, and poses of the platform for its motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, NotApplicable, ShapeError
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.ops import OpCount
from symoro.ir.passes import optimize
from symoro.model import Model, model
from symoro.models.geometric.inverse.solutions import Solutions, Status
from symoro.models.parallel.build import inputs, parameters
from symoro.models.parallel.geometry import leg_positions
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import home, moved, size
from symoro.models.parallel.spheres import by_distances, by_translation
from symoro.models.parallel.structure import structure
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate
from symoro.runtime import Function

Array = NDArray[Any]
Values = Mapping[str, float]
#: How far legs may be from the platform, and motors from their wanted positions.
CLOSED, REACHED = 1e-9, 1e-12
_STEPS = 40


def parallel(robot: Robot) -> ParallelRobot:
    """The robot, which must be a parallel one."""
    if not isinstance(robot, ParallelRobot):
        raise NotApplicable(f"{robot.name} is not a parallel robot")
    return robot


# inverse geometry


def inverse_geometry(robot: ParallelRobot) -> PlatformInverse:
    """The legs of a parallel robot for a pose of its platform."""
    letters = Letters(robot, Graph(cancel=True))
    results = leg_positions(letters, structure(robot))
    program = optimize(extract(letters.graph, inputs(letters, ("T",)), parameters(letters), results))
    title = "Inverse geometric model"
    return PlatformInverse(Model(robot, program, "inverse_geometry", title, "K10 § 5", row=""))


@dataclass(frozen=True, slots=True)
class PlatformInverse:
    """The inverse geometry of a parallel robot: read it, count it, write it as code, or run it.

    Branch b of the answer has branch b of every leg; legs can be in different branches.
    """

    model: Model

    @property
    def robot(self) -> ParallelRobot:
        return parallel(self.model.robot)

    @property
    def branches(self) -> int:
        """The largest number of branches of a leg."""
        return self.model.outputs["OK"][0]

    @property
    def ops(self) -> OpCount:
        """Operations for all branches of all legs."""
        return self.model.ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return self.model.inputs

    def equations(self) -> list[tuple[str, str]]:
        """Every named variable of the program and its right side, in order."""
        return self.model.equations()

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write all branches as a package of files in a language; their paths."""
        return self.model.emit(target, directory, force)

    def compile(self, backend: str = "llvm") -> LegSolver:
        """A function of the pose that gives `Solutions`."""
        return LegSolver(self.robot, self.model.compile(backend))


class LegSolver:
    """f(T): the motors for poses T (..., 4, 4) of the platform, all branches of the legs.

    `q` of the answer is (..., branches, motors), NaN where the leg of a motor has no such branch; `valid` is where all
    legs have it. `limits=True` keeps branches in which all joints of a leg are inside their limits. With
    `joints=True`, `q` has all joints of all legs.
    """

    def __init__(self, robot: ParallelRobot, f: Function) -> None:
        self.robot, self._f = robot, f
        owners = [(i, j) for i, leg in enumerate(robot.legs) for j in leg.joints if j.variable]
        self._leg = np.array([i for i, _ in owners])
        self._joints = [j for _, j in owners]
        self._motors = [k for k, (_, j) in enumerate(owners) if j.actuated]

    def __call__(
        self, T: ArrayLike, *, limits: bool = False, joints: bool = False, values: Values | None = None
    ) -> Solutions:
        given = poses_of(T)
        found = self._f(given, values=values)
        rigid = is_rigid(given)
        with np.errstate(invalid="ignore"):
            ok = (found.OK > 0.5) & (CLOSED * (1 + np.abs(given[..., None, None, :3, 3]).max(-1)) >= found.ERR)
        ok = ok & rigid[..., None, None]
        q = np.array(found.QL)
        if limits:
            ok = ok & self._inside(q, values)
        q[~ok[..., self._leg]] = np.nan
        valid = ok.all(-1)
        with np.errstate(invalid="ignore"):
            distance = np.where(np.isfinite(found.ERR), found.ERR, np.inf).max(-1).min(-1)
        kinds = np.where(rigid, np.where(ok.any(-2).all(-1), 0, 1), 2)
        members = np.array([Status.COMPLETE, Status.UNREACHABLE, Status.INVALID], dtype=object)
        q = q if joints else q[..., self._motors]
        free = np.zeros((*given.shape[:-2], q.shape[-1]), dtype=bool)
        return Solutions(q, valid, members[kinds], free, np.where(rigid, distance, np.nan))

    def _inside(self, q: Array, values: Values | None) -> Array:
        """Where all joints of a leg are inside their limits; angles in (−π, π] may be given a turn."""
        known = {**self.robot.values.numbers(), **(values or {})}
        inside = np.ones((*q.shape[:-1], len(self.robot.legs)), dtype=bool)
        for k, joint in enumerate(self._joints):
            lower, upper = joint.limits.lower, joint.limits.upper
            low = -np.inf if lower is None else evaluate(lower, known)
            high = np.inf if upper is None else evaluate(upper, known)
            with np.errstate(invalid="ignore"):
                turns = (0.0,) if joint.prismatic else (-2 * np.pi, 0.0, 2 * np.pi)
                fits = np.any([(q[..., k] + x >= low - 1e-12) & (q[..., k] + x <= high + 1e-12) for x in turns], axis=0)
            inside[..., self._leg[k]] &= fits
        return inside


def poses_of(T: ArrayLike) -> Array:
    """Poses as an array, with the right shape."""
    try:
        given = np.array(T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"T is not an array of numbers: {error}") from None
    if given.shape[-2:] != (4, 4):
        raise ShapeError(f"T must have shape (4, 4) or (..., 4, 4), not {given.shape}")
    return given


def is_rigid(T: Array) -> Array:
    """Whether poses are a rotation and a translation, to 1e-6."""
    R = T[..., :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        last = np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(-1)
        right = np.linalg.det(np.where(np.isfinite(R), R, 0.0)) > 0
        found: Array = np.isfinite(T).all((-1, -2)) & (error <= 1e-6) & (last <= 1e-6) & right
    return found


# direct geometry


class AssemblyStatus(Enum):
    """What the assemblies of a platform are."""

    COMPLETE = "complete"
    """All real assemblies."""
    INCOMPLETE = "incomplete"
    """There may be others: the method cannot tell, or a path of it was lost."""
    UNREACHABLE = "unreachable"
    """No assembly has these positions of the motors."""
    INVALID = "invalid"
    """A position of a motor is not a finite number."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Assemblies:
    """The poses of the platform: `T` (..., assemblies, 4, 4), NaN where there is none, `valid` and `status`."""

    T: Array
    valid: Array
    status: Any


def forward_geometry(robot: ParallelRobot) -> PlatformForward:
    """The poses of the platform of a parallel robot for positions of its motors."""
    return PlatformForward(model("loop_step", robot))


@dataclass(frozen=True, slots=True)
class PlatformForward:
    """The direct geometry of a parallel robot. `step` is a step of Newton's method towards the motors' positions."""

    step: Model

    @property
    def robot(self) -> ParallelRobot:
        return parallel(self.step.robot)

    @property
    def ops(self) -> OpCount:
        """Operations of one step."""
        return self.step.ops

    def equations(self) -> list[tuple[str, str]]:
        """The step: every named variable and its right side, in order."""
        return self.step.equations()

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write the step as a package of files in a language; called again with its own result, it tracks."""
        return self.step.emit(target, directory, force)

    def compile(self, backend: str = "llvm") -> PlatformTracker:
        """A function of the motors' positions that gives `Assemblies`."""
        return PlatformTracker(self.robot, self.step.compile(backend))


class PlatformTracker:
    """f(q): all assemblies for positions q (..., motors) of the motors; f(q, guess=T) tracks the one near T.

    Six distances are solved by continuation, platforms that translate by three spheres; both give all assemblies. For
    other robots, Newton's method starts from many poses, and the status is `incomplete`.
    """

    def __init__(self, robot: ParallelRobot, step: Function) -> None:
        self.robot, self._step = robot, step

    def __call__(self, q: ArrayLike, *, guess: ArrayLike | None = None, values: Values | None = None) -> Assemblies:
        given = self._motors(q)
        if guess is not None:
            return self._tracked(given, poses_of(guess), values)
        flat = given.reshape(-1, given.shape[-1])
        found = [self._every(one, values) for one in flat]
        most = max([1, *(len(T) for T, _ in found)])
        T = np.full((len(flat), most, 4, 4), np.nan)
        for row, (some, _) in zip(T, found, strict=True):
            row[: len(some)] = some
        status = np.empty(len(flat), dtype=object)
        status[:] = [kind for _, kind in found]
        lead = given.shape[:-1]
        T = T.reshape(*lead, most, 4, 4)
        return Assemblies(T, np.isfinite(T).all((-1, -2)), status.reshape(lead) if lead else status[0])

    def _motors(self, q: ArrayLike) -> Array:
        count = len(self.robot.motors)
        try:
            given = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"q is not an array of numbers: {error}") from None
        if given.shape[-1:] != (count,):
            raise ShapeError(f"q must have shape ({count},) or (..., {count}), not {given.shape}")
        return given

    def _tracked(self, q: Array, T: Array, values: Values | None) -> Assemblies:
        """Newton's method from the guess: quadratic, and NaN where it does not end."""
        lead = np.broadcast_shapes(q.shape[:-1], T.shape[:-2])
        T = np.array(np.broadcast_to(T, (*lead, 4, 4)))
        for _ in range(_STEPS):
            T, error = self._step(T, q, values=values)
            with np.errstate(invalid="ignore"):
                if np.all((error <= REACHED) | ~np.isfinite(error)):
                    break
        _, error = self._step(T, q, values=values)
        with np.errstate(invalid="ignore"):
            reached = (error <= 1e-9) & is_rigid(T)
        T = np.where(reached[..., None, None], T, np.nan)
        finite = np.isfinite(q).all(-1)
        kinds = np.where(reached, 0, np.where(finite, 1, 2))
        members = np.array(
            [AssemblyStatus.INCOMPLETE, AssemblyStatus.UNREACHABLE, AssemblyStatus.INVALID], dtype=object
        )
        return Assemblies(T[..., None, :, :], reached[..., None], members[kinds])

    def _every(self, q: Array, values: Values | None) -> tuple[Array, AssemblyStatus]:
        if not np.isfinite(q).all():
            return np.zeros((0, 4, 4)), AssemblyStatus.INVALID
        numbers = {**self.robot.values.numbers(), **(values or {})}
        for method in (by_distances, by_translation):
            found = method(self.robot, q, numbers)
            if found is not None:
                T, complete = found
                some = AssemblyStatus.COMPLETE if len(T) else AssemblyStatus.UNREACHABLE
                return T, some if complete else AssemblyStatus.INCOMPLETE
        return self._searched(q, values), AssemblyStatus.INCOMPLETE

    def _searched(self, q: Array, values: Values | None, starts: int = 200) -> Array:
        """The assemblies that Newton's method finds from many poses, in the branches of the legs at home."""
        rng, at = np.random.default_rng(0), home(self.robot)
        scale = 2 * size(self.robot) * np.r_[1, 1, 1, 0, 0, 0] + np.r_[0, 0, 0, 1, 1, 1]
        guesses = np.array([at, *(moved(at, scale * rng.uniform(-1, 1, 6)) for _ in range(starts))])
        found = self._tracked(np.broadcast_to(q, (len(guesses), len(q))), guesses, values)
        return distinct(found.T[:, 0][found.valid[:, 0]])


def distinct(T: Array, apart: float = 1e-7) -> Array:
    """Poses that differ, in order."""
    kept: list[Array] = []
    for one in T:
        if all(np.abs(one - other).max() > apart for other in kept):
            kept.append(one)
    return np.array(kept).reshape(-1, 4, 4)
