"""The poses of a platform for positions of its motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, OptionError, ParameterError, ShapeError
from symoro.ir.ops import OpCount
from symoro.model import Model, model
from symoro.models.parallel.by_quadrics import by_quadrics
from symoro.models.parallel.circles import by_circles, in_a_plane
from symoro.models.parallel.driven_legs import driven
from symoro.models.parallel.meeting import searched
from symoro.models.parallel.numbers import home, moved, size
from symoro.models.parallel.spheres import Follow, Found, by_distances, by_translation, distinct
from symoro.models.parallel.still_leg import still_legs
from symoro.models.parallel.study import follow
from symoro.platforms import compiled
from symoro.platforms.poses import is_rigid, parallel, poses_of
from symoro.robot.parallel import ParallelRobot
from symoro.runtime import Function

Array = NDArray[Any]
Values = Mapping[str, float]
#: How far motors may be from their wanted positions.
REACHED = 1e-12
_STEPS = 40


class AssemblyStatus(Enum):
    """What the assemblies of a platform are."""

    COMPLETE = "complete"
    """All real assemblies."""
    INCOMPLETE = "incomplete"
    """There may be others: the method cannot tell, or a path of it was lost. From a guess, at most one is found."""
    UNREACHABLE = "unreachable"
    """No assembly has these positions of the motors."""
    INVALID = "invalid"
    """A position of a motor is not a finite number, or the guess is no pose."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Assemblies:
    """The poses of the platform: `T` (..., assemblies, 4, 4), NaN where there is none, `valid` and `status`."""

    T: Array
    valid: Array
    status: Any


def forward_geometry(
    robot: ParallelRobot, *, optimize: bool | str = True, branch: Any = None, **others: Any
) -> PlatformForward:
    """The poses of the platform of a parallel robot for positions of its motors."""
    if others:
        raise OptionError(
            f"forward_geometry of a parallel robot has no option {next(iter(others))!r} (allowed: branch)"
        )
    return PlatformForward(model("loop_step", robot, optimize=optimize, branch=branch))


@dataclass(frozen=True, slots=True)
class PlatformForward:
    """The direct geometry of a parallel robot. `step` is a step of Newton's method towards the motors' positions."""

    step: Model

    @property
    def robot(self) -> ParallelRobot:
        return parallel(self.step.robot)

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return {"q": (len(self.robot.motors),)}

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """T of the assemblies, whose number differs."""
        return {"T": (4, 4)}

    @property
    def ops(self) -> OpCount:
        """Operations of one step."""
        return self.step.ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations that depend on parameters only."""
        return self.step.setup_ops

    def equations(self) -> list[tuple[str, str]]:
        """The step: every named variable and its right side, in order."""
        return self.step.equations()

    def emit(self, target: str, directory: str | Path, force: bool = False, precision: str = "double") -> list[Path]:
        """Write the step and the driver that repeats it as a package of files, in a real programming language.

        In other languages the step alone: called again with its own result, it tracks.
        """
        from symoro.emit import emit_all
        from symoro.emit import target as language
        from symoro.platforms.tracking import tracking

        iterates = language(target, precision).iterates
        source = tracking(self.step, self.robot) if iterates else self.step.source
        return emit_all([source], target, directory, force=force, precision=precision)

    def compile(self, backend: str = "llvm") -> PlatformTracker:
        """A function of the motors' positions that gives `Assemblies`; with the backend "c", all of it in C."""
        return PlatformTracker(self.robot, self.step.compile(backend), compiled.follow if backend == "c" else follow)


class PlatformTracker:
    """f(q): all assemblies for positions q (..., motors) of the motors; f(q, guess=T) tracks the one near T.

    Six distances, three circles, and other legs that are quadrics in Study's coordinates are solved by continuation,
    platforms that translate by three spheres, those in a plane by a polynomial: these are all assemblies. For other
    robots, Newton's method starts from many poses, and the status is `incomplete`.
    """

    def __init__(self, robot: ParallelRobot, step: Function, along: Follow = follow) -> None:
        self.robot, self._step, self._along = robot, step, along

    def __call__(self, q: ArrayLike, *, guess: ArrayLike | None = None, values: Values | None = None) -> Assemblies:
        given = self._motors(q)
        if guess is not None:
            return self._tracked(given, poses_of(guess), values)
        flat, numbers = given.reshape(-1, given.shape[-1]), self._numbers(values)
        found = [self._every(one, values, numbers) for one in flat]
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

    def _numbers(self, values: Values | None) -> Values:
        """The robot's numbers and those that are given, which are checked."""
        given = self._step.parameters.checked(values or {})
        if arrays := [name for name, x in given.items() if np.ndim(x)]:
            raise ParameterError(f"values of {', '.join(arrays)} are arrays (allowed without a guess: one number each)")
        return {**self.robot.values.numbers(), **given}

    def _tracked(self, q: Array, T: Array, values: Values | None) -> Assemblies:
        """Newton's method from the guess: quadratic, and NaN where it does not end.

        Where it does not, another guess may still reach an assembly: the status is `incomplete` either way.
        """
        lead = np.broadcast_shapes(q.shape[:-1], T.shape[:-2])
        T = np.array(np.broadcast_to(T, (*lead, 4, 4)))
        known = np.isfinite(q).all(-1) & is_rigid(T)
        for _ in range(_STEPS):
            T, error = self._step(T, q, values=values)
            with np.errstate(invalid="ignore"):
                if np.all((error <= REACHED) | ~np.isfinite(error)):
                    break
        _, error = self._step(T, q, values=values)
        with np.errstate(invalid="ignore"):
            reached = (error <= 1e-9) & is_rigid(T) & known
        T = np.where(reached[..., None, None], T, np.nan)
        members = np.array([AssemblyStatus.INVALID, AssemblyStatus.INCOMPLETE], dtype=object)
        return Assemblies(T[..., None, :, :], reached[..., None], members[known.astype(int)])

    def _every(self, q: Array, values: Values | None, numbers: Values) -> tuple[Array, AssemblyStatus]:
        if not np.isfinite(q).all():
            return np.zeros((0, 4, 4)), AssemblyStatus.INVALID
        robot, rows = driven(self.robot, q, numbers) or (self.robot, [q])
        found = [self._solved(robot, row, numbers) for row in rows]
        if None in found:
            return self._searched(q, values, numbers), AssemblyStatus.INCOMPLETE
        T = distinct(np.concatenate([np.zeros((0, 4, 4)), *(one[0] for one in found if one)]))
        some = AssemblyStatus.COMPLETE if len(T) else AssemblyStatus.UNREACHABLE
        return T, some if all(one[1] for one in found if one) else AssemblyStatus.INCOMPLETE

    def _solved(self, robot: ParallelRobot, q: Array, numbers: Values) -> Found | None:
        """The assemblies by the first method that is for this robot; None where there is none."""
        followed = [partial(by_distances, along=self._along), partial(by_circles, along=self._along)]
        methods: list[Callable[[ParallelRobot, Array, Values], Found | None]] = [
            *followed, by_translation, in_a_plane, by_quadrics,
        ]  # fmt: skip
        tried = (method(robot, q, numbers) for method in methods)
        return next((found for found in tried if found is not None), None)

    def _searched(self, q: Array, values: Values | None, numbers: Values, starts: int = 400) -> Array:
        """The assemblies that Newton's method finds from many poses.

        First in the branches of the legs at home; then with arbitrary joints, where those in loops are sums of others.
        """
        rng, at = np.random.default_rng(0), home(self.robot, numbers)
        scale = 2 * size(self.robot) * np.r_[1, 1, 1, 0, 0, 0] + np.pi * np.r_[0, 0, 0, 1, 1, 1]
        guesses = np.array([at, *(moved(at, scale * rng.uniform(-1, 1, 6)) for _ in range(starts))])
        tracked = self._tracked(np.broadcast_to(q, (len(guesses), len(q))), guesses, values)
        found = tracked.T[:, 0][tracked.valid[:, 0]]
        legs = still_legs(self.robot, q, numbers)
        others = searched(legs, guesses, rng, size(self.robot)) if legs else np.zeros((0, 4, 4))
        return distinct(np.concatenate([found, others]))
