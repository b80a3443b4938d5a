"""What is computed once, whichever thread asks first, and what a fork needs while other threads compute it.

A forked process has no thread but the one that forked. A lock that another thread holds at that time stays locked in
it for ever. A fork therefore waits for the locks that guard code in the making.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Generic, TypeVar

T = TypeVar("T")
#: Held by the thread that makes code or constants, so that others take what it has computed.
MAKING = threading.RLock()
#: Held by the thread that parses Python, as NumPy does to read the header of a file. In Python 3.11 two threads that
#: parse at once may end in a SystemError: they share one counter of the recursion depth.
PARSING = threading.Lock()

_waited_for: list[AbstractContextManager[object]] = [MAKING, PARSING]
_taken = ExitStack()


def wait_for(lock: AbstractContextManager[object]) -> None:
    """Forks wait for this lock, too. Who takes several locks takes them in the order in which they are named here."""
    _waited_for.append(lock)


def _take() -> None:
    global _taken
    taken = ExitStack()
    for lock in tuple(_waited_for):
        taken.enter_context(lock)
    _taken = taken


def _release() -> None:
    _taken.close()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)


class Once(Generic[T]):
    """A property that is computed at its first use and kept. Other threads wait for it, and so does a fork.

    Python finds what is kept without asking the property.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type) -> T:
        with MAKING:
            kept = vars(owner)
            if self._name not in kept:
                kept[self._name] = self._make(owner)
            value: T = kept[self._name]
            return value
