"""Synthetic truth with white noise: the stated 2σ hold the true value as often as they say, for every structure.

Rows are decimated by 10: the filter takes part of the noise out, and rows are correlated. Torques are those of the
robot's own parameters, with noise on all rows, those of springs and of a free base among them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.synthetic import run_of
from symoro.identification.estimate.estimate import Estimate, ordinary, weighted
from symoro.identification.process.processing import Processing
from symoro.identification.process.signals import decimated
from symoro.identification.regress.rows import RegressionRows, rows_of, triangles_of

ROBOTS = ("scara", "rx90", "satellite", "flexible-joints", "two-arm", "sr400")
BORDER, FACTOR = 20, 10


def test_two_deviations_hold_the_true_values_of_one_robot() -> None:
    assert_covered("scara", 60)


@pytest.mark.long
@pytest.mark.parametrize("name", ROBOTS)
def test_two_deviations_hold_the_true_values(name: str) -> None:
    assert_covered(name, 200)


def assert_covered(name: str, seeds: int) -> None:
    """OLS with equal noise and WLS with the noise of each joint, pooled over parameters and seeds."""
    terms, run, beta = run_of(name)
    rows = rows_of(terms, [run], Processing(None, FACTOR, border=BORDER))
    exact = noiseless(rows, beta)
    noise = 0.05 * np.array([np.std(block.y) or 1.0 for block in exact.blocks])
    inside: dict[str, list[np.ndarray]] = {"ordinary": [], "weighted": []}
    for seed in range(seeds):
        noisy = with_noise(exact, run.count - 2 * BORDER, noise, seed)
        t = triangles_of(noisy)
        equal = with_noise(exact, run.count - 2 * BORDER, np.full(len(noise), noise.mean()), seed)
        for label, found in (("ordinary", ordinary(triangles_of(equal))), ("weighted", weighted(t))):
            told = np.isfinite(found.sigma)
            assert told.all() or name == "sr400"  # on one branch of its loops, more parameters depend on each other
            inside[label].append((np.abs(found.beta - seen(found, beta)) <= 2 * found.sigma)[told])
    for label, shares in inside.items():
        assert len(shares[0]) > 5
        print(f"{name}, {label}: {100 * np.mean(shares):.2f} % of {np.size(shares)} values are within 2 deviations")
        assert 0.93 <= np.mean(shares) <= 0.97, label


def seen(found: Estimate, beta: np.ndarray) -> np.ndarray:
    """The true values of what is found: parameters with those that they took over."""
    true = dict(zip(found.names, beta, strict=True))
    more = {name: sum(c * true[n] for n, c in others.items()) for name, others in found.regrouped.items()}
    return np.array([x + more.get(name, 0.0) for name, x in true.items()])


def noiseless(rows: RegressionRows, beta: np.ndarray) -> RegressionRows:
    """Torques without the error of filtering: those of the decimated columns."""
    return replace(rows, blocks=tuple(replace(b, y=b.W @ beta[b.columns]) for b in rows.blocks))


def with_noise(rows: RegressionRows, count: int, sizes: np.ndarray, seed: int) -> RegressionRows:
    """White noise at the full rate, through the filter of the rows."""
    rng = np.random.default_rng(seed)
    blocks = []
    for block, size in zip(rows.blocks, sizes, strict=True):
        blocks.append(replace(block, y=block.y + decimated(rng.normal(size=count) * size, FACTOR)))
    return replace(rows, blocks=tuple(blocks))
