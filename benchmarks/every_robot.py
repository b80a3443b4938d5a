"""One call from Python on every robot of the library that Pinocchio has, too: is one of them slower there?

python benchmarks/every_robot.py [--rounds 5] [--states 1000] [robot ...]

A row has nanoseconds of a call of symoro and of Pinocchio, their ratio, and the ratio of a batch. The exit status is 1
where a ratio is below 1.
"""

from __future__ import annotations

import argparse
import sys

import symoro
from symoro.bench.cases import cases, plain
from symoro.bench.measure import TimingRow, measured
from symoro.bench.peers import installed
from symoro.errors import ModelError
from symoro.formats import load
from symoro.robot.library import names

MODELS = ["inverse_dynamics", "direct_dynamics", "inertia_matrix", "jacobian"]


def rows(name: str, states: int, rounds: int) -> list[TimingRow]:
    """The rows of a robot; none if Pinocchio does not have it. Symbols without numbers are 0.7."""
    robot = plain(load(name))
    if robot.cuts or robot.base.kind.value != "fixed" or any(joint.elastic for joint in robot.joints):
        return []
    unknown = [symbol for symbol, x in symoro.inverse_dynamics(robot).parameters.items() if x is None]
    robot = robot.with_values(dict.fromkeys(unknown, 0.7)) if unknown else robot
    peers, _ = installed(["pinocchio"])
    try:
        found = [measured(case, robot, peers, 1, rounds) for case in cases(robot, MODELS, states)]
    except ModelError as error:  # Pinocchio has no inertia without a mass, as base parameters give it
        print(f"left out: {error}", file=sys.stderr)
        return []
    return [row for one in found if not one.missing for row in one.rows]


def ratios(name: str, found: list[TimingRow]) -> list[float]:
    """Print a line for each model; the ratios."""
    times = {(row.model, row.library, row.call): row.nanoseconds for row in found}
    smallest = []
    for model in dict.fromkeys(row.model for row in found):
        ours, theirs = times[model, "symoro", "call"], times[model, "pinocchio", "call"]
        batch = times[model, "pinocchio", "batch"] / times[model, "symoro", "batch out="]
        print(f"{name:18} {model:18} {ours:8.0f} {theirs:8.0f} {theirs / ours:6.1f} {batch:6.1f}", flush=True)
        smallest += [theirs / ours, batch]
    return smallest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=list(names()))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--states", type=int, default=1000)
    given = parser.parse_args()
    print(f"{'robot':18} {'model':18} {'symoro':>8} {'Pinocch.':>8} {'ratio':>6} {'batch':>6}")
    found = [x for name in given.robots for x in ratios(name, rows(name, given.states, given.rounds))]
    print(f"the smallest of {len(found)} ratios: {min(found):.1f}")
    sys.exit(min(found) < 1)


if __name__ == "__main__":
    main()
