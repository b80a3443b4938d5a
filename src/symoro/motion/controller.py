"""A controller: a law from measured and wanted motions to torques, as a program with its own states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from symoro.errors import MotionError, SamplingWarning
from symoro.ir.program import Program
from symoro.model import Model
from symoro.motion.as_code import package_of
from symoro.motion.profile import Array
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.runtime import Function


SLOW = 0.1
"""The greatest product of frequency and period without a warning: with a delay of two samples 0.26 is unstable."""


@dataclass(frozen=True, slots=True)
class Controller:
    """A law of K13 chapter 9. `model` is its program: read it, count it, write it as code, or run it.

    Its inputs are the state of the robot (q, qd, of a floating base quat and V0), the wanted motion of the motors (qr,
    qrd, qrdd) and, where it has states, z. Its outputs are the torques GAM and the rates ZP of its states: a loop with
    period T adds T · ZP to z in each step. z begins at 0, or where `start` says. Its gains are parameters.
    """

    model: Model
    start: Model | None = None
    """Z0, the states at the start for the measured q and the wanted qr; without it they are 0."""
    frequency: float = 0.0
    """The greatest frequency of its errors in rad/s, where it is known: its period must be short beside it."""

    @property
    def robot(self) -> Robot:
        return self.model.robot

    @property
    def program(self) -> Program:
        return self.model.program

    @property
    def states(self) -> int:
        """The number of its own states: integrals of errors."""
        return self.model.inputs.get("z", (0,))[0]

    @property
    def motors(self) -> int:
        """The number of its torques."""
        return self.model.outputs["GAM"][0]

    @property
    def gains(self) -> Mapping[str, float]:
        """Its own parameters, without those of the robot."""
        own = ("KP", "KD", "KI", "KV", "KN", "LIMIT", "TT")
        found = self.model.parameters.items()
        return {name: float(x) for name, x in found if x is not None and name.rstrip("0123456789") in own}

    def emit(
        self,
        target: str,
        directory: str | Path,
        force: bool = False,
        precision: str = "double",
        period: float = 1e-3,
    ) -> list[Path]:
        """Write the law as a package of files in a language; their paths. All files are written, or none.

        Its function is called once in a period: beside the torques it gives the states after the period, `next_z`,
        which the next call takes as `z`. The first call takes 0, or what the function of `start` gives. The length of
        the period is the parameter STEP. In a programming language, the package also has the robot, as a function that
        moves it by a period, and its self-test runs both in a closed loop. `force` and `precision` are as in
        `Model.emit`.
        """
        from symoro.emit import emit_all
        from symoro.emit import target as language

        if not (isinstance(period, int | float) and isfinite(period) and period > 0):
            raise MotionError(f"period = {period!r} is not a time (allowed: more than 0 seconds)")
        self.warn_if_slow(period)
        sources, loop = package_of(self.model, period, self.start)
        if not language(target, precision).iterates:
            sources, loop = sources[: 1 if self.start is None else 2], None
        name = sources[0].name
        return emit_all(sources, target, directory, name, sources[0].title, force, precision, loop)

    def first_states(self, measured: Mapping[str, Array], wanted: Array) -> Array:
        """z at the start, (..., states), for what is measured, (..., elements), and the wanted positions."""
        leading = measured["q"].shape[:-1]
        if self.start is None:
            return np.zeros((*leading, self.states))
        given = {"q": measured["q"], "qr": np.broadcast_to(wanted, (*leading, self.motors))}
        found: Array = self.start.compile()(*(given[name] for name in self.start.inputs))
        return found

    def warn_if_slow(self, period: float) -> None:
        """A warning where a period is long beside the frequency: the loop is then not what its gains say."""
        if self.frequency * period > SLOW:
            warn(
                f"a period of {period:g} s is long for errors of {self.frequency:g} rad/s: the frequency times the "
                f"period is {self.frequency * period:.2g} (advised: up to {SLOW}); the loop may be unstable",
                SamplingWarning,
                stacklevel=3,
            )

    def compile(self, backend: str = "llvm") -> Function:
        """The law as a fast function of its inputs."""
        return self.model.compile(backend)
