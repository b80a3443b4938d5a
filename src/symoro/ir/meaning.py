"""What a symbol or an intermediate variable stands for; it travels into code, hover texts and tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """A sentence, a unit, the link it belongs to and the equation it comes from."""

    text: str = ""
    unit: str = ""
    link: int | None = None
    equation: str = ""
