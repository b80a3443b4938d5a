"""Makes the model that a command asks for."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.cli import options
from symoro.cli.output import progress
from symoro.formats import load
from symoro.model import Model, model
from symoro.models.catalogue import find


def make(name: str, robot: str, option: Sequence[str], derivative: str | None = None) -> Model:
    """The model of a robot, or its derivative; `option` are words such as link=6."""
    entry = find(name)
    described = load(robot)
    given = options.read(entry, options.pairs(option))
    with progress(f"{entry.name} of {described.name}", details=given.get("optimize") == "best"):
        made = model(entry.name, described, **given)
        return made.derivative(derivative) if derivative else made
