"""Work on symbols that is done once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from symoro.symbols import Symbols

Known = TypeVar("Known")
Arguments = ParamSpec("Arguments")


def remembered(
    work: Callable[Concatenate[Symbols, Arguments], Known],
) -> Callable[Concatenate[Symbols, Arguments], Known]:
    """Do work on symbols once for the same arguments, which must be hashable, and keep its result with the symbols.

    The trials of a search share most of their work.
    """

    @wraps(work)
    def once(s: Symbols, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Known:
        key: Hashable = (work, args, tuple(kwargs.items()))
        if key not in s.memory:
            s.memory[key] = work(s, *args, **kwargs)
        known: Known = s.memory[key]
        return known

    return once
