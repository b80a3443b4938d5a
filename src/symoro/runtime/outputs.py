"""The arrays of a call: rows of a batch, and those that results are written into."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from symoro.errors import InputError, ShapeError
from symoro.findings import Finding
from symoro.ir.program import Input, Output
from symoro.runtime import recycled
from symoro.runtime.kernel import Array, BoundKernel
from symoro.runtime.threads import CHUNK

# Arrays of real numbers from what a caller gives: nothing is converted that would lose a meaning.


_REAL = "biuf"
"""The kinds of NumPy types that are real numbers: booleans, integers and floats."""


def real_array(name: str | Input, value: Any, dtype: Any = np.float64) -> Array:
    """What is given as an array of doubles, or of another type; `InputError` where it is not one of real numbers."""
    return converted(real_numbers(name, value), dtype)


def real_numbers(name: str | Input, value: Any) -> Array:
    """What is given as an array of real numbers of any type; `InputError` where it is not one.

    Complex numbers are refused, because their imaginary part would be lost; texts, dates, objects and masked elements,
    because they are not numbers.
    """
    masks = sys.modules.get("numpy.ma")  # it is loaded at first use, and that takes longer than most models
    if masks is not None and isinstance(value, masks.MaskedArray) and masks.is_masked(value):
        raise not_real(name, Finding("runtime.masked"))
    try:
        array = np.asarray(value)
    except Exception as error:  # an object may raise anything when it is asked for its array
        raise not_real(name, error) from None
    if array.dtype.kind == "c":
        raise not_real(name, Finding("runtime.complex_here"))
    if array.dtype.kind not in _REAL:
        raise not_real(name, Finding("runtime.type", type=array.dtype))
    return array


def not_real(name: str | Input, reason: object) -> InputError:
    """The error of what is not an array of real numbers."""
    subject = name if isinstance(name, str) else Finding("runtime.input", name=name.name, shape=str(name.shape))
    return InputError("runtime.not_real", subject=subject, reason=reason)


def converted(array: Array, dtype: Any) -> Array:
    """The array in this type and in the order of bytes of this machine; itself where it is so already."""
    if array.dtype == dtype:
        return np.asarray(array, dtype)  # it may have the other order of bytes
    with np.errstate(over="ignore"):  # a number that is too large for the type is infinite
        return np.asarray(array, dtype=dtype)


# Exact arrays: those that compiled code reads and writes where they lie, without a look at strides or types.


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


# The states of a batch: arrays with leading axes as rows, which are read where they lie or copied by pieces.


#: Bytes of rows, and states, that are copied at a time at most, where they must be copied.
_PIECE, _STATES = 2**22, 16 * CHUNK


def run(
    bound: BoundKernel, declared: Sequence[Input], inputs: Sequence[Array], results: Results, threads: int
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
    plain = converted(array, dtype)
    return plain if plain.flags.c_contiguous and plain.flags.aligned else plain.copy()


def _part(declared: Input, array: Array, rows: Array | None, results: Results, start: int, stop: int) -> Array:
    """The states from start to stop, copied if they cannot be read where they lie."""
    if rows is not None:
        return rows if rows.ndim == 1 else rows[start:stop]
    full = np.broadcast_to(array, (*results.batch, *declared.shape))
    part = _plain(full[results.places(start, stop)], results.dtype)
    return part.reshape(stop - start, len(declared.variables))


# The arrays that results are written into: new ones, or those that `out=` gives.


#: The kinds of NumPy types that hold real numbers as they are: floats, complex numbers and objects.
_HOLDING = "fcO"
#: The work that NumPy may take to decide whether two arrays share memory; if it does not get there, they may.
_WORK = 10_000


class Results:
    """The arrays that a call returns, and the rows that its kernel fills.

    The rows are those of the arrays themselves. If an array that `out=` gives has another layout or type, its rows are
    filled by pieces and copied. If it shares memory with an input, it is written at the end.
    """

    def __init__(
        self,
        declared: Sequence[Output],
        batch: tuple[int, ...],
        dtype: np.dtype[Any],
        out: Any,
        inputs: Sequence[Array],
    ) -> None:
        self.batch, self.dtype = batch, dtype
        self._declared = declared
        shapes = [(*batch, *o.shape) for o in declared]
        if out is None:
            self.arrays = [recycled.empty(shape, dtype) for shape in shapes]
            self._whole: list[Array | None] = [*self.arrays]
        else:
            self.arrays = _of_caller(declared, shapes, out, dtype)
            self._whole = [_filled(array, dtype, inputs) for array in self.arrays]

    @property
    def copied(self) -> int:
        """The elements of a state that are copied by pieces."""
        return sum(len(o.elements) for o, whole in zip(self._declared, self._whole, strict=True) if whole is None)

    def rows(self, start: int, stop: int) -> list[Array]:
        """The rows (states, elements) of the states from start to stop, to be filled."""
        n = prod(self.batch)
        return [
            np.empty((stop - start, len(o.elements)), self.dtype)
            if whole is None
            else whole.reshape(n, len(o.elements))[start:stop]
            for o, whole in zip(self._declared, self._whole, strict=True)
        ]

    def store(self, rows: Sequence[Array], start: int, stop: int) -> None:
        """Write rows that are filled to the arrays that they are not part of."""
        for o, array, whole, filled in zip(self._declared, self.arrays, self._whole, rows, strict=True):
            if whole is None:
                place = self.places(start, stop)
                shape = array.shape if place is ... else (stop - start, *o.shape)
                _copy(filled.reshape(shape), array, place)

    def places(self, start: int, stop: int) -> Any:
        """The index of the states from start to stop in an array with the leading axes of the batch."""
        if start == 0 and stop == prod(self.batch):
            return ...
        return np.unravel_index(np.arange(start, stop), self.batch)

    def finish(self) -> list[Array]:
        """The arrays, when all rows are filled."""
        for array, whole in zip(self.arrays, self._whole, strict=True):
            if whole is not None and whole is not array:
                _copy(whole, array, ...)
        return self.arrays


def _copy(filled: Array, array: Array, place: Any) -> None:
    with np.errstate(over="ignore"):  # a number that is too large for the type is infinite
        array[place] = filled


def _filled(array: Array, dtype: np.dtype[Any], inputs: Sequence[Array]) -> Array | None:
    """The array that the kernel fills as a whole: the given one, or a new one; None where pieces will do."""
    if any(_share_memory(array, source) for source in inputs):
        return np.empty(array.shape, dtype)
    plain = array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    return array if plain else None


def _of_caller(
    declared: Sequence[Output], shapes: Sequence[tuple[int, ...]], out: Any, dtype: np.dtype[Any]
) -> list[Array]:
    arrays = [out] if len(declared) == 1 and not isinstance(out, tuple) else out
    if not isinstance(arrays, tuple | list) or len(arrays) != len(declared):
        names = [o.name for o in declared]
        if len(names) == 1:
            raise ShapeError("runtime.out", names=names)
        raise ShapeError("runtime.out_of_several", count=len(names), names=names)
    for array, output, shape in zip(arrays, declared, shapes, strict=True):
        _check(array, output.name, shape, dtype)
    for k, array in enumerate(arrays):
        if any(_share_memory(array, other) for other in arrays[:k]):
            raise ShapeError("runtime.out_shared", name=declared[k].name)
    return list(arrays)


def _check(array: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise ShapeError("runtime.out_type", name=name, type=type(array).__name__)
    if array.shape != shape:
        raise ShapeError("runtime.out_shape", name=name, wanted=str(shape), shape=str(array.shape))
    if not array.flags.writeable:
        raise ShapeError("runtime.out_read_only", name=name)
    if array.dtype.kind not in _HOLDING or not np.can_cast(dtype, array.dtype, "same_kind"):
        raise ShapeError("runtime.out_numbers", name=name, wanted=dtype.name, type=array.dtype)
    if not _elements_apart(array):
        raise ShapeError("runtime.out_overlaps", name=name, strides=str(array.strides))


def _elements_apart(array: Array) -> bool:
    """Whether each axis steps over all that the axes with shorter steps reach."""
    reach = array.itemsize if array.size else 0
    for step, length in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step < reach:
            return False
        reach += step * (length - 1)
    return True


def _share_memory(a: Array, b: Array) -> bool:
    """Whether two arrays share memory, as far as NumPy finds out quickly."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=_WORK)  # type: ignore[arg-type]  # its stub allows two numbers only
    except np.exceptions.TooHardError:
        return True
