"""Compiled models of a platform at poses that its legs do not reach."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import symoro


def lowered(*heights: float) -> Any:
    T = np.tile(np.eye(4), (len(heights), 1, 1))
    T[:, 2, 3] = heights
    return T


def codes_of(call: Any, *inputs: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*inputs)
    return found, [w.message.finding.code for w in caught]  # type: ignore[union-attr]


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("name", ["delta", "delta-parallelogram"])
def test_out_of_reach_results_are_nan_with_one_warning(name: str, backend: str) -> None:
    gravity = symoro.gravity(name, optimize=False).compile(backend)
    found, codes = codes_of(gravity, lowered(-0.9, -1.5, -5.0, -50.0))
    assert codes == ["runtime.out_of_reach"]
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()
    found, codes = codes_of(gravity, lowered(-5.0)[0])
    assert codes == ["runtime.out_of_reach"]
    assert np.isnan(found).all()


def test_a_motion_that_the_legs_do_not_allow_is_said_beside() -> None:
    inverse = symoro.inverse_dynamics("delta").compile()
    _, codes = codes_of(inverse, lowered(-0.9, -1.5), [0, 0, 0, 1.0, 0, 0], np.zeros(6))
    assert set(codes) == {"runtime.out_of_reach", "runtime.platform_open"}
