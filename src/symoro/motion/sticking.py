"""Simulation with Coulomb friction that sticks: fixed steps in which friction is found together with the velocities.

After a step of length h the velocities are v⁺ = v_free − h A⁻¹ Bᵀ f. The friction f of a joint that slides is at its
bound, with the sign of its velocity; a joint whose friction is between its bounds sticks. The problem is convex, so
that v⁺ is unique. Each step has two passes, the second one with the models at mid-step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.models.results import Listener
from symoro.motion.controller import Controller
from symoro.motion.dry import DryFriction, at_rest, friction
from symoro.motion.equations import open_rates
from symoro.motion.profiles import Array
from symoro.motion.scenario import Scenario
from symoro.motion.state import values_for
from symoro.runtime import compile_program


def run(scenario: Scenario, say: Listener) -> tuple[Array, Array, Finding | None]:
    """The states and torques of all times up to the end, and why a simulation ended before."""
    if scenario.first.ndim > 1:
        raise MotionError("simulation.one_run", method="sticking")
    step, law = _StickingStep(scenario), _Law(scenario)
    states = np.full((len(scenario.t), scenario.plant.size), np.nan)
    tau = np.zeros((len(scenario.t), scenario.plant.motors))
    y = scenario.first
    for k, t in enumerate(scenario.t):
        states[k] = y
        tau[k] = law(float(t), y)
        if scenario.failure(y[None]) and (failed := scenario.failure(states[: k + 1])):
            end, reason = failed
            return states[:end], tau[:end], Finding("simulation.diverged", time=float(scenario.t[end]), reason=reason)
        if k % 1000 == 0:
            say(Finding("progress.time", time=t, end=scenario.t[-1]))
        y = step(y, tau[k], scenario.others(slice(k, k + 1))[1:])
    return states, tau, None


class _StickingStep:
    """The state of a robot after a period."""

    def __init__(self, scenario: Scenario) -> None:
        self.dry = DryFriction.of(scenario.plant, scenario.values)
        self.h, plant = scenario.period, self.dry.plant
        self.rates = compile_program(open_rates(plant))
        self.right = compile_program(plant.put_right) if plant.drifts else None
        self.known = values_for(self.rates, scenario.values)

    def __call__(self, y: Array, tau: Array, wrench: list[Array]) -> Array:
        declared = self.dry.plant.wrench
        more: dict[str, Any] = {"wrench": wrench[0].reshape(declared.shape)} if wrench and declared else {}
        left, h, v = self.dry.left, self.h, y[self.dry.left]
        later, middle = v, y
        for _ in range(2):
            rate = self.rates(middle, tau, values=self.known, **more)
            later = self._held(middle, v + h * rate[left])
            mean = self.dry.with_velocities(y, (v + later) / 2)
            middle = mean + h / 2 * self._velocities(mean, tau, more)
        if not (v.any() or later.any()):
            return y
        after = y + h * self._velocities(middle, tau, more)
        after = self.dry.with_velocities(after, later)
        return after if self.right is None else np.asarray(self.right(after, values=values_for(self.right, self.known)))

    def _velocities(self, y: Array, tau: Array, more: dict[str, Any]) -> Array:
        """The rates of positions, and 0 for those of velocities."""
        if self.right is None:  # neither loops nor a free base: the rates of q are qd
            rate, place = np.zeros_like(y), self.dry.plant.places
            rate[place["q"]] = y[place["qd"]]
            return rate
        rate = self.rates(y, tau, values=self.known, **more)
        return self.dry.with_velocities(rate, np.zeros(len(self.dry.left)), y)

    def _held(self, y: Array, free: Array) -> Array:
        """The velocities after a step, from those without friction."""
        B, taken = self.dry.accelerating(y)
        held = friction(B @ free, self.h * B @ taken, self.dry.lower, self.dry.upper)
        return at_rest(free - self.h * taken @ held.f, B[held.stuck], taken[:, held.stuck])


class _Law:
    """The controller of a scenario as a function of time and state of the robot; its own states are kept here."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.z = scenario, scenario.start[scenario.plant.size :]
        controller = scenario.controller
        self.compiled = controller.compile() if isinstance(controller, Controller) else None

    def __call__(self, t: float, y: Array) -> Array:
        controller, plant = self.scenario.controller, self.scenario.plant
        if controller is None:
            return np.zeros(plant.motors)
        if self.compiled is None:
            return self.scenario.torques(t, y)
        part = plant.seen(y)
        wanted = dict(zip(("qr", "qrd", "qrdd"), self.scenario.wanted(np.asarray(t)).reshape(3, -1), strict=True))
        signals = {**part, **wanted, "z": self.z}
        outputs = self.compiled(*(signals[name] for name in self.compiled.inputs if name in signals))
        if not len(self.z):
            return np.asarray(outputs)
        self.z = self.z + self.scenario.period * outputs.ZP
        return np.asarray(outputs.GAM)
