"""The times of one model, of symoro and of other libraries."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from symoro.bench.cases import BenchCase
from symoro.bench.peers import Peer
from symoro.bench.timing import Call, best_times
from symoro.findings import Finding
from symoro.robot.robot import Robot


class TimingRow(NamedTuple):
    """Nanoseconds for one state; `ratio` says how many times longer a library takes than symoro's same call."""

    model: str
    call: str
    library: str
    nanoseconds: float
    ratio: float | None = None


class Measured(NamedTuple):
    """The rows of a case, and why a library is not among them."""

    rows: list[TimingRow]
    missing: dict[str, Finding]


def measured(case: BenchCase, robot: Robot, peers: Mapping[str, Peer], threads: int, rounds: int) -> Measured:
    """The rows of a case: calls with one state, then batches."""
    pairs = {name: _calls(peer, case, robot) for name, peer in peers.items()}
    theirs = {name: pair for name, pair in pairs.items() if not isinstance(pair, Finding)}
    missing = {name: reason for name, reason in pairs.items() if isinstance(reason, Finding)}
    return Measured(_rows(case, theirs, threads, rounds), missing)


def _calls(peer: Peer, case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    try:
        return peer.calls(case, robot)
    except ImportError as error:  # the package is there, but not all that it needs
        return Finding("bench.unimportable", reason=str(error), install=peer.install)


def _rows(case: BenchCase, theirs: Mapping[str, tuple[Call, Call]], threads: int, rounds: int) -> list[TimingRow]:
    rows = []
    for place, (kind, ours) in enumerate(zip(("call", "batch"), case.calls(), strict=True)):
        calls = {("symoro", name): call for name, call in ours.items()}
        calls |= {(name, kind): both[place] for name, both in theirs.items()}
        times = best_times(calls, rounds)
        base = times["symoro", kind]
        rows += [
            TimingRow(case.name, c, lib, ns, None if lib == "symoro" else ns / base) for (lib, c), ns in times.items()
        ]
    shared = best_times(case.in_threads(threads), rounds, time.perf_counter)
    return [*rows, *(TimingRow(case.name, c, "symoro", ns) for c, ns in shared.items())]
