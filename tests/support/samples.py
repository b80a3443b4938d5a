"""Which seeds and robots every run takes, which the long tests add, and which only the exhaustive ones take."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def some(quick: int, of: int, long: int | None = None) -> list[Any]:
    """The seeds 0 … of − 1: every run takes the first `quick` ones, the long tests `long`, or a twentieth of all.

    The rest is marked `exhaustive`, too: `make exhaustive` runs it.
    """
    last = max(of // 20, 2 * quick) if long is None else long
    return [pytest.param(seed, marks=_marks(seed, quick, last)) for seed in range(of)]


def _marks(seed: int, quick: int, long: int) -> tuple[pytest.MarkDecorator, ...]:
    if seed < quick:
        return ()
    return (pytest.mark.long,) if seed < long else (pytest.mark.long, pytest.mark.exhaustive)


def named(names: Iterable[str], large: Container[str], largest: Container[str] = ()) -> list[Any]:
    """The names of robots; the large ones are in the long tests, the largest ones in the exhaustive tests."""
    long, rare = (pytest.mark.long,), (pytest.mark.long, pytest.mark.exhaustive)
    return [pytest.param(name, marks=rare if name in largest else long if name in large else ()) for name in names]
