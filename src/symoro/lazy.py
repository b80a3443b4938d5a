"""Properties that are computed once, without a lock.

The property of the standard library has a lock for all objects before Python 3.12. A thread that computes a value holds
it, and a process that is forked at that time could never take it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as lazy  # type checkers know how subclasses may override it
else:

    class lazy:  # noqa: N801
        """A property that is computed at its first use and kept in the object, where Python finds it by itself.

        Threads that ask at the same time may compute it twice.
        """

        def __init__(self, make: Any) -> None:
            self._make = make
            self._name = make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, owner: Any, kind: type | None = None) -> Any:
            if owner is None:
                return self
            value = vars(owner)[self._name] = self._make(owner)
            return value


__all__ = ["lazy"]
