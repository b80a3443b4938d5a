"""Parallel robots: operations beside those of closed loops, and times of assemblies and of tracking.

python benchmarks/platforms.py [--platforms 100] [--rounds 5]

The first table has the inverse dynamics of the library's Gough-Stewart platform with base parameters, by platform and
legs, and by closed loops of the same bodies: 31 joints, five cuts, the same numbers for the geometry. The second has
all assemblies in C for Dietmaier's platform and for random ones, those of robots whose legs are quadrics, and steps of
Newton's method in a batch. Times are those of the processor, the best of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import symoro
from symoro.models.parallel.platform import home
from symoro.solve.given import model
from symoro.solve.spheres import assemblies
from symoro.solve.study import follow_in_c

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.dietmaier import BASE, LENGTHS, PLATFORM, lengths
from support.platform_loops import Loops
from support.platforms import joint_positions

QUADRICS = ("agile-eye", "five-bar-legs", "cooperating-arms")
"""Robots whose legs are quadrics in Study's coordinates; their continuation is in NumPy."""


def counted() -> None:
    """Operations of both formulations."""
    robot = symoro.load("gough-stewart")
    assert robot.platforms
    loops = Loops(robot, symbols=False)
    q = loops.configuration(joint_positions(robot, home(robot)), home(robot))
    mine = symoro.inverse_dynamics(robot, params="base").ops
    theirs = model("inverse_dynamics", loops.closed(), params="base", optimize="fast", at=tuple(q)).ops
    print(f"platform and legs  {mine.total:7d}  {mine}")
    print(f"closed loops       {theirs.total:7d}  {theirs}")
    print(f"ratio              {theirs.total / mine.total:7.1f}")


def best(run: Callable[[], object], rounds: int) -> float:
    """Seconds of the processor, the best of some rounds."""
    taken = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        taken.append(time.process_time() - begin)
    return min(taken)


def timed(platforms: int, rounds: int) -> None:
    """Milliseconds for all assemblies, microseconds for a step."""
    assemblies(BASE, PLATFORM, LENGTHS, follow_in_c)  # compiles
    one = best(lambda: assemblies(BASE, PLATFORM, LENGTHS, follow_in_c), rounds)
    print(f"all assemblies of Dietmaier's platform      {1e3 * one:8.2f} ms")
    found = []
    for seed in range(platforms):
        rng = np.random.default_rng(seed)
        a, b = rng.uniform(-1, 1, (2, 6, 3))
        wanted = lengths(np.eye(4), a, b)
        found.append(best(lambda a=a, b=b, r=wanted: assemblies(a, b, r, follow_in_c), rounds))  # type: ignore[misc]
    print(
        f"of {platforms} random ones, median (largest)        {1e3 * np.median(found):8.2f} ms ({1e3 * max(found):.2f})"
    )
    for name in QUADRICS:
        other = symoro.load(name)
        assert other.platforms
        forward = symoro.forward_geometry(other, optimize=False).compile("c")
        motors = symoro.inverse_geometry(other).compile("numpy")(home(other)).q[0]
        print(f"all assemblies of {name:16s}          {1e3 * best(lambda f=forward, q=motors: f(q), rounds):8.2f} ms")  # type: ignore[misc]
    robot = symoro.load("gough-stewart")
    assert robot.platforms
    step, count = symoro.loop_step(robot).compile("c"), 10_000
    T = np.tile(home(robot), (count, 1, 1))
    q = np.tile(symoro.inverse_geometry(robot).compile("numpy")(home(robot)).q[0], (count, 1))
    step(T, q)
    print(f"a step of the tracking, in a batch          {1e6 * best(lambda: step(T, q), rounds) / count:8.3f} µs")


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--platforms", type=int, default=100)
    given.add_argument("--rounds", type=int, default=5)
    options = given.parse_args()
    counted()
    timed(options.platforms, options.rounds)


if __name__ == "__main__":
    main()
