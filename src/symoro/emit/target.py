"""The description of a target language, and the table of targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from symoro.errors import TargetError
from symoro.ir.infix import Dialect

if TYPE_CHECKING:
    from symoro.emit.package import Package


@dataclass(frozen=True, slots=True)
class Target:
    """A language: how it writes expressions (`dialect`), which names are reserved, and the files of a package.

    `truth` turns a comparison into the number 0 or 1; `comment` makes any text safe inside a comment. With
    `inline_conditions`, a comparison that only a `select` reads is written inside it, as a truth value; without, every
    comparison is a variable that is 0 or 1, and the `select` of the dialect compares it with 0.
    """

    name: str
    title: str
    suffix: str
    dialect: Dialect
    reserved: frozenset[str]
    write: Callable[[Package], dict[str, str]]
    number: Callable[[float], str] = repr
    truth: str = "{0}"
    comment: Callable[[str], str] = str
    case_sensitive: bool = True
    inline_conditions: bool = True


#: A target is a module of this package that defines TARGET; it is imported at first use.
_TARGETS = {"c": "C99 with its self-test", "python": "a NumPy module with its self-test"}


def targets() -> Mapping[str, str]:
    """The names of the targets, each with a description."""
    return dict(_TARGETS)


def target(name: str) -> Target:
    """A target by its name."""
    if name not in _TARGETS:
        raise TargetError(f"no target {name!r}: choose one of {', '.join(_TARGETS)}")
    found = import_module(f"symoro.emit.{name}").TARGET
    assert isinstance(found, Target)
    return found


def decimal(value: float, infinity: str, nan: str) -> str:
    """The shortest decimal text that reads back as the same double."""
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    return repr(value)


def one_line(text: str) -> str:
    """A text in one line, without characters that cannot be seen: they could hide what a comment says."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
