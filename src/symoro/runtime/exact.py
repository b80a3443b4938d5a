"""Exact arrays: those that compiled code reads and writes where they lie, without a look at strides or types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symoro.ir.program import Input
from symoro.runtime.kernel import Array


def is_exact(array: Any, dtype: np.dtype[Any]) -> bool:
    return type(array) is np.ndarray and array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned


def number_of_states(declared: Sequence[Input], inputs: Sequence[Any], dtype: np.dtype[Any]) -> int | None:
    """The number of states of exact inputs, each with one leading axis or none; None for other inputs."""
    if not all(is_exact(a, dtype) for a in inputs):
        return None
    axes = [a.ndim - len(i.shape) for i, a in zip(declared, inputs, strict=True)]
    shapes = [a.shape[-len(i.shape) :] if i.shape else () for i, a in zip(declared, inputs, strict=True)]
    counts = {len(a) for a, leading in zip(inputs, axes, strict=True) if leading == 1}
    fits = shapes == [i.shape for i in declared] and all(leading in (0, 1) for leading in axes)
    return counts.pop() if fits and len(counts) == 1 else None


def rows(declared: Input, array: Array) -> Array:
    """The array with one axis for the elements of a state, and before it the one of the states if it has one."""
    leading = array.shape[: array.ndim - len(declared.shape)]
    return array.reshape((*leading, len(declared.variables)))


def may_be_filled(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], inputs: Sequence[Array]) -> bool:
    """Is it an exact array of this shape that lies on no input? Some states are written while others are read."""
    if not is_exact(out, dtype) or out.shape != shape or not out.flags.writeable:
        return False
    return not any(np.may_share_memory(out, a) for a in inputs)
