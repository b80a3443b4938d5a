"""The meaning of a symbol or of an intermediate variable, which is written into code and tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """A text, a unit, the link to which a variable belongs and the equation from which it comes."""

    text: str = ""
    unit: str = ""
    link: int | None = None
    equation: str = ""
