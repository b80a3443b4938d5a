"""What the tab key offers: robots, models, options of models with their values, targets, frames, derivatives.

`symoro --install-completion` switches it on in a shell.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

import typer

from symoro.cli.making import EQUATIONS, INVERSE
from symoro.emit import targets
from symoro.errors import SymoroError
from symoro.findings import sentence
from symoro.formats import FORMATS, load
from symoro.models.catalogue import entries, find
from symoro.models.entry import Entry, ModelOption
from symoro.robot import library
from symoro.robot.robot import GIVEN, Robot


def robots(incomplete: str) -> list[str]:
    """Robots of the library, then files of robots and folders."""
    folder, _, start = incomplete.rpartition("/")
    paths = sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).glob(f"{start}*"))
    prefix = f"{folder}/" if "/" in incomplete else ""
    files = [prefix + path.name for path in paths if path.suffix.lower() in FORMATS]
    folders = [f"{prefix}{path.name}/" for path in paths if path.is_dir() and not path.name.startswith(".")]
    known = _starting((*library.names(), *library.parallel_names()), incomplete)
    return [*known, *files, *(folders if "/" in incomplete else ())]


def models(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Models that exist for the robot, with their titles; aliases where one is being typed."""
    robot = _robot(ctx)
    offered = [entry for entry in entries() if robot is None or entry.reason(robot) is None]
    names = [(entry.name, entry.title) for entry in offered]
    names += [(name, sentence(f"titles.{name}")) for name in EQUATIONS if robot is None or robot.cuts]
    if ctx.info_name in ("generate", "show", "count", "list"):
        names.append((INVERSE, sentence(f"titles.{INVERSE}")))
    names += [(alias, entry.title) for entry in offered for alias in entry.aliases if incomplete]
    return [(name, title) for name, title in names if name.startswith(incomplete)]


def options(ctx: typer.Context, incomplete: str) -> list[str]:
    """NAME= of each option of the model, and behind the sign its values."""
    chosen = _model(ctx)
    name, equals, start = incomplete.partition("=")
    if chosen is None:
        return []
    if not equals:
        return _starting((f"{option.name}=" for option in chosen.all_options), incomplete)
    option = next((option for option in chosen.all_options if option.name == name), None)
    values = _starting(_values(option, _robot(ctx)), start) if option else []
    return [f"{name}={value}" for value in values]


def derivatives(ctx: typer.Context, incomplete: str) -> list[str]:
    """The inputs of the model."""
    chosen = _model(ctx)
    return _starting(chosen.inputs, incomplete) if chosen else []


def coordinates(ctx: typer.Context, incomplete: str) -> list[str]:
    """What models of the robot can take."""
    robot = _robot(ctx)
    return _starting(GIVEN if robot is None else robot.may_take, incomplete)


def languages(incomplete: str) -> list[str]:
    return _starting(targets(), incomplete)


@contextmanager
def words_of_bash() -> Iterator[None]:
    """Bash ends a word at a sign =. Make one word again of `link`, `=` and `el`, and offer what is behind the sign."""
    if os.environ.get("_SYMORO_COMPLETE") != "complete_bash":
        yield
        return
    words, place = _joined(os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"]))
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(place)
    offered = StringIO()
    try:
        with redirect_stdout(offered):
            yield
    finally:
        for line in offered.getvalue().splitlines():
            print(line.partition("=")[2] if "=" in words[place] else line)


def _joined(words: list[str], place: int) -> tuple[list[str], int]:
    """The words with those around a sign = as one, and the place of the one that is being typed."""
    joined: list[str] = []
    at = 0
    for n, word in enumerate(words):
        if joined and (word == "=" or words[n - 1] == "="):
            joined[-1] += word
        else:
            joined.append(word)
        at = len(joined) - 1 if n == place else at
    return joined, at


def _robot(ctx: typer.Context) -> Robot | None:
    try:
        return load(_word(ctx, "robot", 0))
    except (SymoroError, OSError):  # a name that is not complete, or a file with errors
        return None


def _model(ctx: typer.Context) -> Entry | None:
    try:
        return find(_word(ctx, "model", 1))
    except SymoroError:
        return None


def _word(ctx: typer.Context, name: str, place: int) -> str:
    """An argument that is typed already. Behind an option without its value, words are not yet arguments."""
    typed = ctx.params.get(name)
    first = typed[0] if isinstance(typed, list | tuple) and typed else typed
    return str(first or next(iter(ctx.args[place:]), ""))


def _values(option: ModelOption, robot: Robot | None) -> Iterable[str]:
    if option.is_switch:
        return ("true", "false", *option.choices)
    if option.kind.field()["kind"] == "frame" and robot:
        numbers = range(len(robot.joints) + 1)
        return (*(joint.name for joint in robot.joints), *(f.name for f in robot.frames), *map(str, numbers))
    return option.choices


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
