"""Simulation by SciPy's solvers with adaptive steps, for controllers that act at every instant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from symoro.errors import MotionError
from symoro.motion.controller import Controller
from symoro.motion.equations import closed_rates, open_rates, put_right
from symoro.motion.profile import Array
from symoro.motion.scenario import Scenario
from symoro.runtime import compile_program

ONE_STEP = ("DOP853", "RK45", "RK23")
"""The solvers that can go on from a state that was put right."""
METHODS = (*ONE_STEP, "Radau", "BDF", "LSODA")
_SHORTEST = 1e-12


def run(scenario: Scenario, method: str, tolerances: tuple[float, float]) -> tuple[Array, Array, str]:
    """The states and torques of all times up to the end, and why a simulation ended before."""
    plant = scenario.plant
    if scenario.first.ndim > 1:
        raise MotionError(f"{method} takes one run; a batch needs the method rk4")
    if plant.drifts and method not in ONE_STEP:
        raise MotionError(f"{method} cannot keep loops closed or quaternions unit (allowed: {', '.join(ONE_STEP)})")
    rates = _rates(scenario)
    right = compile_program(put_right(plant)) if plant.drifts else None
    states, why = _solved(scenario, method, tolerances, rates, _putting_right(scenario, right))
    if right is not None:
        states[:, : plant.size] = right(states[:, : plant.size], values=_own(scenario, right))
    return states, _torques(scenario, states), why


def _rates(scenario: Scenario) -> Callable[[float, Array], Array]:
    """ẏ as a function of time and state."""
    plant, controller = scenario.plant, scenario.controller
    more: dict[str, Any] = _wrench(scenario)
    if isinstance(controller, Controller):
        closed = compile_program(closed_rates(plant, controller))
        known = _own(scenario, closed)
        return lambda t, y: closed(y, scenario.wanted(np.asarray(t)), values=known, **more).rate
    free = compile_program(open_rates(plant))
    known, none, places = _own(scenario, free), np.zeros(plant.motors), plant.places
    if controller is None:
        return lambda t, y: free(y, none, values=known, **more)
    return lambda t, y: free(y, controller(t, y[places["q"]], y[places["qd"]]), values=known, **more)


def _wrench(scenario: Scenario) -> dict[str, Any]:
    if scenario.wrench.ndim > 1:
        raise MotionError("a wrench that changes with time needs the method rk4")
    return {"wrench": scenario.wrench.reshape(-1, 6)} if scenario.plant.wrench else {}


def _own(scenario: Scenario, function: Any) -> dict[str, float]:
    return {name: x for name, x in scenario.values.items() if name in function.parameters.known}


def _putting_right(scenario: Scenario, right: Any) -> Callable[[Array], Array] | None:
    if right is None:
        return None
    size, known = scenario.plant.size, _own(scenario, right)
    return lambda y: np.concatenate([right(y[:size], values=known), y[size:]])


def _solved(
    scenario: Scenario,
    method: str,
    tolerances: tuple[float, float],
    rates: Callable[[float, Array], Array],
    right: Callable[[Array], Array] | None,
) -> tuple[Array, str]:
    """The states at all times; the state of the solver is put right after each of its steps."""
    first = np.concatenate([scenario.first, np.zeros(scenario.states)])
    solver = getattr(scipy.integrate, method)(rates, 0.0, first, scenario.t[-1], rtol=tolerances[0], atol=tolerances[1])
    states, done, why = np.empty((len(scenario.t), len(first))), 1, ""
    states[0] = first
    while solver.status == "running" and not why:
        message = solver.step()
        if solver.status == "failed" or solver.step_size < _SHORTEST * scenario.t[-1]:
            why = f"the solver gave up at t = {solver.t:.6g} s: {message or 'its steps are too short'}"
            break
        until = int(np.searchsorted(scenario.t, solver.t, side="right"))
        states[done:until] = solver.dense_output()(scenario.t[done:until]).T
        done = until
        if right is not None:
            solver.y = right(solver.y)
            solver.f = rates(solver.t, solver.y)
        failed = scenario.failure(solver.y[None])
        if failed:
            why = f"the simulation diverged at t = {solver.t:.6g} s: {failed[1]}"
    return states[:done], why


def _torques(scenario: Scenario, states: Array) -> Array:
    """The torques of the motors at each row."""
    controller, t, places = scenario.controller, scenario.t[: len(states)], scenario.plant.places
    if isinstance(controller, Controller):
        closed = compile_program(closed_rates(scenario.plant, controller))
        known = _own(scenario, closed)
        found: Array = closed(states, scenario.wanted(t), values=known, **_wrench(scenario)).tau
        return found
    if controller is None:
        return np.zeros((len(t), scenario.plant.motors))
    rows = [controller(float(x), y[places["q"]], y[places["qd"]]) for x, y in zip(t, states, strict=True)]
    return np.array(rows, dtype=float).reshape(len(t), scenario.plant.motors)
