"""Operation counts that others have published for robots of the library (`published.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedCount:
    """A count by another program: M and A where they are known, else their sum alone."""

    robot: str
    model: str
    params: str
    source: str
    M: int | None = None
    A: int | None = None
    total: int = 0
    note: str = ""

    def __str__(self) -> str:
        parts = "" if self.M is None else f" ({self.M} M, {self.A} A)"
        return f"{self.total}{parts} {self.source}{'; ' * bool(self.note)}{self.note}"


@cache
def figures() -> tuple[PublishedCount, ...]:
    """All of them."""
    text = (files("symoro.models") / "published.toml").read_text(encoding="utf-8")
    return tuple(_figure(row) for row in tomllib.loads(text)["figures"])


def of(robot: str, model: str, params: str) -> list[PublishedCount]:
    """Those of one model, in the order of the file."""
    return [f for f in figures() if (f.robot, f.model, f.params) == (robot, model, params)]


def _figure(row: dict[str, str | int]) -> PublishedCount:
    figure = PublishedCount(**row)  # type: ignore[arg-type]
    return figure if figure.M is None or figure.A is None else PublishedCount(**{**row, "total": figure.M + figure.A})  # type: ignore[arg-type]
