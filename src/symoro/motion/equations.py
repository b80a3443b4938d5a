"""Programs of a simulation: the rates of a state, a step of Runge and Kutta's method, a state put right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symoro.ir.expr import Expr
from symoro.ir.program import Program
from symoro.motion.controller import Controller
from symoro.motion.plant import Plant
from symoro.motion.writing import Exprs, Writer

STEP = "STEP"
"""The parameter that is the length of a step, in seconds."""
_LAW = "_law"
"""Behind the names of the parameters that a controller takes for those of the robot."""

Rates = Callable[[Sequence[Expr]], Exprs]


def open_rates(plant: Plant) -> Program:
    """ẏ of the state y for given torques."""
    w, y, tau, wrench = _inputs(plant, None)
    return w.program(rate=plant.rates(w, y, tau, wrench))


def open_step(plant: Plant, substeps: int = 1) -> Program:
    """The state after a step during which the torques are constant."""
    w, y, tau, wrench = _inputs(plant, None)
    after = _steps(w, lambda x: plant.rates(w, x, tau, wrench), y, substeps)
    return w.program(after=plant.projected(w, after))


def closed_rates(plant: Plant, controller: Controller) -> Program:
    """ẏ of the states of robot and controller, where the controller acts at every instant; and its torques."""
    w, y, reference, wrench = _inputs(plant, controller)
    tau, rates = _law(w, plant, controller, y, reference)
    return w.program(rate=(*plant.rates(w, y[: plant.size], tau, wrench), *rates), tau=tau)


def closed_step(plant: Plant, controller: Controller, substeps: int = 1) -> Program:
    """The states of robot and controller after a period during which the torques are held; and these torques."""
    w, y, reference, wrench = _inputs(plant, controller)
    tau, rates = _law(w, plant, controller, y, reference)
    robot, states = y[: plant.size], y[plant.size :]
    after = _steps(w, lambda x: plant.rates(w, x, tau, wrench), robot, substeps)
    period = w.parameter(STEP, 1e-3)
    later = (z + period * rate for z, rate in zip(states, rates, strict=True))
    return w.program(after=(*plant.projected(w, after), *later), tau=tau)


def put_right(plant: Plant) -> Program:
    """The state with a unit quaternion and closed loops."""
    w = Writer()
    return w.program(after=plant.projected(w, w.vector("y", plant.size)))


def _inputs(plant: Plant, controller: Controller | None) -> tuple[Writer, Exprs, Exprs, Exprs]:
    """A writer with the state, the torques or the reference of a controller, and the wrenches."""
    w = Writer()
    y = w.vector("y", plant.size + (controller.states if controller else 0))
    driven = w.vector("reference", 3 * plant.motors) if controller else w.vector("tau", plant.motors)
    return w, y, driven, w.input(plant.wrench) if plant.wrench else ()


def _law(w: Writer, plant: Plant, controller: Controller, y: Exprs, reference: Exprs) -> tuple[Exprs, Exprs]:
    """The torques of the controller, and the rates of its own states."""
    m = plant.motors
    wanted = {name: reference[m * k : m * (k + 1)] for k, name in enumerate(("qr", "qrd", "qrdd"))}
    found = w.call(controller.program, {**plant.split(y), **wanted, "z": y[plant.size :]}, _LAW)
    return found["GAM"], found.get("ZP", ())


def _steps(w: Writer, rates: Rates, y: Exprs, count: int) -> Exprs:
    """Steps of the classical method of Runge and Kutta, of order 4."""
    h = w.parameter(STEP, 1e-3) / count
    for _ in range(count):
        k1 = rates(y)
        k2 = rates(_moved(y, h / 2, k1))
        k3 = rates(_moved(y, h / 2, k2))
        k4 = rates(_moved(y, h, k3))
        mean = tuple(a + 2 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        y = _moved(y, h / 6, mean)
    return y


def _moved(y: Exprs, h: Expr, rate: Exprs) -> Exprs:
    return tuple(x + h * k for x, k in zip(y, rate, strict=True))
