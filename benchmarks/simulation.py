"""How fast a controlled robot is simulated, beside the same loop with Pinocchio: python benchmarks/simulation.py.

10 s of the RX-90 under computed torque at 1 kHz along a quintic motion, by Runge and Kutta's method with torques held
in each period; all rows are kept. The loop with Pinocchio is written in Python with its bindings (rnea and aba). Times
are the least of some runs; models are built and compiled before.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import symoro
from support.pinocchio_robot import oracle
from symoro.motion.equations import closed_step
from symoro.motion.plant import STEP, Plant
from symoro.runtime.sequence import SequenceFunction

PERIOD, DURATION, RUNS = 1e-3, 10.0, 1000


def with_pinocchio(robot: Any, reference: Any, steps: int) -> Any:
    """Positions after some steps of the same loop."""
    o = oracle(robot, robot.values.numbers())
    model, data = o.model, o.model.createData()
    model.armature = np.array([float(robot.values.numbers()[f"IA{j}"]) for j in range(1, 7)])
    q, v, n, h = np.zeros(6), np.zeros(6), 6, PERIOD
    for row in reference[:steps]:
        w = row[2 * n :] + 20 * (row[n : 2 * n] - v) + 100 * (row[:n] - q)
        tau = pin.rnea(model, data, q, v, w)
        a1 = pin.aba(model, data, q, v, tau)
        v2 = v + h / 2 * a1
        a2 = pin.aba(model, data, q + h / 2 * v, v2, tau)
        v3 = v + h / 2 * a2
        a3 = pin.aba(model, data, q + h / 2 * v2, v3, tau)
        v4 = v + h * a3
        a4 = pin.aba(model, data, q + h * v3, v4, tau)
        q = q + h / 6 * (v + 2 * (v2 + v3) + v4)
        v = v + h / 6 * (a1 + 2 * (a2 + a3) + a4)
    return q


def least(times: int, function: Any) -> float:
    """The least time of some calls."""
    found = []
    for _ in range(times):
        begin = perf_counter()
        function()
        found.append(perf_counter() - begin)
    return min(found)


def main() -> None:
    robot = symoro.load("rx90")
    n, steps = 6, round(DURATION / PERIOD)
    t = symoro.trajectory(np.zeros(n), np.linspace(1.0, 0.5, n), duration=DURATION)
    time = PERIOD * np.arange(steps)
    reference = np.concatenate(t(time), axis=-1)
    program = closed_step(Plant.of(robot), symoro.computed_torque(robot))
    loop = SequenceFunction(program, {}).bind({STEP: PERIOD})
    first = np.zeros(2 * n)
    wrench = np.zeros(6)
    rows, _ = loop.one(first, [reference, wrench], steps)
    print(f"a step: {program.ops}")
    assert np.abs(rows[1000, :n] - with_pinocchio(robot, reference, 1000)).max() < 1e-9
    ours = least(10, lambda: loop.one(first, [reference, wrench], steps))
    theirs = least(2, lambda: with_pinocchio(robot, reference, steps // 10)) * 10
    print(f"one run: {DURATION / ours:.0f} times faster than real time, {theirs / ours:.0f} times Pinocchio's loop")
    state = np.zeros((RUNS, 2 * n))
    loop.step(state, [reference[0], wrench])

    def batch() -> None:
        here = state
        for row in reference[:200]:
            here = loop.step(here, [row, wrench])[0]

    share = least(3, batch) / (200 * PERIOD)
    print(f"{RUNS} runs at once: {RUNS / share:.0f} times faster than real time a run, in one thread")


if __name__ == "__main__":
    main()
