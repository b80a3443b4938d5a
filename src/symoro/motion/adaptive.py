"""Simulation by SciPy's solvers with adaptive steps, for controllers that act at every instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.models.results import Listener
from symoro.motion.controller import Controller
from symoro.motion.equations import closed_rates, open_rates
from symoro.motion.profiles import Array
from symoro.motion.scenario import Scenario
from symoro.motion.state import values_for
from symoro.runtime import compile_program

ONE_STEP = ("DOP853", "RK45", "RK23")
"""The solvers that can go on from a state that was put right."""
METHODS = (*ONE_STEP, "Radau", "BDF", "LSODA")
_SHORTEST = 1e-9
"""Where a step is a smaller part of the time, a solver gives up: it would need a billion of them."""


def run(
    scenario: Scenario, method: str, tolerances: tuple[float, float], say: Listener
) -> tuple[Array, Array, Finding | None]:
    """The states and torques of all times up to the end, and why a simulation ended before that."""
    plant = scenario.plant
    if scenario.first.ndim > 1:
        raise MotionError("simulation.one_run", method=method)
    if plant.drifts and method not in ONE_STEP:
        raise MotionError("simulation.drifts", method=method, allowed=ONE_STEP)
    right = putting_right(scenario)
    states, why = _solved(scenario, method, tolerances, right, say)
    states = states if right is None else right(states)
    return states, torques(scenario, states), why


def rates(scenario: Scenario) -> Callable[[float, Array], Array]:
    """ẏ as a function of time and state."""
    plant, controller = scenario.plant, scenario.controller
    if isinstance(controller, Controller):
        closed = compile_program(closed_rates(plant, controller))
        known = values_for(closed, scenario.values)
        return lambda t, y: closed(y, scenario.wanted(np.asarray(t)), values=known, **_wrench(scenario, t)).rate
    free = compile_program(open_rates(plant))
    known, none = values_for(free, scenario.values), np.zeros(plant.motors)
    if controller is None:
        return lambda t, y: free(y, none, values=known, **_wrench(scenario, t))

    def driven(t: float, y: Array) -> Array:
        rate: Array = free(y, scenario.torques(t, y), values=known, **_wrench(scenario, t))
        return rate

    return driven


def _wrench(scenario: Scenario, t: float) -> dict[str, Any]:
    return {"wrench": scenario.pushed(t)} if scenario.plant.wrench else {}


def putting_right(scenario: Scenario) -> Callable[[Array], Array] | None:
    """What closes the loops of states (..., size) and makes their quaternions unit; None where nothing drifts."""
    if not scenario.plant.drifts:
        return None
    right, size = compile_program(scenario.plant.put_right), scenario.plant.size
    known = values_for(right, scenario.values)
    return lambda y: np.concatenate([right(y[..., :size], values=known), y[..., size:]], axis=-1)


def _solved(
    scenario: Scenario,
    method: str,
    tolerances: tuple[float, float],
    right: Callable[[Array], Array] | None,
    say: Listener,
) -> tuple[Array, Finding | None]:
    """The states at all times; the state of the solver is put right after each of its steps."""
    first, law = scenario.start, rates(scenario)
    solver = getattr(scipy.integrate, method)(law, 0.0, first, scenario.t[-1], rtol=tolerances[0], atol=tolerances[1])
    states, done = np.empty((len(scenario.t), len(first))), 1
    why: Finding | None = None
    states[0] = first
    while solver.status == "running" and why is None:
        message = solver.step()
        short = (
            solver.status == "running" and solver.step_size < _SHORTEST * scenario.t[-1]
        )  # the last one may be short
        if solver.status == "failed" or short:
            why = Finding("simulation.gave_up", time=solver.t, reason=message or Finding("simulation.short_steps"))
            break
        until = int(np.searchsorted(scenario.t, solver.t, side="right"))
        states[done:until] = solver.dense_output()(scenario.t[done:until]).T
        done = until
        say(Finding("progress.time", time=solver.t, end=scenario.t[-1]))
        if right is not None:
            solver.y = right(solver.y)
            solver.f = law(solver.t, solver.y)
        if failed := scenario.failure(solver.y[None]):
            done = (scenario.failure(states[:done]) or (done, None))[0]
            why = Finding("simulation.diverged", time=solver.t, reason=failed[1])
    return states[:done], why


def torques(scenario: Scenario, states: Array) -> Array:
    """The torques of the motors at each row."""
    controller, t = scenario.controller, scenario.t[: len(states)]
    if isinstance(controller, Controller):
        closed = compile_program(closed_rates(scenario.plant, controller))
        known = values_for(closed, scenario.values)
        tau: Array = closed(states, scenario.wanted(t), values=known).tau  # wrenches do not change the law
        return tau
    if controller is None:
        return np.zeros((len(t), scenario.plant.motors))
    rows = [scenario.torques(float(x), y) for x, y in zip(t, states, strict=True)]
    return np.array(rows, dtype=float).reshape(len(t), scenario.plant.motors)
