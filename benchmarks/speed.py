"""Inverse dynamics compiled by symoro (LLVM) and Pinocchio's rnea, timed in one run; above 1, symoro is faster.

python benchmarks/speed.py [robot ...]

Both are called from Python with the same states of the same robot, without drives and wrenches, and must agree to
1e-10. `single` is one call with one state. `batch` is many states: one call of symoro, a loop of calls of Pinocchio,
which has no call for many states. The two are timed in turn, and the best of several rounds counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import symoro

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support.pinocchio_robot import oracle, pin

ROBOTS = ("planar3r", "puma560", "rx90", "panda", "snake20", "humanoid")
ROUNDS, CALLS, STATES = 7, 2000, 10_000


def seconds(call: Callable[[], object], times: int) -> float:
    """Seconds of one call, measured over many."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def side_by_side(first: Callable[[], object], second: Callable[[], object], times: int) -> tuple[float, float]:
    """The best time of each, measured in turn."""
    rounds = [(seconds(first, times), seconds(second, times)) for _ in range(ROUNDS)]
    return min(a for a, _ in rounds), min(b for _, b in rounds)


def compare(name: str) -> tuple[float, ...]:
    """Seconds of symoro and of Pinocchio for one state: called with one state, then with many states."""
    robot = replace(symoro.load(name), drives=(), wrenches=())
    f = symoro.inverse_dynamics(robot).compile()
    peer = oracle(robot, robot.values.numbers())
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, STATES, len(peer.velocity_index)))
    pq, pv, pa = (np.array([turn(x) for x in xs]) for turn, xs in ((peer.q, q), (peer.v, qd), (peer.v, qdd)))
    one, peer_one = (q[0], qd[0], qdd[0]), (pq[0], pv[0], pa[0])
    model, data = peer.model, peer.data

    def loop() -> list[np.ndarray]:
        return [pin.rnea(model, data, *state) for state in zip(pq, pv, pa, strict=True)]

    expected = np.array(loop())[:, peer.velocity_index]
    error = np.abs(f(q, qd, qdd) - expected).max() / (1 + np.abs(expected).max())
    if not error < 1e-10:
        raise SystemExit(f"{name}: symoro and Pinocchio differ by {error:.1e}")
    single = side_by_side(lambda: f(*one), lambda: pin.rnea(model, data, *peer_one), CALLS)
    batch = side_by_side(lambda: f(q, qd, qdd), loop, 1)
    return *single, batch[0] / STATES, batch[1] / STATES


def main(names: list[str]) -> None:
    """Print microseconds for each state, and ratios."""
    print(f"Inverse dynamics, microseconds for a state; batches of {STATES} states")
    print(
        f"{'robot':12}{'single':>10}{'Pinocchio':>11}{'ratio':>8}{'batch':>11}{'Pinocchio':>11}{'ratio':>8}", flush=True
    )
    for name in names:
        a, b, c, d = compare(name)
        print(f"{name:12}{_cells(a, b)}{_cells(c, d)}", flush=True)


def _cells(ours: float, theirs: float) -> str:
    return f"{ours * 1e6:11.3f}{theirs * 1e6:11.2f}{theirs / ours:8.2f}"


if __name__ == "__main__":
    main(sys.argv[1:] or list(ROBOTS))
