"""How objects of Python and NumPy lie in memory, which code that Python calls directly must know.

It is looked at once in a process. Where something is not as known, there are no direct calls.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

#: Where the fields of a NumPy array lie, in bytes.
FIELDS = {"type": 8, "data": 16, "nd": 24, "shape": 32, "strides": 40, "descriptor": 56, "flags": 64}


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """The size of a tuple without its items. The two words of a direct function lie behind `function` bytes."""

    tuple: int
    function: int


class _WithDictionary:
    """An object with a dictionary and weak references, as a function has."""


@cache
def layout() -> ObjectLayout | None:
    """The layout of this process; None where it is not the known one of CPython with a global lock, in 64 bits."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return None
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    samples = [np.array(1.5), np.zeros((2, 6, 4))[:, ::2, ::-1], frozen, np.ones((2, 3), np.float32)]
    first = (1, None)
    item = ctypes.c_void_p.from_address(id(first) + tuple.__basicsize__).value
    if np.ndarray.__basicsize__ < 72 or item != id(first[0]) or not all(map(_as_known, samples)):
        return None
    return ObjectLayout(tuple.__basicsize__, _WithDictionary.__basicsize__)


def _as_known(array: Any) -> bool:
    """Are the fields of an array where they are expected?"""
    shape = (ctypes.c_ssize_t * array.ndim).from_address(_field(array, "shape", ctypes.c_void_p) or id(array))
    strides = (ctypes.c_ssize_t * array.ndim).from_address(_field(array, "strides", ctypes.c_void_p) or id(array))
    return bool(
        _field(array, "type", ctypes.c_void_p) == id(np.ndarray)
        and _field(array, "data", ctypes.c_void_p) == array.ctypes.data
        and _field(array, "nd", ctypes.c_int) == array.ndim
        and tuple(shape) == array.shape
        and tuple(strides) == array.strides
        and _field(array, "descriptor", ctypes.c_void_p) == id(array.dtype)
        and _field(array, "flags", ctypes.c_int) & 0xFFF == array.flags.num & 0xFFF
    )


def _field(array: Any, name: str, kind: Any) -> Any:
    return kind.from_address(id(array) + FIELDS[name]).value


def slot_offsets(kind: type, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """Where slots lie in an object, in bytes: marks are put into them and looked for. None if one is not seen."""
    sample: Any = object.__new__(kind)
    marks = [object() for _ in names]
    for name, mark in zip(names, marks, strict=True):
        object.__setattr__(sample, name, mark)
    size = ctypes.sizeof(ctypes.c_void_p)
    words = {ctypes.c_void_p.from_address(id(sample) + at).value: at for at in range(0, kind.__basicsize__, size)}
    offsets = tuple(words[id(mark)] for mark in marks if id(mark) in words)
    return offsets if len(offsets) == len(names) else None
