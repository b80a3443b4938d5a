"""A function of programs that keeps its last result, because passes one after the other look at the same program."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from symoro.ir.program import Program

Found = TypeVar("Found")


def of_the_last(work: Callable[[Program], Found]) -> Callable[[Program], Found]:
    """The same function with its last result kept. A caller may not change a result: others get it, too."""
    known: tuple[Program, Found] | None = None

    @wraps(work)
    def once(program: Program) -> Found:
        nonlocal known
        found = known  # another thread may replace it
        if found is None or found[0] is not program:
            found = known = program, work(program)
        return found[1]

    return once
