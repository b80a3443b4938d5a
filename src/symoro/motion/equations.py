"""Programs of a simulation: the rates of a state, and a step of Runge and Kutta's method."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symoro.ir.expr import Expr
from symoro.ir.program import Program
from symoro.motion.controller import Controller
from symoro.motion.plant import Plant, period
from symoro.motion.writing import Exprs, Writer

_NO_DIGITS = 3 * 2.0**51
LAW = "_law"
"""Behind the names of the parameters that a controller takes for those of the robot."""


def open_rates(plant: Plant) -> Program:
    """ẏ of the state y for given torques."""
    w, y, tau, wrench = _inputs(plant, None)
    return w.program(rate=plant.rates(w, y, tau, wrench))


def open_step(plant: Plant, substeps: int = 1) -> Program:
    """The state after a step during which the torques are constant."""
    w, y, tau, wrench = _inputs(plant, None)
    return w.program(after=plant.after_period(w, y, tau, wrench, substeps))


def closed_rates(plant: Plant, controller: Controller) -> Program:
    """ẏ of the states of robot and controller, where the controller acts at every instant; and its torques."""
    w, y, reference, wrench = _inputs(plant, controller)
    tau, rates = _law(w, plant, controller, plant.measured(w, y[: plant.size]), y[plant.size :], reference)
    return w.program(rate=(*plant.rates(w, y[: plant.size], tau, wrench), *rates), tau=tau)


def closed_step(
    plant: Plant,
    controller: Controller,
    substeps: int = 1,
    delay: int = 0,
    noisy: bool = False,
    quanta: Mapping[str, float] = MappingProxyType({}),
) -> Program:
    """The states of robot and controller after a period during which the torques are held; and these torques.

    Torques act `delay` periods after they are computed; those on their way are states, too. Where it is noisy, an input
    is added to the q and qd that the controller measures. `quanta` are the steps in which it measures q and qd.
    """
    w, y, reference, wrench = _inputs(plant, controller, delay)
    noise = dict(zip(("q", "qd"), _noise(w, plant), strict=True)) if noisy else {}
    end = plant.size + controller.states
    robot, states, waiting = y[: plant.size], y[plant.size : end], y[end:]
    measured = plant.measured(w, robot)
    measured |= {name: _sum(measured[name], added) for name, added in noise.items()}
    measured |= {name: tuple(_rounded(w, x, name, size) for x in measured[name]) for name, size in quanta.items()}
    computed, rates = _law(w, plant, controller, measured, states, reference)
    waiting = (*waiting, *computed)
    tau, waiting = waiting[: plant.motors], waiting[plant.motors :]
    after, T = plant.after_period(w, robot, tau, wrench, substeps), period(w)
    later = (z + T * rate for z, rate in zip(states, rates, strict=True))
    return w.program(after=(*after, *later, *waiting), tau=tau)


def _noise(w: Writer, plant: Plant) -> tuple[Exprs, Exprs]:
    """What is added to the measured q and qd."""
    sizes = plant.parts["q"], plant.parts["qd"]
    noise = w.vector("noise", sum(sizes))
    return noise[: sizes[0]], noise[sizes[0] :]


def _inputs(plant: Plant, controller: Controller | None, delay: int = 0) -> tuple[Writer, Exprs, Exprs, Exprs]:
    """A writer with the state, the torques or the reference of a controller, and the wrenches."""
    w = Writer()
    y = w.vector("y", plant.size + (controller.states if controller else 0) + delay * plant.motors)
    driven = w.vector("reference", 3 * plant.motors) if controller else w.vector("tau", plant.motors)
    return w, y, driven, w.input(plant.wrench) if plant.wrench else ()


def _law(
    w: Writer, plant: Plant, controller: Controller, measured: Mapping[str, Exprs], states: Exprs, reference: Exprs
) -> tuple[Exprs, Exprs]:
    """The torques of the controller, and the rates of its own states."""
    m = plant.motors
    wanted = {name: reference[m * k : m * (k + 1)] for k, name in enumerate(("qr", "qrd", "qrdd"))}
    outputs = w.call(controller.program, {**measured, **wanted, "z": states}, LAW)
    return outputs["GAM"], outputs.get("ZP", ())


def _sum(a: Exprs, b: Exprs) -> Exprs:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _rounded(w: Writer, x: Expr, name: str, quantum: float) -> Expr:
    """The nearest multiple of a quantum: near 3 · 2⁵¹ a double has no digits behind the point (IEEE 754).

    Both numbers are parameters, so that nothing takes them for a difference that is 0.
    """
    size = w.parameter(f"QUANTUM_{name}", quantum)
    far, back = (w.parameter(f"ROUNDING_{k}", _NO_DIGITS) for k in (1, 2))
    return ((x / size + far) - back) * size
