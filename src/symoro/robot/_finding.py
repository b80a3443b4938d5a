"""What a rule of `check` finds."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the field of the description that it is in, from which a reader tells the line."""

    message: str
    joint: int | None = None
    where: str = ""
    severity: Severity = "error"
