"""What iterates: programs and the driver that calls them, behind the same surface as a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ShapeError
from symoro.formats import load
from symoro.interface import robot_numbers
from symoro.ir.graph import Graph
from symoro.ir.ops import OpCount
from symoro.model import Model, model
from symoro.models.kinematic.singularities import Singularities
from symoro.models.kinematic.singularities import singularities as robot_singularities
from symoro.models.loops.assembly import Assembler, Gap
from symoro.models.loops.closing import assembler
from symoro.models.loops.mobility import Mobility
from symoro.models.loops.mobility import mobility as robot_mobility
from symoro.robot.check import require_valid
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.runtime import Function

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Procedure:
    """Closing the loops of a robot: `closure` says how far they are open, `step` is a step of Newton's method."""

    closure: Model
    step: Model
    driver: str = "newton"

    @property
    def robot(self) -> Robot:
        return self.closure.robot

    @property
    def name(self) -> str:
        return "loop_geometry"

    @property
    def title(self) -> str:
        return self.closure.title

    @property
    def citation(self) -> str:
        return self.closure.citation

    @property
    def ops(self) -> OpCount:
        """Operations of one step."""
        return self.step.ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return self.step.setup_ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The positions of the active joints."""
        return {"qa": (len(_symbols(self.robot).driven),)}

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """A configuration of the whole tree."""
        return {"q": self.closure.inputs["q"]}

    def equations(self) -> list[tuple[str, str]]:
        """The closure equations (K97:2): E is zero where the loops are closed."""
        return self.closure.equations()

    def latex(self, *, expanded: bool = False) -> str:
        """The closure equations in LaTeX."""
        return self.closure.latex(expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        """The closure equations as SymPy expressions."""
        return self.closure.to_sympy()

    def emit(self, target: str, directory: str | Path) -> list[Path]:
        """Write the step as a package of files: called again with its own result, it closes the loops."""
        return self.step.emit(target, directory)

    def compile(self, backend: str = "llvm") -> Assembly:
        """A function from positions of the active joints to a closed configuration."""
        return Assembly(self.robot, self.closure.compile(backend), self.closure.derivative("q").compile(backend))


class Assembly:
    """f(qa) closes the loops; f.branches(qa) lists every real way to do so; f.cut(q) gives the cut joints.

    Without a guess, the branch whose passive joints are nearest to zero is taken; with one, `f(qa, guess=q)` goes from
    that closed configuration to the new positions in steps that stay on its branch. `values` replaces parameters.
    """

    def __init__(self, robot: Robot, closure: Function, slope: Function) -> None:
        self.robot = robot
        self._closure = closure
        self._slope = slope
        self._numbers = robot_numbers(robot)

    def __call__(
        self, qa: ArrayLike, guess: ArrayLike | None = None, values: Mapping[str, float] | None = None
    ) -> Array:
        """q of the whole tree, (..., joints); CannotClose says so where no configuration closes."""
        assembler = self.assembler(values)
        wanted = _rows("qa", qa, len(assembler.active))
        flat = wanted.reshape(-1, wanted.shape[-1])
        if guess is None:
            found = [assembler.assemble(row) for row in flat]
        else:
            near = _rows("guess", guess, len(assembler.turning))
            starts = np.broadcast_to(near, (*wanted.shape[:-1], near.shape[-1])).reshape(len(flat), -1)
            found = [assembler.assemble(row, start) for row, start in zip(flat, starts, strict=True)]
        return np.array(found).reshape(*wanted.shape[:-1], len(assembler.turning))

    def branches(self, qa: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """Every real way to close the loops for these positions: (branches, joints), none where it is (0, joints)."""
        assembler = self.assembler(values)
        return assembler.branches(_rows("qa", qa, len(assembler.active)))

    def path(self, start: ArrayLike, qa: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """Along positions (n, active), one branch: each configuration is the guess of the next."""
        assembler = self.assembler(values)
        here, found = _rows("start", start, len(assembler.turning)), []
        for row in _rows("qa", qa, len(assembler.active)):
            here = assembler.follow(here, row)
            found.append(here)
        return np.array(found)

    def cut(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """The positions of the cut joints at a closed configuration."""
        found: Array = self._closure(q, values=values).QC
        return found

    def gap(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """How far the loops are open: zero where they are closed."""
        found: Array = self._closure(q, values=values).E
        return found

    def assembler(self, values: Mapping[str, float] | None = None) -> Assembler:
        """The numeric method behind this function."""
        s = _symbols(self.robot)

        def gap(q: Array) -> Gap:
            closure = self._closure(q, values=values)
            return Gap(closure.E, self._slope(q, values=values).dE_dq, closure.ALIGN)

        numbers = {name: (values or {}).get(name, self._numbers.get(name, 1.0)) for name in s.parameter_names}
        return assembler(s, gap, numbers, s.free)


def _rows(name: str, given: ArrayLike, count: int) -> Array:
    """Positions with `count` of them in the last axis."""
    rows = np.asarray(given, dtype=float)
    if rows.shape[-1:] != (count,):
        raise ShapeError(f"{name} must have shape ({count},) or (..., {count}), not {rows.shape}")
    return rows


def _symbols(robot: Robot) -> Symbols:
    return Symbols(robot, Graph())


def loop_geometry(robot: Robot | str | Path) -> Procedure:
    """The closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers."""
    described = _described(robot)
    return Procedure(model("loop_closure", described), model("loop_step", described))


def mobility(robot: Robot | str | Path) -> Mobility:
    """The kinds of a robot's loops, the rank of their equations, and what is left to move."""
    return robot_mobility(_described(robot))


def singularities(robot: Robot | str | Path, link: int | str | None = None, task: str = "auto") -> Singularities:
    """The factors of the determinant of a link's Jacobian matrix: it is singular where one of them is zero."""
    return robot_singularities(_described(robot), link, task)


def _described(robot: Robot | str | Path) -> Robot:
    described = robot if isinstance(robot, Robot) else load(robot)
    require_valid(described)
    return described
