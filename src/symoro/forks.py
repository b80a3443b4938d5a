"""What a fork needs while other threads work: locks that the child process can take.

The child has no thread but the one that forked. A lock that another thread holds at that time stays locked in it for
ever. A fork therefore waits for the locks that guard code in the making, and the child renews those of properties.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property

#: Held by the thread that makes code or constants, so that others take what it has made.
MAKING = threading.RLock()

_waited_for: list[AbstractContextManager[object]] = [MAKING]
_held = ExitStack()


def wait_for(lock: AbstractContextManager[object]) -> None:
    """Forks wait for this lock, too. Who takes several locks takes them in the order in which they are named here."""
    _waited_for.append(lock)


def _take() -> None:
    global _held
    taken = ExitStack()
    for lock in tuple(_waited_for):
        taken.enter_context(lock)
    _held = taken


def _release() -> None:
    _held.close()


def renew_properties() -> None:
    """Before Python 3.12, each cached property has a lock for all objects; it is held while a value is computed."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "symoro"]
    classes = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    for found in [value for kind in classes for value in vars(kind).values() if isinstance(value, cached_property)]:
        vars(found)["lock"] = threading.RLock()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
