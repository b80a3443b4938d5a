"""Times of calls that are compared: measured in turn, many times, of which the best counts.

A computer that does something else in between only makes calls slower, so that the smallest time is the one without it.
The clock is the time that this process computes, so that waiting for a processor does not count, and threads of other
libraries do. Calls that use several threads are measured by the time that passes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from timeit import Timer
from typing import Any, TypeVar

#: Seconds that one measurement takes at least, so that the clock is fine enough.
_LONG_ENOUGH = 0.002

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a user writes it, so that nothing but the call is measured, and the states that it computes."""

    text: str
    names: Mapping[str, Any]
    states: int = 1


def call(function: Callable[..., Any], *inputs: Any, states: int = 1, **named: Any) -> Call:
    """function(inputs, name=…)."""
    positions = {f"x{k}": x for k, x in enumerate(inputs)}
    text = f"f({', '.join((*positions, *(f'{name}={name}' for name in named)))})"
    return Call(text, {"f": function, **positions, **named}, states)


def best_times(
    calls: Mapping[Key, Call], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[Key, float]:
    """The nanoseconds for a state of each call."""
    timers = {key: Timer(c.text, timer=clock, globals=dict(c.names)) for key, c in calls.items()}
    counts = {key: _count(timer) for key, timer in timers.items()}
    best: dict[Key, float] = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for key, timer in timers.items():
            best[key] = min(best[key], timer.timeit(counts[key]) / counts[key])
    return {key: seconds / calls[key].states * 1e9 for key, seconds in best.items()}


def _count(timer: Timer) -> int:
    """How often a call must be repeated to last long enough; it also warms everything up."""
    count = 1
    while timer.timeit(count) < _LONG_ENOUGH:
        count *= 2
    return count
