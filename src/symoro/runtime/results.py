"""The type of a result with several outputs: a named tuple that can be sent to another process."""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Iterable
from functools import cache
from typing import Any

from symoro.ir.program import Program


def result_type(program: Program) -> Any:
    """A named tuple with the names of the outputs; a keyword of Python gets an underscore."""
    return _type(tuple(o.name + "_" if keyword.iskeyword(o.name) else o.name for o in program.outputs))


@cache
def _type(names: tuple[str, ...]) -> Any:
    class Result(_plain(names)):  # type: ignore[misc]
        __slots__ = ()

        def __reduce__(self) -> tuple[Any, ...]:
            return _rebuilt, (names, tuple(self))

    return Result


def _plain(names: tuple[str, ...]) -> Any:
    return namedtuple("Result", names, rename=True)


def _rebuilt(names: tuple[str, ...], elements: Iterable[Any]) -> Any:
    return _type(names)._make(elements)
