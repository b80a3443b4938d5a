"""Models as functions of the motors alone: what closes a robot is found first, then the model is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit import Source, emit_all
from symoro.emit.selftest import CANDIDATES
from symoro.errors import InputError, NotApplicable
from symoro.findings import Argument, Finding
from symoro.ir.program import Program
from symoro.model import FROM_MOTORS, Driver, Model
from symoro.models.identity import as_identifier
from symoro.robot.robot import MOTORS, Robot
from symoro.solve.solver import Values

Array = NDArray[Any]
#: The inputs that are found for the motors, and the inputs in their places.
_MOTORS = {"q": "qa", "T": "qa", "q_end": "qa_end", "T_end": "qa_end"}


class Closing(Protocol):
    """What finds q of closed loops, or the pose T of a platform, for positions of the motors."""

    @property
    def motors(self) -> int:
        """Their number."""

    @property
    def beside(self) -> Sequence[int]:
        """The places in qa of the motors that move nothing that is closed: of joints beside the legs of a platform."""

    @property
    def code(self) -> Source:
        """What does so in generated code: a step, and what repeats it."""

    def closing(self, backend: str) -> Callable[[ArrayLike, ArrayLike | None, Values | None], Array]:
        """What does so in Python: a function of qa, a guess and values."""

    def closing_motors(self) -> Mapping[str, Array]:
        """Positions of the motors for the self-test of generated code, where a program finds all of it."""


def no_joints_in(of: Model, robot: Robot) -> Finding:
    """Why a model is none of the joints of a robot."""
    if of.robot.taking(None) == robot:
        return Finding("positions.no_q")
    return Finding("positions.of_another", robot=of.robot.name)


def model_of_motors(of: Model, closing: Closing, program: Program | None = None, at: Model | None = None) -> Model:
    """The model `of` q as one of the motors: qa is in the place of q.

    `program` is all of it, with an optional `guess` and the output CLOSED, which is 1 where qa closes. Without one,
    the program is that of the model `at` what the closing finds: q, or a pose of the platform.
    """
    at = replace(at or of, options={**of.options, "given": None})
    return replace(
        of,
        robot=of.robot.taking(MOTORS),
        program=program or at.program,
        name=f"{of.name}{FROM_MOTORS}",
        title=f"{of.title}, from the motors",
        options={**of.options, "given": MOTORS},
        driver=ClosingDriver(at, closing, program is not None),
    )


@dataclass(frozen=True)
class ClosingDriver(Driver):
    """What computes a model `of` a robot from its motors; `closed` where one program does."""

    of: Model
    closes: Closing
    closed: bool = True

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        if self.closed:
            return super().inputs(of)
        return {
            _MOTORS.get(n, n): (self.closes.motors,) if n in _MOTORS else shape for n, shape in self.of.inputs.items()
        }

    def require_program(self, of: Model) -> None:
        if not self.closed:
            raise NotApplicable("positions.iterated", model=of.name, robot=of.robot.name, option=Argument("given"))

    def sources(self, of: Model) -> list[Source]:
        """What is written as code: one function, or what closes the robot from a guess, and the model."""
        if self.closed:
            motors = dict(self.closes.closing_motors())
            if motors and "qa_end" in of.inputs:
                motors["qa_end"] = np.roll(motors["qa"], 1, axis=0)
            return [replace(replace(of, driver=None).source, inputs=motors)]
        return [self.closes.code, self.of.source]

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """Write a package of files in a language; their paths.

        What has a closed form is closed inside the function. For others the package has two functions that are called
        one after the other: the one that closes the robot from a guess, and the model.
        """
        name = "" if self.closed else as_identifier(of.label)
        return emit_all(self.sources(of), target, directory, name, force=force, precision=precision)

    def compile(self, of: Model, backend: str) -> OfMotors:
        """The function f(qa, …)."""
        return OfMotors(self.of, self.closes.closing(backend), self.closes.beside, backend)


class OfMotors:
    """A compiled model whose q or T is found: f(qa, …) with the positions of the motors alone.

    Of the ways to assemble the robot it takes that of `guess`, a closed configuration of loops or a pose of the
    platform, or else that of `f.assembly`. Where a motion has two states, the second one is assembled as the first.
    """

    def __init__(self, of: Model, assembly: Any, beside: Sequence[int] = (), backend: str = "llvm") -> None:
        self.function, self.assembly = of.compile(backend), assembly
        self.robot, self._beside = of.robot, list(beside)
        self._names = [i.name for i in of.program.inputs if not i.optional]
        self.inputs = list(dict.fromkeys(_MOTORS.get(name, name) for name in self._names))
        self._motors = [name for name in self.inputs if name in _MOTORS.values()]

    def __repr__(self) -> str:
        outputs = ", ".join(output.name for output in self.function.program.outputs)
        return f"<OfMotors of {self.robot.name}: {', '.join(self.inputs)} -> {outputs}>"

    def __call__(
        self,
        *inputs: ArrayLike,
        guess: ArrayLike | None = None,
        values: Values | None = None,
        **named: Any,
    ) -> Any:
        """The outputs of the model; `qa` stands in the place of q or T."""
        arguments = dict(zip(self.inputs, inputs, strict=False)) | named
        for motors in self._motors:
            if motors not in arguments:
                raise InputError("positions.no_motors", robot=self.robot.name, name=motors)
            names, qa = [name for name in self._names if _MOTORS.get(name) == motors], arguments.pop(motors)
            arguments[names[0]] = guess = self.assembly(qa, guess, values)
            arguments |= {name: np.asarray(qa, dtype=float)[..., self._beside] for name in names[1:]}
        return self.function(*inputs[len(self.inputs) :], **arguments, values=values)


def closing_motors(modes: Model, seed: int = 0) -> Mapping[str, Array]:
    """Positions of the motors that close the loops, for the self-test of generated code; none where few do."""
    drawn = np.random.default_rng(seed).uniform(-1.2, 1.2, (20 * CANDIDATES, *modes.inputs["qa"]))
    branches = modes.compile("numpy")(drawn)
    closing = drawn[(branches.ok > 0.5).any(-1) & ~((branches.free > 0.5) & (branches.ok > 0.5)).any(-1)]
    return {"qa": closing[:CANDIDATES]} if len(closing) >= CANDIDATES else {}
