"""symoro list: the robots of the library and the models of the catalogue."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import symoro
from symoro.cli import completion
from symoro.cli.arguments import Json
from symoro.cli.making import INVERSE, INVERSE_NAMES, PROCEDURES
from symoro.cli.output import Table, show_json, show_table
from symoro.findings import sentence
from symoro.formats import load
from symoro.models.catalogue import entries, find
from symoro.models.entry import Entry
from symoro.models.help import text
from symoro.robot import library
from symoro.robot.tables import structure

Model = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help="A model: its inputs, outputs and options.", autocompletion=completion.models),
]


def command(
    model: Model = None,
    robots: Annotated[bool, typer.Option("--robots", help="Only the robots.")] = False,
    models: Annotated[bool, typer.Option("--models", help="Only the models.")] = False,
    json: Json = False,
) -> None:
    """List the robots of the library and the models, or what one model takes and gives.

    Examples:

      symoro list

      symoro list inverse_dynamics

      symoro list --models --json
    """
    procedure = INVERSE if model in INVERSE_NAMES else model
    if procedure in PROCEDURES:
        show_json(_procedure(procedure)) if json else print(_procedure_text(procedure))
        return
    if model is not None:
        entry = find(model, PROCEDURES)
        show_json(_model(entry)) if json else print(text(entry))
        return
    both = robots == models
    listed = {
        **({"robots": [_robot(name) for name in library.names()]} if robots or both else {}),
        **({"parallel robots": [_robot(name) for name in library.parallel_names()]} if robots or both else {}),
        **({"models": [_model(entry) for entry in entries()]} if models or both else {}),
    }
    if json:
        show_json(listed)
        return
    tables = [_TABLES[kind](rows) for kind, rows in listed.items()]
    for place, table in enumerate(tables):
        if place:
            print()
        show_table(table)


def _robot(name: str) -> dict[str, Any]:
    robot = load(name)
    return {"name": name, "structure": structure(robot), "joints": robot.link_count, "title": robot.title}


def _model(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "menu": entry.menu,
        "title": entry.title,
        "citation": entry.citation,
        "inputs": list(entry.inputs),
        "options": [o.field() | {"help": o.en, "choices": o.choices} for o in entry.all_options],
    }


def _procedure(name: str) -> dict[str, Any]:
    """What one may ask of a function that finds positions. It is no row of the catalogue: it has branches."""
    from inspect import signature

    options = list(signature(getattr(symoro, name)).parameters.values())[1:]
    return {
        "name": name,
        "aliases": list(INVERSE_NAMES[1:]) if name == INVERSE else [],
        "title": sentence(f"titles.{name}"),
        "inputs": ["T"] if name == INVERSE else ["qa"],
        "options": [{"name": option.name, "default": option.default} for option in options],
    }


def _procedure_text(name: str) -> str:
    from inspect import getdoc

    data = _procedure(name)
    defaults = ", ".join(f"{option['name']}={option['default']!r}" for option in data["options"])
    called = f" Also called {', '.join(data['aliases'])}." if data["aliases"] else ""
    about = getdoc(getattr(symoro, name))
    return f"{data['title']}.{called}\n\n{about}\n\nOptions: {defaults}\nExample: {_PROCEDURE_EXAMPLES[name]}"


def _robot_table(rows: list[dict[str, Any]]) -> Table:
    return Table("", ("robot", "joints", "title"), [(r["name"], r["structure"], r["title"]) for r in rows])


def _model_table(rows: list[dict[str, Any]]) -> Table:
    cells = [(r["name"], " ".join(r["aliases"]), r["title"]) for r in rows]
    return Table("", ("model", "aliases", "title"), cells)


def _parallel_table(rows: list[dict[str, Any]]) -> Table:
    return Table("", ("parallel robot", "legs", "title"), [(r["name"], r["structure"], r["title"]) for r in rows])


_PROCEDURE_EXAMPLES = {
    INVERSE: "symoro ik ur5 --pose '…', or symoro show ur5 inverse_geometry",
    "loop_geometry": "symoro loop four-bar --motors 0.3, or symoro show four-bar loop_geometry",
}
_TABLES = {"robots": _robot_table, "parallel robots": _parallel_table, "models": _model_table}
