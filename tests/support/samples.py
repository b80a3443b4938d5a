"""Which seeds every run takes, and which the long tests add."""

from __future__ import annotations

import pytest


def some(quick: int, of: int) -> list[object]:
    """The seeds 0 … of − 1; all but the first ones are for the long tests."""
    return [pytest.param(seed, marks=() if seed < quick else pytest.mark.long) for seed in range(of)]
