"""Attributes that are made once, whichever thread asks first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from symoro.forks import MAKING

T = TypeVar("T")


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
            found: T = kept[self._name]
            return found
