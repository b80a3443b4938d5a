"""Passes one after the other look at the same program: what they find in it is found once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from symoro.ir.program import Program

Found = TypeVar("Found")


def of_the_last(work: Callable[[Program], Found]) -> Callable[[Program], Found]:
    """The function, which keeps what it found for the last program. Nobody may change what it gives."""
    known: tuple[Program, Found] | None = None

    @wraps(work)
    def once(program: Program) -> Found:
        nonlocal known
        found = known  # another thread may replace it
        if found is None or found[0] is not program:
            found = known = program, work(program)
        return found[1]

    return once
