"""The states of a batch: arrays with leading axes as rows, which are read where they lie or copied by pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from symoro.ir.program import Input
from symoro.runtime.arrays import converted
from symoro.runtime.job import CHUNK
from symoro.runtime.kernel import Array, Bound
from symoro.runtime.outputs import Results

#: Bytes of rows, and states, that are copied at a time at most, where they must be copied.
_PIECE, _STATES = 2**22, 16 * CHUNK


def run(
    bound: Bound, declared: Sequence[Input], inputs: Sequence[Array], results: Results, threads: int
) -> list[Array]:
    """Compute a batch. Inputs have any layout and type, and leading axes that broadcast to those of the batch.

    No array is copied as a whole: a row is read where it lies, and written where it belongs. If layout or type are
    not those of the code, rows are copied by pieces.
    """
    batch, n = results.batch, prod(results.batch)
    if n == 0:
        return results.finish()
    rows = [_rows(i, array, batch, results.dtype) for i, array in zip(declared, inputs, strict=True)]
    copied = sum(len(i.variables) for i, view in zip(declared, rows, strict=True) if view is None)
    piece = _states_at_once(n, (copied + results.copied) * results.dtype.itemsize)
    for start in range(0, n, piece):
        stop = min(start + piece, n)
        parts = [
            _part(i, array, view, results, start, stop) for i, array, view in zip(declared, inputs, rows, strict=True)
        ]
        filled = results.rows(start, stop)
        bound.fill(parts, filled, stop - start, threads)
        results.store(filled, start, stop)
    return results.finish()


def _states_at_once(n: int, size: int) -> int:
    """All states where nothing is copied; else as many as a piece holds, and not too few."""
    return n if size == 0 else max(min(_PIECE // size, _STATES), CHUNK)


def _rows(declared: Input, array: Array, batch: tuple[int, ...], dtype: np.dtype[Any]) -> Array | None:
    """The states (n, elements) without a copy, (elements,) if all states share them; None if that is not possible."""
    elements, lead = len(declared.variables), array.ndim - len(declared.shape)
    if lead == 0:
        return _plain(array, dtype).reshape(elements)
    full = np.broadcast_to(array, (*batch, *declared.shape))
    axes = [(length, stride) for length, stride in zip(batch, full.strides, strict=False) if length > 1]
    if not any(stride for _, stride in axes):
        return _plain(array[(0,) * lead], dtype).reshape(elements)
    step = axes[-1][1]
    one_step = all(outer == inner * length for (_, outer), (length, inner) in pairwise(axes))
    as_is = array.dtype == dtype and array.dtype.isnative and array.flags.aligned and step % array.itemsize == 0
    if not (one_step and as_is and full[(0,) * len(batch)].flags.c_contiguous):
        return None
    return as_strided(full, (prod(batch), elements), (step, array.itemsize), writeable=False)


def _plain(array: Array, dtype: np.dtype[Any]) -> Array:
    """The array in this type, contiguous and aligned."""
    found = converted(array, dtype)
    return found if found.flags.c_contiguous and found.flags.aligned else found.copy()


def _part(declared: Input, array: Array, rows: Array | None, results: Results, start: int, stop: int) -> Array:
    """The states from start to stop, copied if they cannot be read where they lie."""
    if rows is not None:
        return rows if rows.ndim == 1 else rows[start:stop]
    full = np.broadcast_to(array, (*results.batch, *declared.shape))
    part = _plain(full[results.places(start, stop)], results.dtype)
    return part.reshape(stop - start, len(declared.variables))
