"""The robots that come with symoro: TOML files beside this one, and those of parallel robots in a folder."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from symoro.errors import UnknownRobot
from symoro.findings import Finding


@cache
def names() -> tuple[str, ...]:
    """The names of the robots, sorted."""
    return _listed(files(__name__))


@cache
def parallel_names() -> tuple[str, ...]:
    """The names of the parallel robots, sorted."""
    return _listed(files(__name__) / "parallel")


def _listed(folder: Traversable) -> tuple[str, ...]:
    file_names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in file_names if name.endswith(".toml")))


def text(name: str) -> str:
    """The TOML text of a robot (`symoro.load` makes a robot of it)."""
    if name not in (*names(), *parallel_names()):
        raise UnknownRobot(unknown(name))
    folder = files(__name__) / "parallel" if name in parallel_names() else files(__name__)
    return (folder / f"{name}.toml").read_text(encoding="utf-8")


def unknown(name: str) -> Finding:
    """What is said of a name that no robot has."""
    known = (*names(), *parallel_names())
    if close := get_close_matches(name.lower(), known, n=3, cutoff=0.5):
        return Finding("files.like_a_robot", name=name, close=close, known=known)
    return Finding("files.no_robot", name=name, known=known)
