"""Linear algebra by one thread: matrices here are small, and threads that wait for each other cost more than they save.

The threads are those of OpenBLAS, which wheels of NumPy and SciPy have beside them. Other libraries stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CDLL
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy
import scipy


class ThreadCount(NamedTuple):
    """The number of threads of a library: functions that read it and set it."""

    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def thread_counts() -> tuple[ThreadCount, ...]:
    """Those of the libraries of OpenBLAS that NumPy and SciPy have loaded."""
    folders = [Path(str(package.__file__)).parent for package in (numpy, scipy)]
    files = [f for folder in folders for f in folder.parent.glob(f"{folder.name}.libs/*openblas*")]
    files += [f for folder in folders for f in folder.glob(".dylibs/*openblas*")]
    libraries = [CDLL(str(file)) for file in files]
    names = [f"scipy_openblas_{{}}_num_threads{ending}" for ending in ("64_", "")]
    return tuple(
        ThreadCount(getattr(library, name.format("get")), getattr(library, name.format("set")))
        for library in libraries
        for name in names
        if hasattr(library, name.format("get")) and hasattr(library, name.format("set"))
    )


_LOCK = Lock()
_running: list[list[int]] = []
"""For each block that runs the numbers of threads before the first one of them."""


@contextmanager
def one_thread() -> Iterator[None]:
    """A block, or a function, in which linear algebra has one thread; behind the last such block as many as before."""
    with _LOCK:
        _running.append(_running[0] if _running else [count.get() for count in thread_counts()])
        for count in thread_counts():
            count.set(1)
    try:
        yield
    finally:
        with _LOCK:
            before = _running.pop()
            for count, number in zip(thread_counts(), before, strict=True):
                count.set(1 if _running else number)
