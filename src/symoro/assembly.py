"""Loop assembly: the closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ShapeError
from symoro.formats import valid_robot
from symoro.interface import robot_numbers
from symoro.ir.graph import Graph
from symoro.model import Model, model
from symoro.models.loops.assembly import Assembler, Gap
from symoro.models.loops.closing import robot_assembler
from symoro.procedure import Procedure
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.runtime import Function

Array = NDArray[Any]


def loop_geometry(robot: Robot | str | Path) -> LoopGeometry:
    """The closure equations of a robot's loops (K97:2) and the procedure that solves them by numbers."""
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
        step=model("loop_step", described),
        programs={"closure": closure, "slope": closure.derivative("q")},
        make=partial(_assembly, closure.robot),
    )


def _assembly(robot: Robot, compiled: Mapping[str, Function]) -> Assembly:
    return Assembly(robot, compiled["closure"], compiled["slope"])


class LoopGeometry(Procedure["Assembly"]):
    """The procedure that closes loops: `closure` are its equations, `step` is a step of Newton's method."""

    __slots__ = ()

    @property
    def closure(self) -> Model:
        return self.shown


class Assembly:
    """A function f(qa) of the positions of the active joints: it gives a configuration that closes the loops.

    Without a guess it is the branch whose passive joints are nearest to zero. With one, `f(qa, guess=q)` goes from that
    closed configuration to the new positions in steps that stay on its branch. `values` replaces parameters.
    """

    def __init__(self, robot: Robot, closure: Function, slope: Function) -> None:
        self.robot = robot
        self._closure = closure
        self._slope = slope
        self._numbers = robot_numbers(robot)

    def __call__(
        self, qa: ArrayLike, guess: ArrayLike | None = None, values: Mapping[str, float] | None = None
    ) -> Array:
        """q of the whole tree, (..., joints). `CannotClose` is raised where no configuration closes the loops."""
        assembler = self.assembler(values)
        wanted = _checked("qa", qa, len(assembler.active))
        flat = wanted.reshape(-1, wanted.shape[-1])
        if guess is None:
            found = [assembler.assemble(row) for row in flat]
        else:
            near = _checked("guess", guess, len(assembler.turning))
            starts = np.broadcast_to(near, (*wanted.shape[:-1], near.shape[-1])).reshape(len(flat), -1)
            found = [assembler.assemble(row, start) for row, start in zip(flat, starts, strict=True)]
        return np.array(found).reshape(*wanted.shape[:-1], len(assembler.turning))

    def branches(self, qa: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """Every real way to close the loops for these positions: (branches, joints); no row where there is none."""
        assembler = self.assembler(values)
        return assembler.branches(_checked("qa", qa, len(assembler.active)))

    def path(self, start: ArrayLike, qa: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """q at successive positions (n, active) of the active joints, on the branch of the configuration `start`."""
        assembler = self.assembler(values)
        here, found = _checked("start", start, len(assembler.turning)), []
        for row in _checked("qa", qa, len(assembler.active)):
            here = assembler.follow(here, row)
            found.append(here)
        return np.array(found)

    def cut(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """The positions of the cut joints at a closed configuration."""
        found: Array = self._closure(q, values=values).QC
        return found

    def gap(self, q: ArrayLike, values: Mapping[str, float] | None = None) -> Array:
        """The residual E of the closure equations at q: zero where the loops are closed."""
        found: Array = self._closure(q, values=values).E
        return found

    def assembler(self, values: Mapping[str, float] | None = None) -> Assembler:
        """The numeric method behind this function."""
        s = Symbols(self.robot, Graph())

        def gap(q: Array) -> Gap:
            closure = self._closure(q, values=values)
            return Gap(closure.E, self._slope(q, values=values).dE_dq, closure.ALIGN)

        numbers = {name: (values or {}).get(name, self._numbers.get(name, 1.0)) for name in s.parameter_names}
        return robot_assembler(s, gap, numbers, s.passive)


def _checked(name: str, given: ArrayLike, count: int) -> Array:
    """The array; an error where its last axis has not this length."""
    array = np.asarray(given, dtype=float)
    if array.shape[-1:] != (count,):
        raise ShapeError(f"{name} must have shape ({count},) or (..., {count}), not {array.shape}")
    return array
