"""Simulation with Coulomb friction that sticks, by events: exact to the tolerances of an adaptive solver.

Between events each joint with dry friction slides in one direction, or sticks. It stops sliding where its velocity is
0, and slips where the friction that holds it reaches a bound. After an event all joints at rest are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.integrate

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.models.results import Listener
from symoro.motion import adaptive
from symoro.motion.dry import DryFriction, at_rest, friction, redundant
from symoro.motion.profiles import Array
from symoro.motion.scenario import Scenario

Rates = Callable[[float, Array], Array]
_LOOKS = 4
"""How often a step of the solver is looked at: an event that begins and ends between two looks is not seen."""
_HALVINGS, _MOST = 50, 100_000
"""Halvings of the interval in which an event lies, and events of a simulation."""


def run(scenario: Scenario, tolerances: tuple[float, float], say: Listener) -> tuple[Array, Array, Finding | None]:
    """The states and torques of all times up to the end, and why a simulation ended before."""
    if scenario.first.ndim > 1:
        raise MotionError("simulation.one_run", method="stick-slip")
    dry = DryFriction.of(scenario.plant, scenario.values)
    smooth = replace(scenario, plant=dry.plant)
    robot = _Robot(dry, adaptive.rates(smooth), adaptive.putting_right(smooth))
    states, why = _run(scenario, robot, tolerances, say)
    return states, adaptive.torques(smooth, states), why


@dataclass(frozen=True)
class _Robot:
    """A robot with joints that stick and slide."""

    dry: DryFriction
    smooth: Rates
    """ẏ without dry friction."""
    right: Callable[[Array], Array] | None

    def rates(self, modes: Array) -> Rates:
        """ẏ while each joint slides forward (1) or backward (−1), or sticks (0)."""

        def rates(t: float, y: Array) -> Array:
            rate = np.array(self.smooth(t, y))
            f, _, taken = self.forces(rate, y, modes)
            return self.dry.with_velocities(rate, rate[self.dry.left] - taken @ f, y)

        return rates

    def forces(self, rate: Array, y: Array, modes: Array) -> tuple[Array, Array, Array]:
        """Friction, with B and A⁻¹ Bᵀ: that of a joint which sticks keeps B v at 0."""
        B, taken = self.dry.accelerating(y[: self.dry.plant.size])
        f = np.where(modes > 0, self.dry.upper, np.where(modes < 0, self.dry.lower, 0.0))
        stuck = modes == 0
        if stuck.any():
            pull = B @ (rate[self.dry.left] - taken @ f) + self._turning(y, rate)
            f[stuck] = np.linalg.lstsq((B @ taken)[np.ix_(stuck, stuck)], pull[stuck], rcond=1e-12)[0]
        return f, B, taken

    def _turning(self, y: Array, rate: Array) -> Array:
        """Ḃ v, by a difference along the motion; B of a robot without loops is constant."""
        if self.dry.constant:
            return np.zeros(len(self.dry.places))
        step = 1e-6 / (1 + np.abs(rate[self.dry.plant.places["q"]]).max())
        change = self.dry.directions(y + step * rate) - self.dry.directions(y - step * rate)
        return np.asarray(change @ y[self.dry.left] / (2 * step))

    def margins(self, t: float, y: Array, modes: Array) -> Array:
        """What is left of each mode: the speed of a joint that slides, the distance of friction from its bounds."""
        rate, stuck = self.smooth(t, y), modes == 0
        f, B, taken = self.forces(rate, y, modes)
        u, W = B @ y[self.dry.left], (B @ taken)[np.ix_(stuck, stuck)]
        left = np.where(stuck, np.minimum(self.dry.upper - f, f - self.dry.lower), modes * u)
        if stuck.any() and redundant(W):  # they share what they hold in many ways
            held = friction(W @ f[stuck], W, self.dry.lower[stuck], self.dry.upper[stuck])
            left[stuck] = np.where(held.stuck, 1.0, -1.0)
        return np.asarray(left)

    def stopped(self, y: Array, still: Array) -> Array:
        """The state with joints at rest."""
        B, taken = self.dry.accelerating(y[: self.dry.plant.size])
        return self.dry.with_velocities(y, at_rest(y[self.dry.left], B[still], taken[:, still]))

    def modes(self, t: float, y: Array, still: Array) -> Array:
        """How the joints go on from a state: those at rest stick if friction can hold all that it must."""
        rate, none = self.smooth(t, y), np.zeros(len(still))
        _, B, taken = self.forces(rate, y, none + 1)
        sliding = np.where(still, 0.0, np.sign(B @ y[self.dry.left]))
        f = np.where(sliding > 0, self.dry.upper, np.where(sliding < 0, self.dry.lower, 0.0))
        pull = B @ (rate[self.dry.left] - taken @ f) + self._turning(y, rate)
        W = (B @ taken)[np.ix_(still, still)]
        held = friction(pull[still], W, self.dry.lower[still], self.dry.upper[still])
        forward = held.f >= (self.dry.lower + self.dry.upper)[still] / 2
        sliding[still] = np.where(held.stuck, 0.0, np.where(forward, 1.0, -1.0))
        return sliding


def _run(
    scenario: Scenario, robot: _Robot, tolerances: tuple[float, float], say: Listener
) -> tuple[Array, Finding | None]:
    t, y, end = 0.0, scenario.start, float(scenario.t[-1])
    B = robot.dry.directions(y)
    still = np.abs(B @ y[robot.dry.left]) == 0
    states, done = np.full((len(scenario.t), len(y)), np.nan), 1
    states[0] = y
    for _ in range(_MOST):
        modes = robot.modes(t, y, still)
        for begin, later, dense, event in _steps(robot, t, y, end, modes, tolerances):
            if dense is None:
                return states[:done], _gave_up(t, Finding("simulation.short_steps"))
            until = int(np.searchsorted(scenario.t, later + 1e-12 * end, side="right"))
            for k in range(done, until):
                states[k] = _kept(robot, dense(scenario.t[k]), modes)
            t, y, done = later, dense(later) if robot.right is None else robot.right(dense(later)), max(done, until)
            if failed := scenario.failure(y[None, : scenario.plant.size]):
                done = (scenario.failure(states[:done]) or (done, None))[0]
                return states[:done], Finding("simulation.diverged", time=t, reason=failed[1])
            if later - begin < 1e-14 * end and not event.any():
                return states[:done], _gave_up(t, Finding("simulation.short_steps"))
            still = (modes == 0) | event
        say(Finding("progress.time", time=t, end=end))
        if t >= end * (1 - 1e-14):
            return states[:done], None
        y = robot.stopped(y, still)
    return states[:done], _gave_up(t, Finding("simulation.many_events", most=_MOST))


def _gave_up(t: float, reason: Finding) -> Finding:
    return Finding("simulation.gave_up", time=t, reason=reason)


def _kept(robot: _Robot, y: Array, modes: Array) -> Array:
    """A state between the steps of the solver: loops closed, and joints that stick exactly at rest."""
    return robot.stopped(y if robot.right is None else robot.right(y), modes == 0)


def _steps(robot: _Robot, t: float, y: Array, end: float, modes: Array, tolerances: tuple[float, float]) -> Any:
    """Steps of the solver up to an event: begin, end, states between, and the joints that the event concerns.

    There are no states between where the solver fails.
    """
    rates = robot.rates(modes)
    solver = scipy.integrate.DOP853(rates, t, y, end, rtol=tolerances[0], atol=tolerances[1])
    while solver.status == "running":
        solver.step()
        if solver.status == "failed":
            yield solver.t_old, solver.t, None, np.zeros(len(modes), dtype=bool)
            return
        dense = solver.dense_output()
        event = _event(robot, dense, solver.t_old, solver.t, modes)
        if event is not None:
            yield solver.t_old, event[0], dense, event[1]
            return
        yield solver.t_old, solver.t, dense, np.zeros(len(modes), dtype=bool)
        if robot.right is not None:
            solver.y = robot.right(solver.y)
            solver.f = rates(solver.t, solver.y)


def _event(robot: _Robot, dense: Any, begin: float, end: float, modes: Array) -> tuple[float, Array] | None:
    """The first time at which a joint changes between sticking and sliding, just after it, and these joints."""
    low = begin
    for high in np.linspace(begin, end, _LOOKS + 1)[1:]:
        if (robot.margins(high, dense(high), modes) < 0).any():
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                if (robot.margins(middle, dense(middle), modes) < 0).any():
                    high = middle
                else:
                    low = middle
            return float(high), robot.margins(high, dense(high), modes) < 0
        low = high
    return None
