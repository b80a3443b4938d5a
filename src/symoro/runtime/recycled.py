"""Large new arrays in the memory of earlier ones that nobody holds any more.

The system takes the memory of a large array back when it is freed, and fills that of the next one with zeros page by
page. A batch that takes some nanoseconds for a state would wait for that as long as it computes.

The base of such an array is a lease: views, memory views and what other packages make of the array hold it, directly or
through the array. When the last of them is gone, Python says so, and the memory may be used again.
"""

from __future__ import annotations

import ctypes
from collections import deque
from contextlib import suppress
from math import prod
from typing import Any
from weakref import finalize

import numpy as np

from symoro.runtime.kernel import Array

#: Below this number of bytes the C library keeps freed memory itself.
LEAST = 2**25
#: More bytes than this are given back to the system.
MOST = 2**28
#: The pieces of memory that nobody holds: two at most. It needs no lock, which a finaliser could not wait for, because
#: each call of it is one step for other threads.
_free: deque[Array] = deque(maxlen=2)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A new array whose numbers are not set. If it is a large one, it may lie where an earlier one was."""
    size = prod(shape) * dtype.itemsize
    if not LEAST <= size <= MOST:
        return np.empty(shape, dtype)
    memory = _memory(size)
    lease: Any = (ctypes.c_byte * size).from_buffer(memory.data)
    end = finalize(lease, _free.append, memory)
    end.atexit = False  # when Python ends, arrays are in use still
    return np.ndarray(shape, dtype, lease)


def _memory(size: int) -> Array:
    """Memory of this number of bytes or up to twice as many: a free piece, else a new one."""
    for _ in range(len(_free)):
        with suppress(IndexError):  # another thread took it
            piece = _free.popleft()
            if size <= piece.nbytes <= 2 * size:
                return piece
            _free.append(piece)
    try:
        return np.empty(size, np.uint8)
    except MemoryError:
        _free.clear()
        return np.empty(size, np.uint8)
