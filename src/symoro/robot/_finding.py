"""A problem that a rule of `check` has found."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the field of the description where it is; the reader of a file finds the line by this field."""

    message: str
    joint: int | None = None
    where: str = ""
    severity: Severity = "error"


def has_control_character(name: str) -> bool:
    """Whether a name has a NUL, a newline or another control character, which neither files nor code can carry."""
    return any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in name)
