"""Which seeds and robots every run takes, and which the long tests add."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def some(quick: int, of: int) -> list[Any]:
    """The seeds 0 … of − 1; the first `quick` ones are in every run, the others in the long tests."""
    return [pytest.param(seed, marks=() if seed < quick else pytest.mark.long) for seed in range(of)]


def named(names: Iterable[str], large: Container[str]) -> list[Any]:
    """The names of robots; the large ones are in the long tests."""
    return [pytest.param(name, marks=pytest.mark.long if name in large else ()) for name in names]
