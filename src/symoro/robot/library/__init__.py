"""The robots that come with symoro: TOML files beside this one."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from symoro.errors import UnknownRobot


@cache
def names() -> tuple[str, ...]:
    """The names of the robots, sorted."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def text(name: str) -> str:
    """The TOML text of a robot (`symoro.load` makes a robot of it)."""
    if name not in names():
        raise UnknownRobot(unknown(name))
    return (files(__name__) / f"{name}.toml").read_text(encoding="utf-8")


def unknown(name: str) -> str:
    """The message for a name that no robot has."""
    close = get_close_matches(name.lower(), names(), n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    return f"no robot {name!r} in the library and no such file{hint} (in the library: {', '.join(names())})"
