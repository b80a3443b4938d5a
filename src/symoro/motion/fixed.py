"""Simulation by fixed steps: Runge and Kutta's method of order 4, with the torques held during each period."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symoro.findings import Finding
from symoro.models.results import Listener
from symoro.motion.controller import Controller
from symoro.motion.equations import closed_step, open_step
from symoro.motion.plant import STEP
from symoro.motion.profiles import Array
from symoro.motion.scenario import Scenario
from symoro.runtime.sequence import BoundSequence, SequenceFunction

_CHUNK = 5000
"""Rows between two looks at the state."""
Rows = tuple[Array, Array]
"""States of robot and controller, and torques, in rows."""
Stop = Callable[[Array, Array, Array], Any] | None


def run(
    scenario: Scenario, substeps: int, stop: Stop, say: Listener, every: int = 1
) -> tuple[Array, Array, Finding | None]:
    """The states and torques of every so many times up to the end, and why a simulation ended before."""
    plant, controller = scenario.plant, scenario.controller
    if isinstance(controller, Controller):
        written = closed_step(plant, controller, substeps, scenario.delay, scenario.noise is not None, scenario.quanta)
    else:
        written = open_step(plant, substeps)
    step = SequenceFunction(written, {}, plant.parameter_names).bind({**scenario.values, STEP: scenario.period})
    state = scenario.start
    states, torques, lost = [], [], Lost(scenario)
    why: Finding | None = None
    for first, (rows, tau) in _chunks(scenario, step, state):
        rows, tau = lost.without(rows, tau, first)
        end, why = ended(scenario, rows, first, stop)
        kept = slice(-first % every, end, every)
        states.append(rows[..., kept, :])
        torques.append(tau[..., kept, :])
        if why:
            break
        time = scenario.t[min(first + rows.shape[-2], len(scenario.t) - 1)]
        say(Finding("progress.time", time=time, end=scenario.t[-1]))
    return np.concatenate(states, axis=-2), np.concatenate(torques, axis=-2), why or lost.why


class Lost:
    """The runs of a batch that diverge: they have no numbers from there on, and the others go on."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.why: Finding | None = None
        self.runs = np.zeros(scenario.first.shape[:-1], dtype=bool)

    def without(self, rows: Array, tau: Array, first: int) -> Rows:
        """Rows of all runs without what is no motion; of one run nothing is taken away."""
        if not self.runs.ndim:
            return rows, tau
        bad = np.logical_or.accumulate(self.scenario.bad(rows) | self.runs[..., None], axis=-1)
        if bad.any() and self.why is None:
            t = self.scenario.t[first + int(np.argmax(bad.reshape(-1, bad.shape[-1]).any(axis=0)))]
            self.why = Finding("simulation.runs_diverged", time=float(t))
        self.runs = bad[..., -1]
        return np.where(bad[..., None], np.nan, rows), np.where(bad[..., None], np.nan, tau)


def _chunks(scenario: Scenario, step: BoundSequence, state: Array) -> Iterator[tuple[int, Rows]]:
    """Rows of states and torques, with the number of their first row."""
    by_python = not (scenario.controller is None or isinstance(scenario.controller, Controller))
    size = _CHUNK if state.ndim == 1 else max(1, _CHUNK // 50)
    for first in range(0, len(scenario.t), size):
        rows = slice(first, min(first + size, len(scenario.t)))
        if state.ndim > 1:
            chunk, state = _many(scenario, step, state, rows)
        elif by_python:
            chunk, state = _by_python(scenario, step, state, rows)
        else:
            chunk, state = _compiled(scenario, step, state, rows)
        yield first, chunk


def _compiled(scenario: Scenario, step: BoundSequence, state: Array, rows: slice) -> tuple[Rows, Array]:
    """All rows in one call."""
    count = rows.stop - rows.start
    states, outputs = step.one(state, scenario.others(rows), count)
    tau = outputs[0] if outputs else np.zeros((count, scenario.plant.motors))
    return (states[:-1], tau), states[-1]


def _many(scenario: Scenario, step: BoundSequence, state: Array, rows: slice) -> tuple[Rows, Array]:
    """Many runs, each step of all of them in one call."""
    count, flat = rows.stop - rows.start, state.reshape(-1, state.shape[-1])
    others = scenario.others(rows)
    states = np.empty((len(flat), count, flat.shape[1]))
    tau = np.zeros((len(flat), count, scenario.plant.motors))
    for k in range(count):
        states[:, k] = flat
        flat, *outputs = step.step(flat, [x if x.ndim == 1 else x[k] for x in others])
        if outputs:
            tau[:, k] = outputs[0]
    leading = state.shape[:-1]
    chunk = states.reshape(*leading, count, -1), tau.reshape(*leading, count, scenario.plant.motors)
    return chunk, flat.reshape(state.shape)


def _by_python(scenario: Scenario, step: BoundSequence, state: Array, rows: slice) -> tuple[Rows, Array]:
    """Row by row, with a controller that is a function of Python."""
    count = rows.stop - rows.start
    states, tau = np.empty((count, len(state))), np.empty((count, scenario.plant.motors))
    others = scenario.others(rows)[1:]
    for k in range(count):
        states[k] = state
        tau[k] = scenario.torques(float(scenario.t[rows.start + k]), state)
        inputs = [tau[k], *(x if x.ndim == 1 else x[k] for x in others)]
        state = step.step(state[None], inputs)[0][0]
    return (states, tau), state


def ended(scenario: Scenario, states: Array, first: int, stop: Stop) -> tuple[int, Finding | None]:
    """The number of rows to keep, and why the simulation ends there; no reason where it goes on."""
    failed = scenario.failure(states)
    rows = failed[0] if failed else states.shape[-2]
    if stop is not None and rows:
        places, t = scenario.plant.places, scenario.t[first : first + rows]
        kept = states[..., :rows, :]
        met = np.isnan(kept).any(axis=-1) | np.asarray(
            stop(t, kept[..., places["q"]], kept[..., places["qd"]]), dtype=bool
        )
        all_met = met.reshape(-1, rows).all(axis=0)
        if all_met.any():
            row = int(np.argmax(all_met))
            return row + 1, Finding("simulation.stop_met", time=float(t[row]))
    if failed:
        return rows, Finding("simulation.diverged", time=float(scenario.t[first + rows]), reason=failed[1])
    return rows, None
