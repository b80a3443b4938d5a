"""CPU seconds of the default build of every model, for the six-joint arms of the library, the slowest first.

python benchmarks/building.py [--robots puma560 rx90] [--limit 1.0] [--rows 20]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import process_time
from typing import Any, NamedTuple

import symoro
from symoro.models.catalogue import entries
from symoro.models.entry import Entry
from symoro.robot import library
from symoro.robot.robot import Robot
from symoro.solve.given import model

JOINTS = 6
PLACES = {"i": 0, "j": JOINTS, "link": JOINTS}
"""Options that some models need: from the base to the last link."""


class Build(NamedTuple):
    """The time of a build, and the model that it made."""

    seconds: float
    robot: str
    model: str
    params: str
    operations: int


def options(entry: Entry) -> Iterator[dict[str, Any]]:
    """The options of each build: the required ones, with standard and with base parameters if there is a choice."""
    needed = {option.name: PLACES[option.name] for option in entry.all_options if option.required}
    if any(option.name == "params" for option in entry.all_options):
        yield from ({**needed, "params": params} for params in ("standard", "base"))
    else:
        yield needed


def builds(robot: Robot) -> Iterator[Build]:
    """Every model of a robot, and its base parameters."""
    start = process_time()
    kept = len(symoro.base_parameters(robot))
    yield Build(process_time() - start, robot.name, "base parameters", "", kept)
    for entry in entries():
        if entry.reason(robot) is None:
            for chosen in options(entry):
                start = process_time()
                made = model(entry.name, robot, **chosen)
                yield Build(process_time() - start, robot.name, entry.name, chosen.get("params", ""), made.ops.total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", default=library.names())
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--rows", type=int, default=20)
    chosen = parser.parse_args()
    symoro.inverse_dynamics("rx90")  # imports at first use are not measured
    arms = [robot for robot in map(symoro.load, chosen.robots) if robot.link_count == JOINTS and not robot.cuts]
    found = sorted((build for robot in arms for build in builds(robot)), reverse=True)
    for build in found[: chosen.rows]:
        print(f"{build.seconds:8.2f} s  {build.robot:20} {build.model:28} {build.params:9} {build.operations:6}")
    slow = sum(build.seconds > chosen.limit for build in found)
    print(f"{len(found)} models of {len(arms)} arms, {slow} took longer than {chosen.limit} s")


if __name__ == "__main__":
    main()
