"""What a pass is: a function from programs to drafts."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from symoro.ir.draft import Draft
from symoro.ir.program import Program


class Pass:
    """A function from a program to a program with the same meaning.

    `draft` gives the new program before it is written. It is in a graph of its own, which nothing else uses.
    """

    def __init__(self, draft: Callable[..., Draft]) -> None:
        self.draft = draft
        update_wrapper(self, draft)

    def __call__(self, program: Program, *choices: Any) -> Program:
        made = self.draft(program, *choices)
        written = made.write()
        made.discard()
        return written
