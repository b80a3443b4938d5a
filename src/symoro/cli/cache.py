"""symoro cache: the compiled code that is kept on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from symoro.cli.arguments import Json
from symoro.cli.output import show_json

Clear = Annotated[bool, typer.Option("--clear", help="Remove everything that is in it.")]


def command(clear: Clear = False, json: Json = False) -> None:
    """Show where compiled code is kept and how much there is, or clear it.

    The variable SYMORO_CACHE moves the cache to another folder; SYMORO_CACHE=off switches it off.

    Examples:

      symoro cache

      symoro cache --clear
    """
    from symoro.runtime import cache

    kept = cache.clear() if clear else cache.usage()
    where = None if kept.folder is None else str(kept.folder)
    problem = cache.problem()
    if json:
        reason = None if problem is None else str(problem)
        sizes = {"entries": kept.entries, "bytes": kept.size}
        show_json({"folder": where, **sizes, "cleared": clear, "problem": reason})
        return
    if where is not None:
        print(f"{where}: {kept.entries} entries, {kept.size / 1e6:.1f} MB{', removed' if clear else ''}")
    if problem is not None:
        print(f"No code is kept: {problem}.")
