"""σ of every estimator: of linear rows with noise, in many repetitions, two of them hold the true values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from symoro.identification.estimate.estimate import Estimate, ordinary, robust, weighted
from symoro.identification.regress.rows import RegressionRows, RowBlock, triangles_of

SEEDS, COUNT = 300, 150
TRUE = np.array([2.0, -1.0, 0.5, 3.0])
SCALES, COLUMNS = (0.05, 1.0), ((0, 1, 2), (2, 3))
"""Noise and columns of the rows of each joint."""
METHODS: dict[str, Callable[[RegressionRows], Estimate]] = {
    "ols": lambda rows: ordinary(triangles_of(rows)),
    "wls": lambda rows: weighted(triangles_of(rows)),
    "irls": robust,
}


def normal(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=COUNT)


def with_outliers(rng: np.random.Generator) -> np.ndarray:
    """A tenth of the rows has ten times the noise."""
    return rng.normal(size=COUNT) * np.where(rng.random(COUNT) < 0.1, 10.0, 1.0)


def rows_with(noise: Callable[[np.random.Generator], np.ndarray], seed: int) -> RegressionRows:
    rng, blocks = np.random.default_rng(seed), []
    for joint, scale in enumerate(SCALES):
        mine = np.array(COLUMNS[joint])
        W = np.random.default_rng(99 + joint).normal(size=(COUNT, len(mine)))
        blocks.append(RowBlock(joint, 0, np.arange(COUNT) / 100, mine, W, W @ TRUE[mine] + scale * noise(rng)))
    return RegressionRows(("A1", "B1", "C1", "D1"), ("one", "two"), tuple(blocks))


@pytest.mark.parametrize(
    ("method", "noise"), [("ols", normal), ("wls", normal), ("irls", normal), ("irls", with_outliers)]
)
def test_two_deviations_hold_the_true_values(method: str, noise: Callable[..., np.ndarray]) -> None:
    found = [METHODS[method](rows_with(noise, seed)) for seed in range(SEEDS)]
    inside = np.abs([one.beta - TRUE for one in found]) <= 2 * np.array([one.sigma for one in found])
    assert 0.93 <= inside.mean() <= 0.97
    assert (np.abs(inside.mean(axis=0) - 0.954) < 0.05).all()  # of each parameter, within 4 deviations
