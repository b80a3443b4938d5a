"""What passes share: their type, fingerprints of programs, the last result of a function of programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper, wraps
from typing import Any, TypeVar

from symoro.ir.draft import Draft
from symoro.ir.program import Program
from symoro.ir.signature import Signatures

# What a pass is: a function from programs to drafts.


class Pass:
    """A function from a program to a program with the same meaning.

    `draft` gives the new program before it is written. It is in a graph of its own, which nothing else uses.
    """

    def __init__(self, draft: Callable[..., Draft]) -> None:
        self.draft = draft
        update_wrapper(self, draft)

    def __call__(self, program: Program, *choices: Any) -> Program:
        draft = self.draft(program, *choices)
        written = draft.write()
        draft.discard()
        return written


# A function of programs that keeps its last result, because passes one after the other look at the same program.


Found = TypeVar("Found")


def of_the_last(work: Callable[[Program], Found]) -> Callable[[Program], Found]:
    """The same function with its last result kept. A caller may not change a result: others get it, too."""
    known: tuple[Program, Found] | None = None

    @wraps(work)
    def once(program: Program) -> Found:
        nonlocal known
        last = known  # another thread may replace it
        if last is None or last[0] is not program:
            last = known = program, work(program)
        return last[1]

    return once


# The fingerprints of a program, which two passes read.


@of_the_last
def fingerprints(program: Program) -> Mapping[str, int]:
    """Of every variable (see `ir.signature`)."""
    return Signatures(program).of
