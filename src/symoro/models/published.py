"""Operation counts that others have published for robots of the library (`published.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Figure:
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
def figures() -> tuple[Figure, ...]:
    """All of them."""
    text = (files("symoro.models") / "published.toml").read_text(encoding="utf-8")
    return tuple(_figure(row) for row in tomllib.loads(text)["figures"])


def of(robot: str, model: str, params: str) -> list[Figure]:
    """Those of one model, in the order of the file."""
    return [f for f in figures() if (f.robot, f.model, f.params) == (robot, model, params)]


def _figure(row: dict[str, str | int]) -> Figure:
    found = Figure(**row)  # type: ignore[arg-type]
    return found if found.M is None or found.A is None else Figure(**{**row, "total": found.M + found.A})  # type: ignore[arg-type]
