"""Loop assembly: the closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.newton import Newton
from symoro.errors import CannotClose, InputError, LoopWarning, NotApplicable, ParameterError, ShapeError
from symoro.formats import valid_robot
from symoro.interface import robot_numbers
from symoro.ir.graph import Graph
from symoro.model import Model, model
from symoro.models.loops.assembly import CLOSED, LAST_STEP, LONGEST_STEP, MOST_STEPS, Assembler, Gap
from symoro.models.loops.closing import robot_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.loops.state import LoopCheck, LoopState, slope_by_q
from symoro.motors import FromMotors
from symoro.procedure import Procedure
from symoro.robot.robot import Robot
from symoro.runtime.arrays import real_array
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.models.loops.by_numbers import ByNumbers
    from symoro.runtime import Function

Array = NDArray[Any]


def loop_geometry(robot: Robot | str | Path, at: Sequence[float] | None = None) -> LoopGeometry:
    """The closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers.

    `at` is a closed configuration of a mechanism that moves in a special geometry only (see `symoro.mobility`).
    """
    described = valid_robot(robot)
    closure = model("loop_closure", described)
    return LoopGeometry(
        robot=closure.robot,
        name="loop_geometry",
        title=closure.title,
        citation=closure.citation,
        driver="newton",
        inputs={"qa": (len(Symbols(closure.robot, Graph()).active),)},
        outputs={"q": closure.inputs["q"]},
        shown=closure,
        step=model("loop_step", described, at=at),
        programs={"closure": closure, "slope": closure.derivative("q")},
        make=partial(_assembly, closure.robot),
        method=_newton(closure.robot),
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


def _assembly(robot: Robot, compiled: Mapping[str, Function]) -> Assembly:
    return Assembly(robot, compiled["closure"], compiled["slope"])


def loop_modes(robot: Robot) -> Model:
    """Every way to close a robot's loops, in closed form (K97 § 3.4); `NotApplicable` where there is none."""
    from symoro.models.loops import analytic  # closed forms, which most robots with loops are not asked for

    program = analytic.loop_modes(Symbols(robot, Graph()))
    return Model(robot, program, "loop_modes", "Ways to close the loops, in closed form", "K97 § 3.4")


class LoopGeometry(Procedure["Assembly"]):
    """The procedure that closes loops: `closure` are its equations, `step` is a step of Newton's method."""

    __slots__ = ()

    @property
    def closure(self) -> Model:
        return self.shown

    def from_motors(self, of: Model, backend: str = "llvm") -> FromMotors:
        """The function of a model of the same robot that takes the active joints alone: q is completed inside."""
        if of.robot != self.robot or "q" not in of.inputs:
            why = "its input has no q" if of.robot == self.robot else f"it is a model of {of.robot.name}"
            raise NotApplicable(f"{of.name} cannot be computed from the motors of {self.robot.name}: {why}")
        return FromMotors(of, self, backend)

    def modes(self) -> Model:
        """Every way to close the loops as a program of qa: q (modes, joints), `ok` and `free` (modes), and `qc`.

        It exists where each loop has a closed form once the loops before it are known; else `NotApplicable` is raised.
        """
        return loop_modes(self.robot)


class Assembly:
    """A function f(qa) of the positions of the active joints: it gives a configuration that closes the loops.

    Without a guess it is one whose passive joints are near zero and inside their limits. With one, `f(qa, guess=q)`
    goes from that closed configuration to the new positions in steps that stay on its branch. `values` replaces
    parameters.

    A batch without a guess is taken as a path: each row continues the branch of the row before it, however far they
    are from each other. Where that branch ends, another one begins, and a `LoopWarning` names the rows. The rows of a
    batch with a guess do not depend on each other: each one starts from its guess.
    """

    def __init__(self, robot: Robot, closure: Function, slope: Function) -> None:
        self.robot = robot
        self._closure = closure
        self._slope = slope
        self._numbers = robot_numbers(robot)

    def __repr__(self) -> str:
        names = self.assembler().names
        active = ", ".join(names[k] for k in self.assembler().active)
        return f"<Assembly of {self.robot.name}: qa ({active}) -> q ({', '.join(names)})>"

    def __call__(
        self, qa: ArrayLike, guess: ArrayLike | None = None, values: Mapping[str, float] | None = None
    ) -> Array:
        """q of the whole tree, (..., joints). `CannotClose` is raised where no configuration closes the loops.

        Of one motor, `qa` may be a number. Joint limits choose between branches; a branch that is followed may leave
        them.
        """
        assembler = self.assembler(values)
        wanted = self._motors(assembler, qa)
        flat = wanted.reshape(int(np.prod(wanted.shape[:-1])), wanted.shape[-1])
        if guess is None:
            found = self._followed(assembler, flat)
        else:
            near = self._configuration(assembler, "guess", guess)
            starts = _broadcast(near, (*wanted.shape[:-1], near.shape[-1])).reshape(len(flat), -1)
            found = [assembler.assemble(row, start) for row, start in zip(flat, starts, strict=True)]
        return np.array(found).reshape(*wanted.shape[:-1], len(assembler.turning))

    def branches(self, qa: ArrayLike, values: Mapping[str, float] | None = None, limits: bool = True) -> Array:
        """Every real way to close the loops for these positions: (branches, joints); no row where there is none.

        Those with a passive joint of the tree outside its limits are left out; `limits=False` keeps them. They come
        from closed forms where the loops have one, else by elimination where a loop has six unknown joints at most once
        those before it are known, else by continuation (the first call takes seconds), else from a search, which ends
        when it finds no new one. A `LoopWarning` says where continuation alone did not find them.
        """
        assembler = self.assembler(values)
        wanted = self._motors(assembler, qa)
        if wanted.ndim != 1:
            raise ShapeError(
                f"branches are those of one position of the motors: qa must have shape ({wanted.shape[-1]},)"
            )
        closed = self._closed_branches(wanted, values)
        if closed is None:
            closed = self._by_numbers.branches(assembler, wanted, {**self._numbers, **(values or {})})
        found = assembler.ordered(closed)
        return assembler.within(found) if limits else found

    @property
    def exact(self) -> bool:
        """Whether `branches` come from closed forms or by elimination: they are quickly found then."""
        return self._modes is not None or self._by_numbers.exact

    @property
    def method(self) -> str:
        """How `branches` are found: "closed form", "elimination", "continuation", or "search", which may miss one.

        This is for the robot's own numbers; the first time it may take as long as the first call of `branches`.
        """
        return self._by_numbers.method(self._numbers) if self._modes is None else "closed form"

    @property
    def completeness(self) -> str:
        """What says that `branches` are all: an "exact" method, a "trace test", a "stable count", or "nothing".

        A trace test and a stable count are those of the continuation's complex solutions (`models/loops/trace.py`,
        `monodromy.py`): with a stable count alone, several turns of monodromy brought no new one. That is no proof.
        """
        return "exact" if self.exact else self._by_numbers.completeness(self._numbers)

    def _closed_branches(self, qa: Array, values: Mapping[str, float] | None) -> Array | None:
        """The branches by closed forms; None where there are none, or where a passive joint is free."""
        if self._modes is None:
            return None
        modes = self._modes(qa, values=values)
        exist = modes.ok > 0.5
        found: Array = modes.q[exist]
        return None if (modes.free[exist] > 0.5).any() else found

    @cached_property
    def _modes(self) -> Function | None:
        try:
            return loop_modes(self.robot).compile("numpy")
        except NotApplicable:
            return None

    @cached_property
    def _by_numbers(self) -> ByNumbers:
        from symoro.models.loops.by_numbers import ByNumbers  # eigenvalue problems and paths, which few robots need

        return ByNumbers(Symbols(self.robot, Graph()))

    def path(self, start: ArrayLike, qa: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """q at successive positions (n, active) of the active joints, on the branch of the configuration `start`."""
        assembler = self.assembler(values)
        here, found = self._configuration(assembler, "start", start), []
        for row in self._motors(assembler, qa):
            here = assembler.follow(here, row)
            found.append(here)
        return np.array(found).reshape(len(found), len(assembler.turning))

    def _followed(self, assembler: Assembler, qa: Array) -> list[Array]:
        """The rows as a path: each on the branch of the row before it, or of the first one, or on a new one."""
        found: list[Array] = []
        anew: list[int] = []
        for n, row in enumerate(qa):
            q = _continued(assembler, found[-1:], row)
            if q is None:
                q = _continued(assembler, found[:1], row)
            if q is None:
                q = assembler.assemble(row)
                anew += [n] if n else []
            found.append(q)
        if anew:
            rows = ", ".join(map(str, anew[:5])) + (" …" if len(anew) > 5 else "")
            message = f"the rows do not lie on one branch: another one begins at row {rows} (`guess` chooses a branch)"
            warn(message, LoopWarning, stacklevel=3)
        return found

    def _motors(self, assembler: Assembler, qa: ArrayLike) -> Array:
        """The positions of the active joints; a single number is that of the only one."""
        array, count = _numbers("qa", qa), len(assembler.active)
        if array.ndim == 0 and count == 1:
            array = array[None]
        names = ", ".join(assembler.names[k] for k in assembler.active)
        return _checked("qa", array, count, f"the active joints {names}" if names else "there are no active joints")

    def _configuration(self, assembler: Assembler, name: str, q: ArrayLike) -> Array:
        return _checked(
            name, np.atleast_1d(_numbers(name, q)), len(assembler.turning), f"all joints {', '.join(assembler.names)}"
        )

    def cut(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """The positions of the cut joints at a closed configuration."""
        found: Array = self._closure(q, values=values).QC
        return found

    def gap(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """The residual E of the closure equations at q: zero where the loops are closed."""
        found: Array = self._closure(q, values=values).E
        return found

    def closure(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> LoopState:
        """The residual of the loops at q, and the condition of the equations that give the passive joints."""
        return self._check.state(_numbers("q", q), values)

    @cached_property
    def _check(self) -> LoopCheck:
        passive = Loops(Symbols(self.robot, Graph())).places
        return LoopCheck(self.robot.name, self._closure, partial(slope_by_q, self._slope), passive)

    def assembler(self, values: Mapping[str, float] | None = None) -> Assembler:
        """The numeric method behind this function."""
        s = Symbols(self.robot, Graph())
        given = {} if values is None else self._closure.parameters.checked(values)
        if many := [name for name, number in given.items() if np.ndim(number)]:
            raise ParameterError(f"{', '.join(many)}: loops are closed for one robot at a time, with one number each")
        if wrong := [name for name, number in given.items() if not np.isfinite(number)]:
            raise ParameterError(f"{', '.join(wrong)}: loops are closed for finite numbers only")

        def gap(q: Array) -> Gap:
            closure = self._closure(q, values=values)
            return Gap(closure.E, self._slope(q, values=values).dE_dq, closure.ALIGN)

        numbers = {name: given.get(name, self._numbers.get(name, 1.0)) for name in s.parameter_names}
        return robot_assembler(s, gap, numbers, s.passive)


def _continued(assembler: Assembler, start: list[Array], row: Array) -> Array | None:
    """The configuration at these positions on the branch of the start; None where there is none."""
    try:
        return assembler.follow(start[0], row) if start else None
    except CannotClose:
        return None


def _numbers(name: str, given: ArrayLike) -> Array:
    """The array of real numbers; an error where one of them is not finite."""
    array = real_array(name, given)
    if not np.isfinite(array).all():
        raise InputError(f"{name} has a number that is not finite: every position must be a real number")
    return array


def _checked(name: str, array: Array, count: int, what: str) -> Array:
    """The array; an error where its last axis has not this length."""
    if array.shape[-1:] != (count,):
        raise ShapeError(f"{name} must have shape ({count},) or (..., {count}), not {array.shape}: {what}")
    return array


def _broadcast(array: Array, shape: tuple[int, ...]) -> Array:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ShapeError(f"guess {array.shape} does not broadcast to {shape}, a row for each row of qa") from None
