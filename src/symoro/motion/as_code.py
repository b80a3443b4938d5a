"""Controllers as code: a law with its states, and the robot that it controls in the self-test of the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from symoro.emit import NEXT, Loop, Source
from symoro.errors import CannotClose
from symoro.ir.evaluate import evaluate
from symoro.model import Model
from symoro.models.loops.closing import closed_configurations
from symoro.models.loops.constraint import Loops
from symoro.motion.plant import Plant
from symoro.motion.platform_plant import PlatformPlant, plant_of
from symoro.motion.platform_start import first_of_platform
from symoro.motion.profile import Array
from symoro.motion.runge_kutta import period, steps
from symoro.motion.writing import Exprs, Writer

_PERIODS, _MOVE, _OFF = 40, 0.1, 0.02
"""The closed loop of a self-test: its length, how far the motors shall move, and how far they are off at the start."""


def sampled(law: Model, length: float) -> Model:
    """The law as a function that is called once in a period: its states after the period are outputs (next_z)."""
    w = Writer()
    given = {array.name: w.input(array) for array in law.program.inputs}
    found = w.call(law.program, given)
    outputs = {"GAM": found["GAM"]}
    if "ZP" in found:
        T = period(w, length)
        outputs[f"{NEXT}z"] = tuple(z + T * rate for z, rate in zip(given["z"], found["ZP"], strict=True))
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
    after = plant.projected(w, steps(w, lambda y: plant.rates(w, y, GAM, wrench), state))
    outputs = {f"{NEXT}{name}": x for name, x in plant.measured(w, after).items()}
    title = "The robot one period later, for the self-test of its control"
    return Model(plant.robot, w.program(**outputs), "motion", title, "")


def closed_loop(law: Model, plant: Plant, length: float, first: Model | None = None) -> Loop | None:
    """A short motion of the motors that the robot follows, from a start beside it; None where no start is known.

    `first` gives the states of the law at the start, where they are not 0.
    """
    start = _start(plant)
    if start is None:
        return None
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
        given = {"q": start["q"][places], "qr": rows["qr"][0]}
        known = {name: float(x) for name, x in first.parameters.items() if x is not None}
        states["z"] = evaluate(first.program, {name: given[name] for name in first.inputs}, known)["Z0"]
    return Loop({**start, **states}, rows)


def _start(plant: Plant) -> dict[str, Array] | None:
    """The robot at rest; closed loops at some closed configuration, platforms at home."""
    if isinstance(plant, PlatformPlant):
        return plant.seen(first_of_platform(plant, None, {}, {}))
    state = {name: np.zeros(size) for name, size in plant.parts.items()}
    if "quat" in state:
        state["quat"][3] = 1.0
    if plant.robot.cuts:
        try:
            closed = closed_configurations(plant.symbols, Loops(plant.symbols).every, count=1)
        except CannotClose:
            return None
        if closed is None:
            return None
        state["q"] = np.asarray(closed[0], dtype=float)
    return state


def package_of(law: Model, length: float, first: Model | None = None) -> tuple[Sequence[Source], Loop | None]:
    """The law, its start and the robot as sources of code, and their closed loop."""
    plant = plant_of(law.robot)
    loop = closed_loop(law, plant, length, first)
    sources = [sampled(law, length).source, *([] if first is None else [first.source])]
    return ([*sources, moving_robot(plant, length).source], loop) if loop else (sources, None)
