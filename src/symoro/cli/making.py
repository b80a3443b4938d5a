"""Makes the model that a command asks for."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.cli import options
from symoro.cli.output import progress
from symoro.errors import OptionError
from symoro.model import Model
from symoro.models.catalogue import find
from symoro.robot.robot import Robot
from symoro.solve.given import model


def make_all(names: Sequence[str], robot: Robot, option: Sequence[str], derivative: str | None = None) -> list[Model]:
    """Models of a robot. An option is for the models that have it; a link that is not given is the last one."""
    if len(names) == 1:
        return [make(names[0], robot, option, derivative)]
    if derivative:
        raise OptionError("--derivative is for one model: give one name")
    given = options.pairs(option)
    found = [find(name) for name in dict.fromkeys(names)]
    known = {o.name for entry in found for o in entry.all_options}
    if unknown := [name for name in given if name not in known]:
        raise OptionError(f"--option {unknown[0]}: none of the models has it (allowed: {', '.join(sorted(known))})")
    made = []
    for entry in found:
        with progress(f"{entry.name} of {robot.name}"):
            made.append(model(entry.name, robot, **options.applicable(entry, robot, given)))
    return made


def make(name: str, robot: Robot, option: Sequence[str], derivative: str | None = None) -> Model:
    """The model of a robot, or its derivative; `option` are words such as link=6."""
    entry = find(name)
    given = options.read(entry, options.pairs(option))
    with progress(f"{entry.name} of {robot.name}", details=given.get("optimize") == "best"):
        made = model(entry.name, robot, **given)
        return made.derivative(derivative) if derivative else made
