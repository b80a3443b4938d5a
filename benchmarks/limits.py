"""How near batches are to what the processor can do, and how long compiling takes: two tables of docs/performance.md.

python benchmarks/limits.py [--processes 3] [--rounds 20] [--write] [robot ...]

Everything is measured in several processes, one after the other; the tables have the medians of their best times. Two
threads are measured by the time that passes, all else by the time of the processor. `port_limit.py` says what the
limit is. With --write the tables go into the page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from statistics import median

import numpy as np
from building import options
from port_limit import multiplications, probe
from tables import arguments, markdown, put

from symoro.bench.cases import MODELS, BenchCase, cases, plain
from symoro.bench.timing import Call, best_times, call
from symoro.errors import SymoroError
from symoro.formats import load
from symoro.models.catalogue import entries, find
from symoro.runtime.cache import VARIABLE
from symoro.runtime.llvm_machine import machine
from symoro.solve.given import model

ROBOTS = ("puma560", "panda", "humanoid")
BATCHES = ("inverse_dynamics", "direct_dynamics")
#: States of a batch, and states whose inputs and results stay in the cache of a core.
STATES, IN_CACHE = 100_000, 256
#: How many more rounds two threads need: both processors must be undisturbed at the same time.
_BOTH_FREE = 10
ALL_MODELS_OF = "puma560"
Figures = dict[str, float]


# what one process measures


def batch(robot: str, name: str, rounds: int) -> Figures:
    """Nanoseconds for a state of a batch; `fma` is the time of one instruction, `count` how many a block has."""
    (case,) = cases(plain(load(robot)), [name], STATES)
    shared = best_times(case.in_threads(2), _BOTH_FREE * rounds, time.perf_counter)
    f = case.model.compile()
    calls = {"in cache": _call(case, "float64", IN_CACHE), "fma": probe()}
    calls |= {dtype: _call(case, dtype, STATES) for dtype in ("float64", "float32")}
    return {**shared, **best_times(calls, rounds), "count": multiplications(f._main)}


def _call(case: BenchCase, dtype: str, n: int) -> Call:
    f = case.model.compile(dtype=dtype)
    states = [x[:n].astype(dtype) for x in case.states]
    return call(f, *states, states=n, out=f(*states))


def compiling(robot: str, name: str, rounds: int) -> Figures:
    """Milliseconds until a model can be called, and of its first batch; imports at first use are not measured."""
    (small,) = cases(plain(load("planar2r")), ["inverse_dynamics"], STATES)
    small.model.compile()(*small.states)
    (case,) = cases(plain(load(robot)), [name], IN_CACHE)
    start = time.process_time()
    f = case.model.compile()
    made = time.process_time()
    f(*case.states)
    return {"one": 1e3 * (made - start), "batch": 1e3 * (time.process_time() - made)}


def all_models(robot: str, name: str, rounds: int) -> Figures:
    """Seconds in which all models of a robot, with the usual options, are built, compiled and called."""
    start, described, times = time.process_time(), load(robot), []
    for entry in entries():
        if entry.reason(described) is None:
            made = model(entry.name, described, **next(options(entry)))
            before = time.process_time()
            f = made.compile()
            times.append(time.process_time() - before)
            f(*(np.full(i.shape, 0.1) for i in made.program.inputs if not i.optional))
    return {"seconds": time.process_time() - start, "longest": max(times), "models": len(times)}


JOBS = {"batch": batch, "compiling": compiling, "all models": all_models}


# several processes


def in_processes(job: str, robot: str, name: str, given: argparse.Namespace, cache: str = "off") -> Figures:
    """The medians of what several processes measure. `cache` is the folder of compiled code."""
    words = [sys.executable, __file__, "--one", job, robot, name, "--rounds", str(given.rounds)]
    found: list[Figures] = []
    for number in range(given.processes):
        print(f"{job} {robot} {name}: process {number + 1} of {given.processes}", file=sys.stderr, flush=True)
        found.append(json.loads(subprocess.check_output(words, text=True, env=os.environ | {VARIABLE: cache})))
    return {key: median(figures[key] for figures in found) for key in found[0]}


def has(robots: list[str], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each robot with each of these models that it has."""
    for robot in robots:
        described = plain(load(robot))
        yield from ((robot, name) for name in names if find(name).reason(described) is None)


def batch_lines(given: argparse.Namespace) -> Iterator[list[str]]:
    heads = ("robot", "model", "two threads", "float32", "multiplications", "limit", "in cache", "reached")
    yield from (list(heads), ["---", "---", *["--:"] * 6])
    for robot, name in has(given.robots, BATCHES):
        x = in_processes("batch", robot, name, given)
        limit = x["count"] * x["fma"] / machine().lanes(8)
        gains = x["batch threads=1"] / x["batch threads=2"], x["float64"] / x["float32"]
        cells = [*(f"{gain:.2f}×" for gain in gains), f"{x['count']:.0f}", f"{limit:.1f}", f"{x['in cache']:.1f}"]
        yield [robot, f"`{name}`", *cells, f"**{limit / x['in cache']:.0%}**"]


def compiling_lines(given: argparse.Namespace) -> Iterator[list[str]]:
    heads = ("robot", "model", "compiled", "its first batch", "from the cache", "its first batch")
    yield from (list(heads), ["---", "---", *["--:"] * 4])
    for robot, name in has(given.robots, MODELS):
        with tempfile.TemporaryDirectory() as folder:
            cold = in_processes("compiling", robot, name, given)
            in_processes("compiling", robot, name, argparse.Namespace(rounds=1, processes=1), folder)
            kept = in_processes("compiling", robot, name, given, folder)
        yield [robot, f"`{name}`", *(f"{x[part]:.1f}" for x in (cold, kept) for part in ("one", "batch"))]


def main() -> None:
    parser = arguments(__doc__, ROBOTS, processes=3)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)  # one process: job, robot, model
    given = parser.parse_args()
    if given.one:
        job, robot, name = given.one
        print(json.dumps(JOBS[job](robot, name, given.rounds)))
        return
    try:
        [*has(given.robots, MODELS)]
    except SymoroError as error:
        parser.error(str(error))
    tables = {"limits": markdown([*batch_lines(given)]), "compiling": markdown([*compiling_lines(given)])}
    x = in_processes("all models", ALL_MODELS_OF, "", given)
    tables["compiling"] += (
        f"\n\nAll {x['models']:.0f} models of `{ALL_MODELS_OF}` are built, compiled and called in "
        f"{x['seconds']:.1f} s; none takes more than {1e3 * x['longest']:.0f} ms to compile."
    )
    for name, text in tables.items():
        print(text, end="\n\n")
        if given.write:
            put("performance.md", name, text)


if __name__ == "__main__":
    main()
