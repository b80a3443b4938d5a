"""Finds the 40 solutions of a random complex platform by monodromy: python -m symoro.models.parallel.study_start.

A solution is chosen and the platform follows from it. Following solutions around triangles of platforms gives others,
until there are 40. The result is the file study_start.json beside this one.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from symoro.models.parallel.study import COUNT, Array, Member, follow

_SAME = 1e-6


def found(seed: int = 7, most: int = 60) -> tuple[Array, Array, Array, Array]:
    """Base points, platform points, squared lengths, and the solutions (40, 8)."""
    rng = np.random.default_rng(seed)

    def random(*shape: int) -> Array:
        made: Array = (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)
        return made

    a, b, e = random(6, 3), random(6, 3), random(4)
    g = random(4)
    g = g - e * (e @ g) / (e @ e)  # Study's equation
    here = Member.of(a, b, np.zeros(6))
    u = 2 * g + here.K @ e
    L = (u * u).sum(-1) / (e @ e)  # (1)
    here = Member.of(a, b, L)
    known = _scaled(np.concatenate([e, g])[None])
    for turn in range(most):
        corners = [Member.of(random(6, 3), random(6, 3), random(6)) for _ in range(2)]
        x, ok = known, np.ones(len(known), dtype=bool)
        for first, second in zip((here, *corners), (*corners, here), strict=True):
            x, reached = follow(first, second, x, seed=-turn)
            ok &= reached >= 1
        known = _united(known, _scaled(x[ok]))
        if len(known) >= COUNT:
            break
    return a, b, L, known


def _scaled(x: Array) -> Array:
    found: Array = x / np.take_along_axis(x, np.abs(x).argmax(-1)[:, None], 1)
    return found


def _united(known: Array, new: Array) -> Array:
    for x in new:
        if np.abs(known - x).max(-1).min() > _SAME:
            known = np.vstack([known, x])
    return known


def main() -> None:
    names = ("a", "b", "L", "x")
    data = {n: np.stack([x.real, x.imag], axis=-1).tolist() for n, x in zip(names, found(), strict=True)}
    Path(__file__).with_suffix(".json").write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
