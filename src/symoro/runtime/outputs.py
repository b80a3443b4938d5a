"""The arrays that results are written into: new ones, or those that `out=` gives."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symoro.errors import ShapeError
from symoro.ir.program import Output
from symoro.runtime.kernel import Array

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
            self.arrays = [np.empty(shape, dtype) for shape in shapes]
            self._whole: list[Array | None] = [*self.arrays]
        else:
            self.arrays = _given(declared, shapes, out, dtype)
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
    if any(_share_memory(array, given) for given in inputs):
        return np.empty(array.shape, dtype)
    plain = array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned
    return array if plain else None


def _given(
    declared: Sequence[Output], shapes: Sequence[tuple[int, ...]], out: Any, dtype: np.dtype[Any]
) -> list[Array]:
    arrays = [out] if len(declared) == 1 and not isinstance(out, tuple) else out
    if not isinstance(arrays, tuple | list) or len(arrays) != len(declared):
        what = "an array" if len(declared) == 1 else f"a tuple of {len(declared)} arrays"
        raise ShapeError(f"out must be {what}: {', '.join(o.name for o in declared)}")
    for array, output, shape in zip(arrays, declared, shapes, strict=True):
        _check(array, output.name, shape, dtype)
    for k, array in enumerate(arrays):
        if any(_share_memory(array, other) for other in arrays[:k]):
            raise ShapeError(f"out for {declared[k].name} shares memory with another array of out")
    return list(arrays)


def _check(array: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise ShapeError(f"out for {name} must be a NumPy array, not {type(array).__name__}")
    if array.shape != shape:
        raise ShapeError(f"out for {name} must have shape {shape}, not {array.shape}")
    if not array.flags.writeable:
        raise ShapeError(f"out for {name} is read-only")
    if array.dtype.kind not in _HOLDING or not np.can_cast(dtype, array.dtype, "same_kind"):
        raise ShapeError(f"out for {name} must hold {dtype.name}, not {array.dtype}")
    if not _elements_apart(array):
        raise ShapeError(f"out for {name} has elements that lie on each other: its strides are {array.strides}")


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
