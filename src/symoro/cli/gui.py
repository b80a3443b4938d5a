"""symoro gui: the page in the browser."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from symoro.cli.output import note
from symoro.errors import SymoroError
from symoro.formats import valid_robot

Shown = Annotated[str | None, typer.Argument(metavar="ROBOT", help="A robot of the library or a file, to begin with.")]
Host = Annotated[str, typer.Option(help="Address to listen on. Another one than this computer's needs a token.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)]
Browser = Annotated[bool, typer.Option(help="Open the page in the browser.")]
Seconds = Annotated[float, typer.Option(help="The most seconds that a model may take.", min=1)]
Memory = Annotated[int, typer.Option(help="The most megabytes that a model may take.", min=100)]


def command(
    robot: Shown = None,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    browser: Browser = True,
    seconds: Seconds = 600,
    memory: Memory = 2000,
) -> None:
    """Show robots and their models in the browser: tables, the robot in 3D, equations and code.

    It works without a network, and nothing leaves this computer.

    Examples:

      symoro gui

      symoro gui rx90

      symoro gui --port 0 --no-browser
    """
    need_packages()
    from symoro.web.serve import Served, serve

    shown = None if robot is None else valid_robot(robot)
    serve(Served(host, port, browser, seconds, memory), note, shown)


def need_packages() -> None:
    """An error that names the packages of the page that are not installed."""
    missing = [name for name in ("fastapi", "uvicorn", "pydantic") if find_spec(name) is None]
    if missing:
        raise SymoroError("commands.needs", packages=missing)
