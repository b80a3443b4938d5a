"""Arrays of numbers, names of columns, and libraries that only some tasks need."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from symoro.errors import SymoroError
from symoro.findings import Finding
from symoro.options import Numbers

# The type of arrays of numbers, of any shape.


Array = NDArray[Any]


# Libraries that only some tasks need, and the extra that installs them.


def needed(module: str, task: Finding, extra: str = "identify") -> Any:
    """A module that an extra installs; where it is missing, an error says what to install for which task."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        command = f"pip install 'symoro[{extra}]'"
        raise SymoroError("estimates.library", task=task, library=library, command=command) from None


# Names of columns: letters, the number of a joint or link, and of a term of Stribeck's curve its speed: FST3@0.1. Those
# of the legs of a parallel robot have the number of the leg, too: FS3_2.


_DIGITS = "0123456789"


def letters_of(name: str) -> str:
    """The letters alone: FST of FST3@0.1, FS of FS3_2."""
    return _without_leg(name).rstrip(_DIGITS)


def term_of(name: str) -> str:
    """The name without its number: FST@0.1 of FST3@0.1."""
    _, at, speed = name.partition("@")
    return f"{letters_of(name)}{at}{speed}"


def number_of(name: str) -> int:
    """The number of the joint or link, 3 of FST3@0.1; 0 where there is none."""
    return int(_without_leg(name)[len(letters_of(name)) :] or 0)


def _without_leg(name: str) -> str:
    return name.partition("@")[0].partition("_")[0]


# What options may be, beside the usual kinds: rows of numbers that arrays of NumPy may be, too.


@dataclass(frozen=True)
class NumberOrRow(Numbers):
    """One finite number, or one for each item."""

    annotation = "ArrayLike"
