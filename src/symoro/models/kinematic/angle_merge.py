"""Sums of products in which sines and cosines of two angles become those of the sum or the difference."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Angle = tuple[tuple[int, int], ...]
"""A sum of angles: the number of each angle and its coefficient."""


@dataclass(frozen=True, slots=True, order=True)
class Trig:
    """The sine or the cosine of a sum of angles."""

    sine: bool
    angle: Angle


Atom = int | Trig
Product = frozenset[tuple[Atom, int]]
"""Atoms with their powers."""
Sum = dict[Product, Fraction]


def merge(terms: Sum) -> Sum:
    """Replace S2*C3 + C2*S3 by S23, C2*C3 − S2*S3 by C23 and so on, until no two terms match."""
    terms = dict(terms)
    while True:
        pair = _first_match(terms)
        if pair is None:
            return terms
        first, second, product, sign = pair
        number = terms.pop(first)
        del terms[second]
        terms[product] = terms.get(product, Fraction(0)) + sign * number
        if not terms[product]:
            del terms[product]


def _first_match(terms: Sum) -> tuple[Product, Product, Product, int] | None:
    ordered = sorted(terms, key=lambda product: str(sorted(product, key=str)))
    for first, second in combinations(ordered, 2):
        if abs(terms[first]) == abs(terms[second]):
            merged = _merge_pair(first, second, terms[first] == terms[second])
            if merged is not None:
                return first, second, *merged
    return None


def _merge_pair(first: Product, second: Product, same: bool) -> tuple[Product, int] | None:
    """The product that replaces two terms, and its sign relative to the first one."""
    common = first & second
    left, right = _pair(first - common), _pair(second - common)
    if left is None or right is None or {Trig(not t.sine, t.angle) for t in left} != set(right):
        return None
    (p, a), (q, b) = (left[0].sine, left[0].angle), (left[1].sine, left[1].angle)
    if a == b:
        return None
    if p == q:  # C C ∓ S S
        cosine, _ = _normal(False, a, b, -1 if same else 1)
        return _times(common, cosine), -1 if p and not same else 1
    if q:  # the sine first
        a, b = b, a
    trig, sign = _normal(True, a, b, 1 if same else -1)  # S_a C_b ± C_a S_b
    return _times(common, trig), sign


def _pair(product: Product) -> tuple[Trig, Trig] | None:
    """The two sines or cosines of a product that has no other factor; None for other products."""
    items = sorted(product, key=str)
    if len(items) != 2 or any(power != 1 or not isinstance(atom, Trig) for atom, power in items):
        return None
    (first, _), (second, _) = items
    return (first, second) if isinstance(first, Trig) and isinstance(second, Trig) else None


def _normal(sine: bool, a: Angle, b: Angle, sign: int) -> tuple[Trig, int]:
    """The sine or cosine of a ± b, with a positive coefficient for its first angle, and the sign in front."""
    times = dict(a)
    for k, n in b:
        times[k] = times.get(k, 0) + sign * n
    angle = tuple(sorted((k, n) for k, n in times.items() if n))
    if angle and angle[0][1] < 0:
        return Trig(sine, tuple((k, -n) for k, n in angle)), -1 if sine else 1
    return Trig(sine, angle), 1


def _times(common: Product, trig: Trig) -> Product:
    powers = dict(common)
    powers[trig] = powers.get(trig, 0) + 1
    return frozenset(powers.items())
