"""Loop assembly: the closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.emit import Source, emit_all
from symoro.emit import target as language
from symoro.emit.newton import Newton
from symoro.errors import (
    CannotClose,
    InputError,
    LoopWarning,
    NotApplicable,
    ParameterError,
    ShapeError,
)
from symoro.findings import Argument, Finding
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.lazy import lazy
from symoro.model import Driver, Model, straight_model
from symoro.models.loops.assembly import CLOSED, LAST_STEP, LONGEST_STEP, MOST_STEPS, Array, Assembler, Gap
from symoro.models.loops.closing import robot_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.loops.motors import from_motors
from symoro.robot.robot import Robot
from symoro.runtime.function import ParameterValues
from symoro.runtime.outputs import real_array
from symoro.solve.elimination import loop_modes
from symoro.solve.motors import closing_motors, model_of_motors, no_joints_in
from symoro.solve.question import PASSIVE, Ladder, Question
from symoro.solve.solver import Solver, Values, shaped
from symoro.solve.ways import WAYS, ByContinuation, first_answer

if TYPE_CHECKING:
    from symoro.runtime import Function


def slope_by_q(slope: Callable[..., Any], q: Any, values: Values | None = None) -> Array:
    """∂E/∂q from the compiled derivative of the closure equations."""
    derivative: Array = slope(q, values=values).dE_dq
    return derivative


class LoopState(NamedTuple):
    """`residual` of the closure equations, in metres or radians: 0 where the loops are closed, 1 or more where the
    axes of a cut are opposite. `condition` of the equations that give the passive joints from the active ones: the
    ratio of the largest to the smallest singular value, infinite at a dead point."""

    residual: Array
    condition: Array


@dataclass(frozen=True, eq=False)
class LoopCheck:
    """Evaluates the closure equations of a robot and their derivatives by q.

    `closure` gives E and ALIGN of configurations, `slope` gives ∂E/∂q; `passive` are the places of the passive joints
    of the loops in q.
    """

    name: str
    closure: Callable[..., Any]
    slope: Callable[..., Any]
    passive: Sequence[int]

    def state(self, q: Any, values: Values | None = None) -> LoopState:
        """Residual and condition, with the leading axes of q."""
        residuals = self.closure(q, values=values)
        size = np.abs(residuals.E).max(axis=-1, initial=0.0)
        opposite = (residuals.ALIGN <= 0).any(axis=-1)
        slope = self.slope(q, values=values)[..., list(self.passive)]
        singular = np.linalg.svd(np.where(np.isfinite(slope), slope, 0.0), compute_uv=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            condition = singular[..., 0] / singular[..., -1] if singular.size else np.ones(size.shape)
        return LoopState(np.where(opposite, np.maximum(size, 1.0), size), np.where(condition > 0, condition, np.inf))


def loop_geometry(robot: Robot | str | Path, at: Sequence[float] | None = None) -> Model:
    """The closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers.

    `at` is a closed configuration of a mechanism that moves in a special geometry only (see `symoro.mobility`).
    """
    described = valid_robot(robot).taking(None)
    if described.platforms:
        raise NotApplicable("positions.not_loops", robot=described.name)
    closure = straight_model("loop_closure", described)
    return replace(
        closure, name="loop_geometry", driver=LoopDriver(closure, straight_model("loop_step", described, at=at))
    )


def _newton(robot: Robot) -> Newton:
    """Newton's method of the assembler, for generated code."""
    s = Symbols(robot, Graph())
    method = robot_assembler(s, _unused, robot_numbers(robot), s.passive)
    periods = tuple(p if k in method.passive else 0.0 for k, p in enumerate(method.periods))
    closed = CLOSED * max(1.0, method.reach)
    return Newton("q", "Q", "E", "ALIGN", periods, closed, LONGEST_STEP, LAST_STEP, MOST_STEPS)


def _unused(q: Array) -> Gap:
    raise NotImplementedError


@dataclass(frozen=True)
class LoopDriver(Driver):
    """The procedure that closes loops: `closure` are its equations, `step` is a step of Newton's method."""

    closure: Model
    step: Model

    @lazy
    def method(self) -> Newton:
        """What repeats the step in generated code."""
        return _newton(self.closure.robot)

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"qa": (self.motors,)}

    def outputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"q": self.closure.inputs["q"]}

    def counted(self, of: Model) -> Program:
        """One step."""
        return self.step.program

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """Write the step and the driver that repeats it as a package of files, in a real programming language.

        In other languages (`jax`, `casadi`, `latex` …) the step alone: called again with its own result, it solves the
        equations.
        """
        source = self.code if language(target, precision).iterates else self.step.source
        return emit_all([source], target, directory, force=force, precision=precision)

    def compile(self, of: Model, backend: str) -> Assembly:
        """A function of the active joints that closes the loops."""
        return Assembly(of.robot, self.closure.compile(backend), self.closure.derivative("q").compile(backend))

    def from_motors(self, of: Model) -> Model:
        """A model of the same robot as one of the active joints alone: q is completed inside.

        Of the ways to close the loops its program takes the one nearest to the guess. Where the loops have no closed
        form (`modes`), the program is that of the model, and its driver completes q.
        """
        robot = self.closure.robot
        if of.robot.taking(None) != robot or "q" not in of.inputs:
            why = no_joints_in(of, robot)
            raise NotApplicable("positions.not_from_motors", model=of.name, robot=robot.name, reason=why)
        try:
            program = from_motors(Symbols(of.robot, Graph()), self.modes().program, of.program)
        except NotApplicable:
            return model_of_motors(of, self)
        return model_of_motors(of, self, optimize(program))

    beside: ClassVar[Sequence[int]] = ()

    @property
    def motors(self) -> int:
        return len(Symbols(self.closure.robot, Graph()).active)

    @property
    def code(self) -> Source:
        """The step and what repeats it."""
        return replace(self.step.source, method=self.method)

    def closing(self, backend: str) -> Assembly:
        return self.compile(self.closure, backend)

    def closing_motors(self) -> Mapping[str, Array]:
        return closing_motors(self.modes())

    def modes(self) -> Model:
        """Every way to close the loops as a program of qa: q (modes, joints), `ok` and `free` (modes), and `qc`.

        It exists where each loop has a closed form once the loops before it are known; else `NotApplicable` is raised.
        """
        return loop_modes(self.closure.robot)


class Assembly(Solver):
    """A function f(qa) of the positions of the active joints: it gives a configuration that closes the loops.

    Without a guess it is one whose passive joints are near zero and inside their limits. With one, `f(qa, guess=q)`
    goes from that closed configuration to the new positions in steps that stay on its branch. `values` replaces
    parameters.

    A batch without a guess is taken as a path: each row continues the branch of the row before it, however far they
    are from each other. Where that branch ends, another one begins, and a `LoopWarning` names the rows. The rows of a
    batch with a guess do not depend on each other: each one starts from its guess.
    """

    def __init__(self, robot: Robot, closure: Function, slope: Function) -> None:
        super().__init__(robot, Symbols(robot, Graph()).variables)
        self._closure, self._slope = closure, slope

    def __repr__(self) -> str:
        names = self.assembler().names
        active = ", ".join(names[k] for k in self.assembler().active)
        return f"<Assembly of {self.robot.name}: qa ({active}) -> q ({', '.join(names)})>"

    def __call__(self, qa: ArrayLike, guess: ArrayLike | None = None, values: Values | None = None) -> Array:
        """q of the whole tree, (..., joints). `CannotClose` is raised where no configuration closes the loops.

        Of one motor, `qa` may be a number. Joint limits choose between branches; a branch that is followed may leave
        them.
        """
        assembler = self.assembler(values)
        wanted = self._motors(assembler, qa)
        flat = wanted.reshape(int(np.prod(wanted.shape[:-1])), wanted.shape[-1])
        if guess is None:
            configurations = self._followed(assembler, flat)
        else:
            near = self._configuration(assembler, "guess", guess)
            starts = _repeated(near, (*wanted.shape[:-1], near.shape[-1])).reshape(len(flat), -1)
            configurations = [assembler.assemble(row, start) for row, start in zip(flat, starts, strict=True)]
        return np.array(configurations).reshape(*wanted.shape[:-1], len(assembler.turning))

    def branches(self, qa: ArrayLike, values: Values | None = None, limits: bool = True) -> Array:
        """Every real way to close the loops for these positions: (branches, joints); no row where there is none.

        Those with a passive joint of the tree outside its limits are left out; `limits=False` keeps them. They come
        from closed forms where the loops have one, else by elimination where a loop has six unknown joints at most once
        those before it are known, else by continuation (the first call takes seconds), else from a search, which ends
        when it finds no new one. A `LoopWarning` says where continuation alone did not find them.
        """
        assembler = self.assembler(values)
        wanted = self._motors(assembler, qa)
        if wanted.ndim != 1:
            raise ShapeError("positions.one_position", count=wanted.shape[-1])
        branches = first_answer(self._ladder, self, wanted, values, self.numbers(values))
        ordered = assembler.ordered(branches.q)
        return assembler.within(ordered) if limits else ordered

    @property
    def exact(self) -> bool:
        """Whether `branches` come from closed forms or by elimination: they are quickly found then."""
        return self._way[0] in ("closed form", "elimination")

    @property
    def method(self) -> str:
        """How `branches` are found: "closed form", "elimination", "continuation", or "search", which may miss one.

        This is for the robot's own numbers; the first time it may take as long as the first call of `branches`.
        """
        name, way = self._way
        return "search" if isinstance(way, ByContinuation) and way.traced(self._numbers) is None else name

    @property
    def completeness(self) -> str:
        """What says that `branches` are all: an "exact" method, a "trace test", a "stable count", or "nothing".

        A trace test and a stable count are those of the continuation's complex solutions (`coupled.py`):
        with a stable count alone, several turns of monodromy brought no new one. That is no proof.
        """
        if self.exact:
            return "exact"
        way = self._way[1]
        traced = way.traced(self._numbers) if isinstance(way, ByContinuation) else None
        return {None: "nothing", True: "trace test", False: "stable count"}[traced]

    @property
    def _way(self) -> tuple[str, Any]:
        """The first way that applies, and what it makes of the question."""
        return next(iter(self._ladder))

    @lazy
    def _ladder(self) -> Ladder:
        return Ladder(Question(self.robot, PASSIVE), WAYS)

    def path(self, start: ArrayLike, qa: ArrayLike, values: Values | None = None) -> Array:
        """q at successive positions (n, active) of the active joints, on the branch of the configuration `start`."""
        assembler = self.assembler(values)
        here, configurations = self._configuration(assembler, "start", start), []
        for row in self._motors(assembler, qa):
            here = assembler.follow(here, row)
            configurations.append(here)
        return np.array(configurations).reshape(len(configurations), len(assembler.turning))

    def _followed(self, assembler: Assembler, qa: Array) -> list[Array]:
        """The rows as a path: each on the branch of the row before it, or of the first one, or on a new one."""
        configurations: list[Array] = []
        anew: list[int] = []
        for n, row in enumerate(qa):
            q = _continued(assembler, configurations[-1:], row)
            if q is None:
                q = _continued(assembler, configurations[:1], row)
            if q is None:
                q = assembler.assemble(row)
                anew += [n] if n else []
            configurations.append(q)
        if anew:
            rows = ", ".join(map(str, anew[:5])) + (" …" if len(anew) > 5 else "")
            warn(LoopWarning(Finding("positions.other_branch", rows=rows, option=Argument("guess"))), stacklevel=3)
        elif meeting := assembler.meeting(np.array(configurations)):
            rows = ", ".join(map(str, meeting[:5])) + (" …" if len(meeting) > 5 else "")
            warn(LoopWarning(Finding("positions.branches_meet", rows=rows, option=Argument("guess"))), stacklevel=3)
        return configurations

    def _motors(self, assembler: Assembler, qa: ArrayLike) -> Array:
        """The positions of the active joints; a single number is that of the only one."""
        array, count = _positions("qa", qa), len(assembler.active)
        if array.ndim == 0 and count == 1:
            array = array[None]
        names = [assembler.names[k] for k in assembler.active]
        active = Finding("positions.active_joints", joints=names) if names else Finding("positions.no_active_joints")
        return shaped("qa", array, (count,), active)

    def _configuration(self, assembler: Assembler, name: str, q: ArrayLike) -> Array:
        wanted = Finding("positions.all_joints", joints=assembler.names)
        return shaped(name, np.atleast_1d(_positions(name, q)), (len(assembler.turning),), wanted)

    def cut(self, q: ArrayLike, values: Values | None = None) -> Array:
        """The positions of the cut joints at a closed configuration."""
        positions: Array = self._closure(q, values=values).QC
        return positions

    def gap(self, q: ArrayLike, values: Values | None = None) -> Array:
        """The residual E of the closure equations at q: zero where the loops are closed."""
        residual: Array = self._closure(q, values=values).E
        return residual

    def closure(self, q: ArrayLike, values: Values | None = None) -> LoopState:
        """The residual of the loops at q, and the condition of the equations that give the passive joints."""
        return self._check.state(_positions("q", q), values)

    @lazy
    def _check(self) -> LoopCheck:
        passive = Loops(Symbols(self.robot, Graph())).places
        return LoopCheck(self.robot.name, self._closure, partial(slope_by_q, self._slope), passive)

    @property
    def _parameters(self) -> ParameterValues:
        return self._closure.parameters

    def assembler(self, values: Values | None = None) -> Assembler:
        """The numeric method behind this function."""
        s = Symbols(self.robot, Graph())
        known = self.numbers(values)
        if wrong := [name for name in values or () if not np.isfinite(known[name])]:
            raise ParameterError("positions.finite_parameters", names=wrong)

        def gap(q: Array) -> Gap:
            closure = self._closure(q, values=values)
            return Gap(closure.E, self._slope(q, values=values).dE_dq, closure.ALIGN)

        numbers = {name: known.get(name, 1.0) for name in s.parameter_names}
        return robot_assembler(s, gap, numbers, s.passive)


def _continued(assembler: Assembler, start: list[Array], row: Array) -> Array | None:
    """The configuration at these positions on the branch of the start; None where there is none."""
    try:
        return assembler.follow(start[0], row) if start else None
    except CannotClose:
        return None


def _positions(name: str, numbers: ArrayLike) -> Array:
    """The array of real numbers; an error where one of them is not finite."""
    array = real_array(name, numbers)
    if not np.isfinite(array).all():
        raise InputError("positions.not_finite", name=name)
    return array


def _repeated(array: Array, shape: tuple[int, ...]) -> Array:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ShapeError("positions.guess_rows", name="guess", shape=str(array.shape), expected=str(shape)) from None
