"""The commands of the command line, one module each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from symoro.cli import (
    base,
    bench,
    cache,
    check,
    compare,
    convert,
    count,
    excite,
    generate,
    gui,
    identify,
    ik,
    listing,
    loop,
    new,
    plan,
    report,
    show,
    simulate,
    view,
    workspace,
)
from symoro.version import __version__

COMMANDS: dict[str, Callable[..., None]] = {
    "list": listing.command,
    "new": new.command,
    "show": show.command,
    "view": view.command,
    "check": check.command,
    "compare": compare.command,
    "convert": convert.command,
    "generate": generate.command,
    "count": count.command,
    "base": base.command,
    "ik": ik.command,
    "loop": loop.command,
    "workspace": workspace.command,
    "plan": plan.command,
    "simulate": simulate.command,
    "identify": identify.command,
    "excite": excite.command,
    "bench": bench.command,
    "cache": cache.command,
    "report": report.command,
    "gui": gui.command,
}


def app() -> typer.Typer:
    """The whole command line; the help texts have frames and colours only on a terminal."""
    built = typer.Typer(
        name="symoro",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stdout.isatty() and sys.stderr.isatty() else None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(_symoro)
    for name, command in COMMANDS.items():
        built.command(name=name)(command)
    return built


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
