"""Makes what a command asks for: models, and procedures of Python with the models of their equations and steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symoro.cli import options
from symoro.cli.output import note, progress
from symoro.errors import ModelError, OptionError
from symoro.findings import Argument, Finding, ModelArgument
from symoro.model import Model
from symoro.models.catalogue import find
from symoro.robot.robot import Robot
from symoro.solve.given import model

EQUATIONS = {"loop_geometry": "loop_closure"}
"""A procedure: the model that has its equations, as `symoro.loop_geometry(robot).equations()`."""
STEP = {"loop_geometry": "loop_step"}
"""A procedure: the model that is written as code and counted, as `symoro.loop_geometry(robot).emit`."""
INVERSE, FORWARD = "inverse_geometry", "forward_geometry"
INVERSE_NAMES = (INVERSE, "igm", "ik")
"""The inverse geometric model and its aliases."""
PROCEDURES = (INVERSE, *STEP)
"""Functions of symoro that commands take in the place of a model. They have no row in the catalogue."""
_OPTIONS = ("method", "link", "task", "redundant")


def make_all(
    names: Sequence[str],
    robot: Robot,
    option: Sequence[str],
    derivative: str | None = None,
    also: Sequence[str] = (),
) -> list[Model]:
    """Models of a robot. An option is for the models that have it; a link that is not given is the last one.

    `also` are names that the command takes besides those of models.
    """
    if len(names) == 1:
        return [make(names[0], robot, option, derivative, also)]
    if derivative:
        raise OptionError("commands.one_model", option=Argument("derivative"))
    words = options.pairs(option)
    entries = [find(name, also) for name in dict.fromkeys(names)]
    _require_known(words, sorted({o.name for entry in entries for o in entry.all_options}))
    models = []
    for entry in entries:
        with progress(f"{entry.name} of {robot.name}"):
            models.append(model(entry.name, robot, **options.applicable(entry, robot, words)))
    return models


def _require_known(words: Iterable[str], known: Sequence[str], name: str | None = None) -> None:
    """An error for an option that a model, or each of several ones, does not have."""
    if unknown := [word for word in words if word not in known]:
        which = Finding("commands.not_of_model", model=name) if name else Finding("commands.none_of_models")
        raise OptionError("commands.no_option", option="--option", name=unknown[0], which=which, allowed=known)


def make(
    name: str, robot: Robot, option: Sequence[str], derivative: str | None = None, also: Sequence[str] = ()
) -> Model:
    """The model of a robot, or its derivative; `option` are words such as link=6."""
    entry = find(name, also)
    values = options.read(entry, options.pairs(option))
    with progress(f"{entry.name} of {robot.name}", details=values.get("optimize") == "best"):
        asked = model(entry.name, robot, **values)
        return asked.derivative(derivative) if derivative else asked


def whole(models: Sequence[str], robot: Robot, option: Sequence[str], derivative: str | None) -> Any:
    """What is a package of its own: inverse geometry, poses of a platform, what closes loops; None for other models."""
    if {*INVERSE_NAMES} & {*models}:
        if len(models) > 1 or derivative:
            raise OptionError("commands.package", model=INVERSE)
        return _inverse(robot, options.pairs(option))
    if find(FORWARD).of(robot).iterates and {FORWARD, *find(FORWARD).aliases} & set(models):
        if len(models) > 1 or derivative:
            raise OptionError("commands.package_of_platform", model=FORWARD)
        return _forward(robot, options.pairs(option))
    if list(models) == ["loop_geometry"] and not option and not derivative:
        from symoro.solve.loops import loop_geometry

        return loop_geometry(robot)
    return None


def _forward(robot: Robot, words: dict[str, str]) -> Any:
    from symoro.models.parallel.platform import parallel
    from symoro.solve.assemblies import forward_geometry

    step = find("loop_step").of(robot)
    allowed = [option.name for option in step.all_options]
    _require_known(words, allowed, FORWARD)
    return forward_geometry(parallel(robot), **options.read(step, words))


def _inverse(robot: Robot, words: dict[str, str]) -> Any:
    from symoro.solve.ways import inverse_geometry

    _require_known(words, _OPTIONS, INVERSE)
    link = options.frame(words["link"]) if "link" in words else None
    redundant = _redundant(words.get("redundant", ""))
    try:
        return inverse_geometry(robot, words.get("method", "auto"), link, words.get("task"), redundant)
    except ModelError as error:
        error.args = (_of_model(error.finding),)
        raise


def _of_model(finding: Finding) -> Finding:
    """The same with options that are written `-o link`: here the options of Python are those of a model."""
    return Finding(finding.code, place=finding.place, **{name: _field(x) for name, x in finding.fields.items()})


def _field(value: Any) -> Any:
    if isinstance(value, Finding):
        return _of_model(value)
    if isinstance(value, list | tuple):
        return [_field(x) for x in value]
    return ModelArgument(value) if isinstance(value, Argument) else value


def shown_inverse(robot: Robot, option: Sequence[str], derivative: str | None = None) -> Any:
    """The inverse geometric model as it is shown and counted. A note says where numbers find the branches."""
    from symoro.solve.general.robot import NumericDriver

    inverse = whole([INVERSE], robot, option, derivative)
    if isinstance(inverse.driver, NumericDriver):
        note(Finding("commands.by_numbers"))
    return inverse


def _redundant(text: str) -> dict[int | str, str]:
    """The joints that are given, by numbers or names with commas between, or `arm`, the arm angle; each with its name.

    They are the elements of the input r, in this order.
    """
    joints = [part.strip() for part in text.split(",") if part.strip()]
    return {options.frame(joint): f"r{k}" for k, joint in enumerate(joints, 1)}
