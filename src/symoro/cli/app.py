"""The commands of the command line, one module each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from symoro.version import __version__

#: The commands and their modules. A module is loaded when its command is asked for: some need half a second.
COMMANDS = {
    "list": "listing",
    "new": "new",
    "show": "show",
    "view": "view",
    "check": "check",
    "compare": "compare",
    "convert": "convert",
    "generate": "generate",
    "count": "count",
    "base": "base",
    "ik": "ik",
    "loop": "loop",
    "workspace": "workspace",
    "plan": "plan",
    "simulate": "simulate",
    "identify": "identify",
    "excite": "excite",
    "bench": "bench",
    "cache": "cache",
    "report": "report",
    "gui": "gui",
}


def asked(words: Sequence[str]) -> Iterable[str]:
    """The command among the words of a command line, none for the version; all of them for help and for completion."""
    if list(words) == ["--version"]:
        return []
    first = next((word for word in words if not word.startswith("-")), "")
    return [first] if first in COMMANDS and "_SYMORO_COMPLETE" not in os.environ else COMMANDS


def app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands; the help texts have frames and colours only on a terminal."""
    built = typer.Typer(
        name="symoro",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stdout.isatty() and sys.stderr.isatty() else None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(_symoro)
    for name in names:
        built.command(name=name)(_command(name))
    return built


def _command(name: str) -> Callable[..., None]:
    command: Callable[..., None] = import_module(f"symoro.cli.{COMMANDS[name]}").command
    return command


def _version(asked: bool) -> None:
    if asked:
        print(f"symoro {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


def _symoro(version: Version = False) -> None:
    """Symbolic modelling of robots: equations, operation counts and code.

    A ROBOT is the name of a robot of the library (see symoro list) or the path of a file: .toml, .par, .csv, .urdf,
    .xacro, .xml (MJCF) or .sdf.
    Exit status: 0 success, 1 the work failed, 2 bad usage.
    """
