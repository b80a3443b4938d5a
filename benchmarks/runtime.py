"""Compiled models beside Pinocchio, on three robots: the table and the plot of docs/performance.md.

python benchmarks/runtime.py [--processes 5] [--rounds 20] [--write] [robot ...]

Each robot is measured by `symoro bench` in several processes, which time both libraries in turn. The table has the
medians of their best times, in nanoseconds for a state; with --write it goes into the page, with its plot.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from statistics import median

from tables import DOCS, arguments, markdown, put

ROBOTS = ("puma560", "panda", "humanoid")
CALLS = {"call": "one call", "call out=": "one call, `out=`", "batch": "batch", "batch out=": "batch, `out=`"}
Times = dict[tuple[str, str, str, str], float]


def measured(robots: list[str], processes: int, rounds: int) -> Times:
    """Nanoseconds by robot, model, library and call: the median over processes."""
    found: dict[tuple[str, str, str, str], list[float]] = {}
    for number in range(processes):
        for robot in robots:
            print(f"process {number + 1} of {processes}: {robot}", file=sys.stderr, flush=True)
            words = ["bench", robot, "--against", "pinocchio", "--rounds", str(rounds), "--json"]
            text = subprocess.check_output(
                [sys.executable, "-m", "symoro", *words], text=True, stderr=subprocess.DEVNULL
            )
            for row in json.loads(text)["times"]:
                found.setdefault((robot, row["model"], row["library"], row["call"]), []).append(row["nanoseconds"])
    return {key: median(times) for key, times in found.items()}


def table(times: Times, robots: list[str]) -> str:
    """A row for each model and call, with the times of both libraries and their ratio for each robot."""
    heads = ["model", "call", *(f"{robot}: symoro, Pinocchio, ratio" for robot in robots)]
    lines = [heads, ["---"] * len(heads)]
    for model in dict.fromkeys(model for _, model, _, _ in times):
        for call, title in CALLS.items():
            lines.append([f"`{model}`", title, *(_cell(times, robot, model, call) for robot in robots)])
    return markdown(lines)


def _cell(times: Times, robot: str, model: str, call: str) -> str:
    ours, theirs = times.get((robot, model, "symoro", call)), times.get((robot, model, "pinocchio", call.split()[0]))
    if ours is None or theirs is None:
        return ""
    return f"{ours:.0f}, {theirs:.0f}, **{theirs / ours:.1f}×**"


def plot(times: Times, robots: list[str]) -> str:
    """Bars on a logarithmic axis: inverse dynamics of each robot."""
    bars = [
        (f"{robot}, {call}, {library}", times[robot, "inverse_dynamics", library, call], library)
        for robot in robots
        for call in ("call", "batch")
        for library in ("pinocchio", "symoro")
    ]
    height = 22 * len(bars) + 40
    size = f'width="760" height="{height}" font-family="sans-serif" font-size="12"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>']
    lines.append('<text x="10" y="18" font-size="14">Inverse dynamics, nanoseconds for a state (logarithmic)</text>')
    for k, (title, value, library) in enumerate(bars):
        y, length = 30 + 22 * k, 110 * math.log10(max(value, 1.0))
        colour = "#1f77b4" if library == "symoro" else "#bbbbbb"
        lines.append(f'<text x="205" y="{y + 13}" text-anchor="end">{title}</text>')
        lines.append(f'<rect x="212" y="{y}" width="{length:.0f}" height="17" fill="{colour}"/>')
        lines.append(f'<text x="{217 + length:.0f}" y="{y + 13}">{value:.0f}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    given = arguments(__doc__, ROBOTS, processes=5).parse_args()
    times = measured(given.robots, given.processes, given.rounds)
    text = table(times, given.robots)
    print(text)
    if given.write:
        put("performance.md", "figures", text)
        (DOCS / "performance.svg").write_text(plot(times, given.robots), encoding="utf-8")


if __name__ == "__main__":
    main()
