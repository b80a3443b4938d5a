"""Errors that are planted into recordings: exchanged and stuck channels, wrong signs, units and rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Change = Callable[[dict[str, Any]], dict[str, Any]]
"""A recording with an error, from one without."""


def swapped(channel: str, a: int, b: int) -> Change:
    def change(given: dict[str, Any]) -> dict[str, Any]:
        order = list(range(given[channel].shape[1]))
        order[a], order[b] = b, a
        return {**given, channel: given[channel][:, order]}

    return change


def times(channel: str, factor: float, k: int | None = None) -> Change:
    def change(given: dict[str, Any]) -> dict[str, Any]:
        x = np.array(given[channel], dtype=float)
        x[... if k is None else (slice(None), k)] *= factor
        return {**given, channel: x}

    return change


def jump(size: float, k: int) -> Change:
    """An encoder of joint k that jumps in the middle; of an elastic joint both encoders do."""

    def change(given: dict[str, Any]) -> dict[str, Any]:
        found = {**given}
        for name in ("q", "qm"):
            if name in given:
                x = np.array(given[name])
                x[len(x) // 2 :, k] += size
                found[name] = x
        return found

    return change


def stuck(channel: str, k: int, first: float = 0.0, last: float = 1.0) -> Change:
    """A channel that does not change in a part of the recording."""

    def change(given: dict[str, Any]) -> dict[str, Any]:
        x = np.array(given[channel])
        x[int(first * len(x)) : int(last * len(x)), k] = x[int(first * len(x)), k]
        return {**given, channel: x}

    return change


def later(channel: str, k: int, samples: int = 5) -> Change:
    def change(given: dict[str, Any]) -> dict[str, Any]:
        x = np.array(given[channel])
        x[samples:, k] = given[channel][:-samples, k]
        return {**given, channel: x}

    return change


def every(factor: float) -> Change:
    """All positions times a factor."""
    return lambda given: given | {name: factor * given[name] for name in ("q", "qm") if name in given}


def rows(chosen: Callable[[int], Any]) -> Change:
    """Other rows of a recording."""
    return lambda given: {name: np.asarray(x)[chosen(len(x))] for name, x in given.items()}


def twice(count: int) -> Any:
    return np.sort(np.r_[np.arange(count), np.random.default_rng(0).choice(count, count // 100, replace=False)])


def shuffled(count: int) -> Any:
    return np.random.default_rng(2).permutation(count)


def held(given: dict[str, Any]) -> dict[str, Any]:
    """Every second row repeats the one before."""
    return rows(lambda count: np.arange(count) // 2 * 2)(given) | {"t": given["t"]}


def other_times(given: dict[str, Any]) -> dict[str, Any]:
    return {**given, "t": given["t"][shuffled(len(given["t"]))]}
