"""The public surface of symoro as text, one line a name: what other programs call.

python tests/project/surface.py             print the surface as it is now
python tests/project/surface.py --update    write it to surface.txt

A line of a function has the names and the defaults of its parameters. Types are left out: mypy checks them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import typer

import symoro
from symoro.cli.app import app
from symoro.models.catalogue import entries
from symoro.models.entry import OPTIMIZE, Entry

FILE = Path(__file__).with_name("surface.txt")

#: What users call on a model that iterates, and on the function that it compiles to.
LOOPS = (
    "citation", "closure", "compile", "emit", "equations", "inputs", "latex", "modes", "name", "ops", "outputs",
    "robot", "setup_ops", "step", "title", "to_sympy",
)  # fmt: skip
COMPILED = ("__call__", "branches", "closure", "cut", "gap", "path")


def surface() -> list[str]:
    """All lines, part by part."""
    loops = symoro.loop_geometry("four-bar")
    function = symoro.inverse_dynamics("planar2r").compile("numpy")
    base = symoro.base_parameters("planar2r")
    return [
        *package(),
        *(line for entry in entries() for line in of_model(entry)),
        f"optimize: False True {' '.join(sorted(OPTIMIZE.choices))}",
        *of_object("Model", symoro.inverse_dynamics("planar2r")),
        *of_object("Function", function, ("__call__", *public(function))),
        *of_object("loop_geometry()", loops, LOOPS),
        *of_object("loop_geometry().compile()", loops.compile("numpy"), COMPILED),
        *of_object("BaseParameters", base, sorted({*public(base), "__len__"} - {"minimal"})),
        *of_motion(),
        *of_robot(),
        *(f"Inertia.{name}{parameters(getattr(symoro.Inertia, name))}" for name in ("from_com", "from_origin")),
        *command_line(),
    ]


def package() -> Iterator[str]:
    """The names of `symoro.__all__`; a class has no parameters here, its users do not make it."""
    for name in symoro.__all__:
        thing = getattr(symoro, name)
        yield f"symoro.{name}" + ("" if inspect.isclass(thing) else parameters(thing))


def of_model(entry: Entry) -> Iterator[str]:
    """A model of the catalogue: its function, its aliases, and what its options allow."""
    yield f"symoro.{entry.name}{parameters(getattr(symoro, entry.name))}"
    if entry.aliases:
        yield f"symoro.{entry.name} aliases: {' '.join(sorted(entry.aliases))}"
    for option in entry.all_options:
        if option.choices and option is not OPTIMIZE:
            yield f"symoro.{entry.name} {option.name}: {' '.join(sorted(option.choices))}"


def of_object(title: str, thing: Any, names: Iterable[str] | None = None) -> Iterator[str]:
    """The attributes of an object, its methods with their parameters."""
    for name in public(thing) if names is None else names:
        property_ = isinstance(inspect.getattr_static(thing, name, None), property)  # may not exist for this object
        value = None if property_ else getattr(thing, name)
        shown = "" if name == "__call__" else f".{name}"
        yield f"{title}{shown}" + (parameters(value) if inspect.ismethod(value) else "")


def of_motion() -> Iterator[str]:
    """What users call on a trajectory, a controller and a simulation."""
    moved = symoro.trajectory([0, 0], [1, 1], duration=0.01)
    control = symoro.computed_torque("planar2r")
    simulated = symoro.simulate("planar2r", control, moved)
    yield from of_object("Trajectory", moved, ("__call__", *public(moved)))
    yield from of_object("Controller", control)
    yield from of_object("Simulation", simulated)


def of_robot() -> Iterator[str]:
    """The fields of a robot with their defaults; a long default is written as …"""
    for field in fields(symoro.Robot):
        required = field.default is MISSING and field.default_factory is MISSING
        default = "…" if field.default is MISSING or len(repr(field.default)) > 40 else repr(field.default)
        yield f"Robot.{field.name}" + ("" if required else f" = {default}")
    for name in ("attach", "from_dh", "from_mdh", "plot", "with_values"):
        yield f"Robot.{name}{parameters(getattr(symoro.Robot, name))}"


def command_line() -> Iterator[str]:
    """Every command with its arguments and options."""
    group = typer.main.get_command(app())
    for name, command in (("", group), *group.commands.items()):  # type: ignore[attr-defined]
        words = f"$ symoro {name}".rstrip()
        for one in command.params:
            many = "…" if one.nargs == -1 or one.multiple else ""
            flag = getattr(one, "is_flag", False)
            default = "" if flag or one.default is None else f" = {one.default}"
            spelled = " ".join((*one.opts, *one.secondary_opts)) if one.opts[0].startswith("-") else one.name.upper()
            value = "" if flag or not one.opts[0].startswith("-") else " VALUE"
            yield f"{words} {spelled}{value}{many}{default}" + (" (required)" if one.required else "")


def public(thing: Any) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def parameters(function: Callable[..., Any]) -> str:
    """(names=defaults) without types."""
    signature = inspect.signature(function)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


if __name__ == "__main__":
    text = "\n".join(surface()) + "\n"
    if sys.argv[1:] == ["--update"]:
        FILE.write_text(text, encoding="utf-8")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(text, end="")
