"""Arrays of real numbers from what a caller gives: nothing is converted that would lose a meaning."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from symoro.errors import InputError
from symoro.runtime.kernel import Array

_REAL = "biuf"
"""The kinds of NumPy types that are real numbers: booleans, integers and floats."""


def real_array(name: str, given: Any, dtype: Any = np.float64) -> Array:
    """What is given as an array of doubles, or of another type; `InputError` where it is not one of real numbers."""
    return converted(real_numbers(name, given), dtype)


def real_numbers(name: str, given: Any) -> Array:
    """What is given as an array of real numbers of any type; `InputError` where it is not one.

    Complex numbers are refused, because their imaginary part would be lost; texts, dates, objects and masked elements,
    because they are not numbers.
    """
    masks = sys.modules.get("numpy.ma")  # it is loaded at first use, and that takes longer than most models
    if masks is not None and isinstance(given, masks.MaskedArray) and masks.is_masked(given):
        raise InputError(f"{name} is not an array of real numbers: some of its elements are masked")
    try:
        array = np.asarray(given)
    except Exception as error:  # an object may raise anything when it is asked for its array
        raise InputError(f"{name} is not an array of real numbers: {error}") from None
    if array.dtype.kind == "c":
        hint = "only real numbers are computed; model.derivative(...) gives exact derivatives"
        raise InputError(f"{name} is not an array of real numbers: it has complex numbers ({hint})")
    if array.dtype.kind not in _REAL:
        raise InputError(f"{name} is not an array of real numbers: its type is {array.dtype}")
    return array


def converted(array: Array, dtype: Any) -> Array:
    """The array in this type and in the order of bytes of this machine; itself where it is so already."""
    if array.dtype == dtype:
        return np.asarray(array, dtype)  # it may have the other order of bytes
    with np.errstate(over="ignore"):  # a number that is too large for the type is infinite
        return np.asarray(array, dtype=dtype)
