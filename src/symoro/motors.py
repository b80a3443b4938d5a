"""Models of robots with closed loops as functions of their motors alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit import emit_all
from symoro.emit.newton import Newton
from symoro.emit.selftest import CANDIDATES
from symoro.errors import InputError, NotApplicable
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.model import Model
from symoro.models.loops.motors import from_motors
from symoro.symbols import Symbols

Array = NDArray[Any]


class Closing(Protocol):
    """What closes the loops of a robot: `symoro.assembly.LoopGeometry`."""

    @property
    def step(self) -> Model: ...

    @property
    def method(self) -> Newton | None: ...

    def modes(self) -> Model: ...

    def compile(self, backend: str = ...) -> Any: ...


class FromMotors:
    """A compiled model of a robot with closed loops whose q is completed: f(qa, …) with the active joints alone.

    Of the branches that close the loops it takes that of `guess`, a closed configuration, or else that of `f.assembly`.
    """

    def __init__(self, of: Model, loops: Closing, backend: str = "llvm") -> None:
        self.of, self.loops = of, loops
        self.function, self.assembly = of.compile(backend), loops.compile(backend)
        self._place = [i.name for i in of.program.inputs if not i.optional].index("q")

    @cached_property
    def model(self) -> Model:
        """The same as one program, a model with the inputs qa and `guess`; its output CLOSED is 1 where qa closes.

        Of the ways to close the loops it takes the one nearest to the guess. It exists where the loops have a closed
        form (`LoopGeometry.modes`); else `NotApplicable` is raised.
        """
        program = from_motors(Symbols(self.of.robot, Graph()), self.loops.modes().program, self.of.program)
        title = f"{self.of.title}, from the motors"
        return replace(self.of, program=optimize(program), name=f"{self.of.name}_from_motors", title=title)

    def emit(self, target: str, directory: str | Path, force: bool = False, precision: str = "double") -> list[Path]:
        """Write a package of files in a language; their paths.

        Loops with a closed form are closed inside the function (`model`). For others the package has two functions that
        are called one after the other: the one that closes the loops from a guess, and the model.
        """
        try:
            closed = self.model
        except NotApplicable:
            parts = [replace(self.loops.step.source, method=self.loops.method), self.of.source]
            name = f"{self.of.robot.name}_{self.of.name}_from_motors"
            return emit_all(parts, target, directory, name, force=force, precision=precision)
        return closed.emit(target, directory, force, precision, closing_motors(self.loops.modes()))

    def __call__(
        self,
        *inputs: ArrayLike,
        guess: ArrayLike | None = None,
        values: Mapping[str, float] | None = None,
        **named: Any,
    ) -> Any:
        """The outputs of the model; `qa` stands in the place of q."""
        if len(inputs) <= self._place:
            raise InputError(f"{self.assembly.robot.name}: qa, the positions of the active joints, is missing")
        q = self.assembly(inputs[self._place], guess, values)
        before, behind = inputs[: self._place], inputs[self._place + 1 :]
        return self.function(*before, q, *behind, values=values, **named)


def closing_motors(modes: Model, seed: int = 0) -> Mapping[str, Array]:
    """Positions of the motors that close the loops, for the self-test of generated code; none where few do."""
    drawn = np.random.default_rng(seed).uniform(-1.2, 1.2, (20 * CANDIDATES, *modes.inputs["qa"]))
    found = modes.compile("numpy")(drawn)
    closing = drawn[(found.ok > 0.5).any(-1) & ~((found.free > 0.5) & (found.ok > 0.5)).any(-1)]
    return {"qa": closing[:CANDIDATES]} if len(closing) >= CANDIDATES else {}
