"""Arrays with leading axes as rows of states, and the arrays that results are written into."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from symoro.errors import ShapeError
from symoro.ir.program import Output
from symoro.runtime.kernel import Array, Bound

#: States of which inputs are copied at a time, where they must be copied.
_PIECE = 16384


def run(bound: Bound, inputs: Sequence[Array], batch: tuple[int, ...], outputs: Sequence[Array], threads: int) -> None:
    """Compute the states of a batch into outputs (n, elements). An input is (..., elements).

    No input is copied as a whole: rows are read where they lie, or copied by pieces if their layout is another one.
    """
    n = prod(batch)
    if n == 0:
        return
    rows = [_rows(array, batch) for array in inputs]
    if all(view is not None for view in rows):
        bound.fill([view for view in rows if view is not None], outputs, n, threads)
        return
    for start in range(0, n, _PIECE):
        stop = min(start + _PIECE, n)
        parts = [_part(a, view, batch, start, stop) for a, view in zip(inputs, rows, strict=True)]
        bound.fill(parts, [o[start:stop] for o in outputs], stop - start, threads)


def _rows(array: Array, batch: tuple[int, ...]) -> Array | None:
    """The states (n, elements) without a copy, (elements,) if all states share them; None if that is not possible."""
    if array.ndim == 1:
        return _plain(array)
    full = np.broadcast_to(array, (*batch, array.shape[-1]))
    axes = [(length, stride) for length, stride in zip(batch, full.strides, strict=False) if length > 1]
    if not any(stride for _, stride in axes):
        return _plain(full[(0,) * len(batch)])
    step = axes[-1][1]
    one_step = all(outer == inner * length for (_, outer), (length, inner) in pairwise(axes))
    in_order = array.shape[-1] < 2 or array.strides[-1] == array.itemsize
    if not (one_step and in_order and array.flags.aligned and step % array.itemsize == 0):
        return None
    return as_strided(full, (prod(batch), array.shape[-1]), (step, array.itemsize), writeable=False)


def _plain(array: Array) -> Array:
    """The array, contiguous and aligned."""
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy()


def _part(array: Array, rows: Array | None, batch: tuple[int, ...], start: int, stop: int) -> Array:
    """The states from start to stop, copied if they cannot be read where they lie."""
    if rows is not None:
        return rows if rows.ndim == 1 else rows[start:stop]
    full = np.broadcast_to(array, (*batch, array.shape[-1]))
    return np.ascontiguousarray(full[np.unravel_index(np.arange(start, stop), batch)])


class Results:
    """The arrays that a call returns, and the contiguous ones that its kernel fills.

    They are the same, unless an array that `out=` gives has another layout or type, or shares memory with an input.
    """

    def __init__(
        self,
        declared: Sequence[Output],
        batch: tuple[int, ...],
        dtype: np.dtype[Any],
        out: Any,
        inputs: Sequence[Array],
    ) -> None:
        shapes = [(*batch, *o.shape) for o in declared]
        if out is None:
            self.arrays = [np.empty(shape, dtype) for shape in shapes]
            self.filled = self.arrays
        else:
            self.arrays = _given(declared, shapes, out, dtype)
            self.filled = [a if _writable_at_once(a, dtype, inputs) else np.empty(a.shape, dtype) for a in self.arrays]
        n = prod(batch)
        self.rows = [a.reshape(n, len(o.elements)) for a, o in zip(self.filled, declared, strict=True)]

    def finish(self) -> list[Array]:
        for given, filled in zip(self.arrays, self.filled, strict=True):
            if given is not filled:
                with np.errstate(over="ignore"):  # a number that is too large for the type is infinite
                    given[...] = filled
        return self.arrays


def _given(
    declared: Sequence[Output], shapes: Sequence[tuple[int, ...]], out: Any, dtype: np.dtype[Any]
) -> list[Array]:
    arrays = [out] if len(declared) == 1 and not isinstance(out, tuple) else out
    if not isinstance(arrays, tuple | list) or len(arrays) != len(declared):
        what = "an array" if len(declared) == 1 else f"a tuple of {len(declared)} arrays"
        raise ShapeError(f"out must be {what}: {', '.join(o.name for o in declared)}")
    for array, output, shape in zip(arrays, declared, shapes, strict=True):
        if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
            raise ShapeError(f"out for {output.name} must be a NumPy array, not {type(array).__name__}")
        if array.shape != shape:
            raise ShapeError(f"out for {output.name} must have shape {shape}, not {array.shape}")
        if not array.flags.writeable:
            raise ShapeError(f"out for {output.name} is read-only")
        if not np.can_cast(dtype, array.dtype, "same_kind"):
            raise ShapeError(f"out for {output.name} must hold {dtype.name}, not {array.dtype}")
    for k, array in enumerate(arrays):
        if any(np.may_share_memory(array, other) for other in arrays[:k]):
            raise ShapeError(f"out for {declared[k].name} shares memory with another array of out")
    return list(arrays)


def _writable_at_once(array: Array, dtype: np.dtype[Any], inputs: Sequence[Array]) -> bool:
    plain = array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    return plain and not any(np.may_share_memory(array, given) for given in inputs)
