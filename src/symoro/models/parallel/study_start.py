"""Finds all solutions of random complex platforms by monodromy: python -m symoro.models.parallel.study_start.

A solution is chosen and the platform follows from it. Following solutions around triangles of platforms gives others,
until there are 40; or 16 of a platform on which legs meet in pairs, where all platforms of the triangles are such ones.
The results are the files study_start.json and study_pairs.json beside this one.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from symoro.models.parallel.study import COUNT, IN_PAIRS, STORED, Array, Member, follow

_SAME = 1e-6


def found(pairs: bool = False, seed: int = 7, most: int = 60) -> tuple[Array, Array, Array, Array]:
    """Base points, platform points, squared lengths, and the solutions (40, 8) or (16, 8)."""
    rng = np.random.default_rng(seed)

    def random(*shape: int) -> Array:
        made: Array = (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)
        return made

    def points() -> Array:
        return np.repeat(random(3, 3), 2, axis=0) if pairs else random(6, 3)

    a, b, e = random(6, 3), points(), random(4)
    g = random(4)
    g = g - e * (e @ g) / (e @ e)  # Study's equation
    here = Member.of(a, b, np.zeros(6))
    u = 2 * g + here.K @ e
    L = (u * u).sum(-1) / (e @ e)  # (1)
    here = Member.of(a, b, L)
    known = _scaled(np.concatenate([e, g])[None])
    for turn in range(most):
        corners = [Member.of(random(6, 3), points(), random(6)) for _ in range(2)]
        x, ok = known, np.ones(len(known), dtype=bool)
        for first, second in zip((here, *corners), (*corners, here), strict=True):
            x, reached = follow(first, second, x, seed=-turn)
            ok &= reached >= 1
        known = _united(known, _scaled(x[ok]))
        if len(known) >= (IN_PAIRS if pairs else COUNT):
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
    for pairs, name in STORED.items():
        parts = zip(("a", "b", "L", "x"), found(pairs), strict=True)
        data = {n: np.stack([x.real, x.imag], axis=-1).tolist() for n, x in parts}
        Path(__file__).with_name(name).write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
