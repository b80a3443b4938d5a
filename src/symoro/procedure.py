"""What iterates: programs and the driver that calls them, behind the same surface as a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from symoro.ir.ops import OpCount
from symoro.model import Model
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.emit.newton import Newton
    from symoro.runtime import Function

F = TypeVar("F")


@dataclass(frozen=True, slots=True, repr=False)
class Procedure(Generic[F]):
    """A numeric method that evaluates programs repeatedly: read it, count it, write a step as code, or run it.

    `driver` is the name of the method and `programs` are what it evaluates; `make` takes these programs, compiled, and
    gives the function that a user calls. `shown` has the equations that are solved; `step` is one iteration.
    """

    robot: Robot
    name: str
    title: str
    citation: str
    driver: str
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    shown: Model
    step: Model
    programs: Mapping[str, Model]
    make: Callable[[Mapping[str, Function]], F] = field(compare=False, repr=False)
    #: What repeats the step in generated code.
    method: Newton | None = None

    def __repr__(self) -> str:
        given, found = (", ".join(f"{n}{list(shape)}" for n, shape in of.items()) for of in (self.inputs, self.outputs))
        return f"<Procedure {self.name} of {self.robot.name}, by {self.driver}: {given} -> {found}; a step {self.ops}>"

    def _repr_html_(self) -> str:
        return self.shown._repr_html_()

    def _repr_latex_(self) -> str:
        return self.shown._repr_latex_()

    @property
    def ops(self) -> OpCount:
        """Operations of one step."""
        return self.step.ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return self.step.setup_ops

    def equations(self) -> list[tuple[str, str]]:
        """The equations that are solved: every named variable and its right side, in order."""
        return self.shown.equations()

    def latex(self, *, expanded: bool = False) -> str:
        """The equations in LaTeX, with intermediate variables or expanded."""
        return self.shown.latex(expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        """The equations as SymPy expressions of inputs and parameters."""
        return self.shown.to_sympy()

    def emit(self, target: str, directory: str | Path, force: bool = False, precision: str = "double") -> list[Path]:
        """Write the step and the driver that repeats it as a package of files, in a real programming language.

        In other languages (`jax`, `casadi`, `latex` …) the step alone: called again with its own result, it solves the
        equations.
        """
        from symoro.emit import emit_all
        from symoro.emit import target as language

        method = self.method if language(target, precision).iterates else None
        source = replace(self.step.source, method=method)
        return emit_all([source], target, directory, force=force, precision=precision)

    def compile(self, backend: str = "llvm") -> F:
        """A function of the inputs that runs the method with its programs compiled."""
        return self.make({name: program.compile(backend) for name, program in self.programs.items()})
