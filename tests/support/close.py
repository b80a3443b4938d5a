"""Agreement of numbers, defined once for all tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def assert_close(found: ArrayLike, expected: ArrayLike, tolerance: float, condition: float = 1.0) -> None:
    """Assert max|found − expected| ≤ tolerance · condition · (1 + max|expected|).

    `condition` is the condition number of what was solved for `found`, for example cond(A) of direct models.
    Shapes must be equal, there must be something to compare, and no NaN or infinity passes.
    """
    a, b = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert a.shape == b.shape, f"the shape is {a.shape}, expected is {b.shape}"
    assert a.size, f"there is nothing to compare: the shape is {a.shape}"
    with np.errstate(invalid="ignore"):
        difference = np.abs(a - b)
    largest = float(np.abs(b).max())
    limit = tolerance * condition * (1 + largest)
    assert np.isfinite(limit), f"no limit: the largest expected element is {largest}, the condition {condition}"
    worst = np.unravel_index(int(difference.argmax()), difference.shape)  # argmax stops at a NaN
    assert difference[worst] <= limit, (
        f"largest difference {difference[worst]:.3g} at {tuple(map(int, worst))}: found {a[worst]!r}, "
        f"expected {b[worst]!r}; at most {limit:.3g} = {tolerance:g} × {condition:.3g} × (1 + {largest:.3g})"
    )
