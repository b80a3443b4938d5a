"""`assert_close`, on which the comparisons of all tests rely."""

from __future__ import annotations

import numpy as np
import pytest

from support.close import assert_close


def test_the_tolerance_is_relative_to_one_plus_the_largest_expected_element() -> None:
    assert_close([0.0, 3.9e-9], [0.0, 0.0], 4e-9)
    assert_close([3.9e-9, 3.0], [0.0, 3.0], 1e-9)
    with pytest.raises(AssertionError, match=r"largest difference 4.1e-09 at \(1,\)"):
        assert_close([3.0, 4.1e-9], [3.0, 0.0], 1e-9)
    with pytest.raises(AssertionError, match="largest difference 2"):
        assert_close(1e12 + 2, 1e12, 1e-12)


def test_the_condition_number_widens_the_tolerance() -> None:
    assert_close(5e-8, 0.0, 1e-9, condition=100)
    with pytest.raises(AssertionError, match="1e-09 × 10 ×"):
        assert_close(5e-8, 0.0, 1e-9, condition=10)


def test_the_message_says_where_and_how_much() -> None:
    with pytest.raises(AssertionError, match=r"0\.5 at \(1, 0\): found .*1\.5.*, expected .*1\.0.*; at most 2e-09"):
        assert_close([[1, 1], [1.5, 1]], np.ones((2, 2)), 1e-9)


@pytest.mark.parametrize(
    ("found", "expected"),
    [(np.nan, 1.0), (1.0, np.nan), (np.nan, np.nan), (np.inf, 1.0), (1.0, np.inf), (np.inf, np.inf)],
)
def test_nan_and_infinity_never_pass(found: float, expected: float) -> None:
    for a, b in (([0.0, found], [0.0, expected]), ([found, 2.0], [expected, 1.0])):
        with pytest.raises(AssertionError):
            assert_close(a, b, 1e9)
    with pytest.raises(AssertionError):
        assert_close(1.0, 1.0, 1e-9, condition=np.inf)


@pytest.mark.parametrize(("found", "expected"), [((3,), ()), ((1, 3), (3,)), ((3, 1), (3,)), ((0,), (0,))])
def test_shapes_must_be_equal_and_not_empty(found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    with pytest.raises(AssertionError, match="shape"):
        assert_close(np.zeros(found), np.zeros(expected), 1e-9)
