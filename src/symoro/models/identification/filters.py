"""The filters of the filtered dynamic model as data: F and F′ (K97:45-46)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filter:
    """A transfer function: coefficients of falling powers of s."""

    numerator: tuple[float, ...]
    denominator: tuple[float, ...]

    def digital(self, rate: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Coefficients b, a of `scipy.signal.lfilter` for samples at a rate in Hz, by Tustin's rule."""
        from scipy.signal import bilinear

        b, a = bilinear(self.numerator, self.denominator, fs=rate)
        return tuple(map(float, b)), tuple(map(float, a))


def filters(a: float, order: int = 2) -> tuple[Filter, Filter]:
    """F = aⁿ/(s + a)ⁿ (K97:45) and F′ = s F (K97:46), with the corner at a in rad/s."""
    if order < 2:
        raise ValueError(f"order={order} is not allowed: F′ differentiates, so that the filter needs at least order 2")
    denominator: tuple[float, ...] = (1.0,)
    for _ in range(order):
        denominator = tuple(x + a * y for x, y in zip((*denominator, 0.0), (0.0, *denominator), strict=True))
    gain = a**order
    return Filter((gain,), denominator), Filter((gain, 0.0), denominator)
