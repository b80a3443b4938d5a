"""A controller: a law from measured and wanted motions to torques, as a program with its own states.

As code, it comes with the robot that it controls in the self-test of the package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from symoro.emit import NEXT, ClosedLoopArrays, Source
from symoro.errors import MotionError, SamplingWarning
from symoro.findings import Finding
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.model import Model
from symoro.motion.options import PERIOD
from symoro.motion.plant import Plant, period
from symoro.motion.profiles import Array
from symoro.motion.writing import Exprs, Writer
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.runtime import Function


_PERIODS, _MOVE, _OFF = 40, 0.1, 0.02
"""The closed loop of a self-test: its length, how far the motors shall move, and how far they are off at the start."""
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

    def __repr__(self) -> str:
        frequency = f", {self.frequency:.4g} rad/s" if self.frequency else ""
        return f"<Controller {self.model.name} of {self.robot.name}: {self.model.ops}{frequency}>"

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
        prefixes = ("KP", "KD", "KI", "KV", "KN", "LIMIT", "TT")
        parameters = self.model.parameters.items()
        return {name: float(x) for name, x in parameters if x is not None and name.rstrip("0123456789") in prefixes}

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

        PERIOD.checked(period, error=MotionError)
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
        inputs = {"q": measured["q"], "qr": np.broadcast_to(wanted, (*leading, self.motors))}
        states: Array = self.start.compile()(*(inputs[name] for name in self.start.inputs))
        return states

    def warn_if_slow(self, period: float) -> None:
        """A warning where a period is long beside the frequency: the loop is then not what its gains say."""
        if self.frequency * period > SLOW:
            warn(
                SamplingWarning(
                    Finding(
                        "simulation.too_slow",
                        period=period,
                        frequency=self.frequency,
                        product=self.frequency * period,
                        most=SLOW,
                    )
                ),
                stacklevel=3,
            )

    def compile(self, backend: str = "llvm") -> Function:
        """The law as a fast function of its inputs."""
        compiled: Function = self.model.compile(backend)
        return compiled


# code


def sampled(law: Model, length: float) -> Model:
    """The law as a function that is called once in a period: its states after the period are outputs (next_z)."""
    w = Writer()
    inputs = {array.name: w.input(array) for array in law.program.inputs}
    of_law = w.call(law.program, inputs)
    outputs = {"GAM": of_law["GAM"]}
    if "ZP" in of_law:
        T = period(w, length)
        outputs[f"{NEXT}z"] = tuple(z + T * rate for z, rate in zip(inputs["z"], of_law["ZP"], strict=True))
    return replace(law, program=w.program(**outputs))


def moving_robot(plant: Plant, length: float) -> Model:
    """The state of the robot one period later, under torques that are held."""
    w = Writer()
    period(w, length)
    state: Exprs = ()
    for name, size in plant.parts.items():
        state += w.vector(name, size)
    GAM = w.vector("GAM", plant.motors, "torques of the motors")
    wrench = w.input(replace(plant.wrench, optional=True)) if plant.wrench else ()
    after = plant.after_period(w, state, GAM, wrench)
    outputs = {f"{NEXT}{name}": x for name, x in plant.measured(w, after).items()}
    title = "The robot one period later, for the self-test of its control"
    return Model(plant.robot, w.program(**outputs), "motion", title, "")


def closed_loop(law: Model, plant: Plant, length: float, first: Model | None = None) -> ClosedLoopArrays | None:
    """A short motion of the motors that the robot follows, from a start beside it; None where no start is known.

    `first` gives the states of the law at the start, where they are not 0.
    """
    parts = plant.state.rest()
    if parts is None:
        return None
    start = plant.seen(plant.joined(parts, {}))
    m, places = plant.motors, plant.motor_places("q")
    x = np.linspace(0.0, 1.0, _PERIODS)[:, None] * np.ones(m)
    duration = (_PERIODS - 1) * length
    rows = {
        "qr": start["q"][places] + _OFF + _MOVE * (10 * x**3 - 15 * x**4 + 6 * x**5),  # (K13:8.11)
        "qrd": _MOVE * 30 * (x**2 - 2 * x**3 + x**4) / duration,
        "qrdd": _MOVE * 60 * (x - 3 * x**2 + 2 * x**3) / duration**2,
    }
    states = {"z": np.zeros(law.inputs["z"])} if "z" in law.inputs else {}
    if first is not None:
        inputs = {"q": start["q"][places], "qr": rows["qr"][0]}
        known = {name: float(x) for name, x in first.parameters.items() if x is not None}
        states["z"] = evaluate(first.program, {name: inputs[name] for name in first.inputs}, known)["Z0"]
    return ClosedLoopArrays({**start, **states}, rows)


def package_of(
    law: Model, length: float, first: Model | None = None
) -> tuple[Sequence[Source], ClosedLoopArrays | None]:
    """The law, its start and the robot as sources of code, and their closed loop."""
    plant = Plant.of(law.robot)
    loop = closed_loop(law, plant, length, first)
    sources = [sampled(law, length).source, *([] if first is None else [first.source])]
    return ([*sources, moving_robot(plant, length).source], loop) if loop else (sources, None)
