"""Fits the growth of measured values."""

from __future__ import annotations

from collections.abc import Sequence
from math import log


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of y over x by least squares."""
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / sum((a - mx) ** 2 for a in x)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent p of value ≈ c nᵖ, by least squares on logarithms; 1 is linear growth."""
    return slope([log(n) for n in sizes], [log(value) for value in values])
