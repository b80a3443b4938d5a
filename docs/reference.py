"""The reference pages that are made from the code: models, the Python interface, notation, commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from typer.testing import CliRunner

import symoro
from symoro import errors
from symoro.cli.app import COMMANDS, app
from symoro.models.catalogue import entries
from symoro.models.help import text
from symoro.robot.base import Base, Frame, Wheel
from symoro.robot.joint import Joint, Limits
from symoro.robot.link import Drive, Wrench
from symoro.robot.notation import TERMS, QuantityNames
from symoro.robot.robot import Closure, Cut, FrameRef
from symoro.runtime import Function
from symoro.solve.loops import Assembly

_OTHERS: tuple[type, ...] = (
    Function,
    Assembly,
    Joint,
    Limits,
    Drive,
    Wrench,
    Base,
    Wheel,
    Frame,
    Closure,
    FrameRef,
    Cut,
)
"""Classes of results and of descriptions that have no name in `symoro` itself."""


def classes() -> list[type]:
    """The classes of `symoro`, then those of the objects that they hold or give."""
    public = [thing for name in symoro.__all__ if inspect.isclass(thing := getattr(symoro, name))]
    return [*(kind for kind in public if not issubclass(kind, Exception)), *_OTHERS]


def pages() -> dict[str, str]:
    """Name and text of each page."""
    return {"models": models(), "api": api(), "notation": notation(), "cli-reference": commands()}


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def models() -> str:
    """The catalogue: a table, then the help of each model."""
    rows = [(f"[`{e.name}`](#{e.name})", ", ".join(e.aliases), e.title, e.citation) for e in entries()]
    parts = ["# Models\n", "`symoro.<name>(robot, …)` gives each of them, and so does the command line.\n"]
    parts.append(table(("model", "aliases", "what", "after"), rows))
    for e in entries():
        parts += [f"## {e.name}\n", text(e), "", f"Checked against: {e.oracle}.\n"]
    return "\n".join(parts)


def api() -> str:
    """Every public name of the Python interface."""
    parts = [
        "# The Python interface",
        "`import symoro` gives these names. Models have [their own page](models.md).",
    ]
    parts += ["## Functions"]
    for name in symoro.__all__:
        thing = getattr(symoro, name)
        if not inspect.isclass(thing):
            parts += [f"### symoro.{name}", _code(f"symoro.{name}{_plain(thing)}"), inspect.getdoc(thing) or ""]
            rows = [(f"`{o.name}`", ", ".join(map(str, o.kind.allowed())), o.en) for o in getattr(thing, "schema", ())]
            parts += [table(("option", "allowed", "what"), rows)] if rows else []
    parts += ["## Models"]
    parts += [f"- [`symoro.{e.name}`](models.md#{e.name}): {e.title}" + _aliases(e.aliases) for e in entries()]
    parts += ["## Classes"]
    for kind in classes():
        parts += [f"### {kind.__name__}", f"`{kind.__module__}.{kind.__name__}`", inspect.getdoc(kind) or ""]
        parts += [table(("name", "what"), _members(kind))]
    parts += ["## Errors", "Every error of symoro is a `symoro.SymoroError`; `symoro.errors` has all of them."]
    parts += [table(("error", "is a", "when"), _errors())]
    return "\n\n".join(parts) + "\n"


def _code(line: str) -> str:
    return f"```python\n{line}\n```"


def _aliases(names: Sequence[str]) -> str:
    return f" (also {', '.join(f'`symoro.{name}`' for name in names)})" if names else ""


def _plain(function: Any) -> str:
    """The parameters with their defaults, without types."""
    signature = inspect.signature(function)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def _members(kind: type) -> Iterator[tuple[str, str]]:
    """Fields with their types, properties and methods with the first line of their help."""
    kinds = {name: str(field.type) for name, field in getattr(kind, "__dataclass_fields__", {}).items()}
    for name in dict.fromkeys([*getattr(kind, "__dataclass_fields__", ()), *dir(kind)]):
        if name.startswith("_") and name != "__call__":
            continue
        thing = inspect.getattr_static(kind, name, None)
        if name == "__call__" and not callable(thing):
            continue
        function = getattr(thing, "__func__", thing)
        is_method = inspect.isfunction(function)
        shown = f"`{name}{_plain(function)}`" if is_method else f"`{name}`"
        documented = is_method or isinstance(thing, property) or hasattr(thing, "func")
        if documented:
            yield shown, (inspect.getdoc(thing) or "").partition("\n")[0]
        else:
            yield shown, f"`{kinds[name]}`" if name in kinds else ""


def _errors() -> Iterator[tuple[str, str, str]]:
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, Exception) and not name.startswith("_"):
            bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if not base.__name__.startswith("_"))
            yield f"`{name}`", bases, (inspect.getdoc(kind) or "").partition("\n")[0]


def notation() -> str:
    """One quantity a row under its names."""
    return "# Notation\n\n" + table(QuantityNames._fields, TERMS)


def commands() -> str:
    """The help text of each command."""
    parts = ["# Command reference"]
    for name in COMMANDS:
        shown = CliRunner().invoke(app(), [name, "--help"], prog_name="symoro", catch_exceptions=False)
        parts.append(f"## symoro {name}\n\n```\n{shown.output.strip()}\n```")
    return "\n\n".join(parts) + "\n"
