"""Procedures of Python on the command line: the models of their equations and steps, and what is written whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symoro.cli import options
from symoro.cli.output import note
from symoro.errors import OptionError
from symoro.models.catalogue import find
from symoro.robot.robot import Robot

EQUATIONS = {"loop_geometry": "loop_closure"}
"""A procedure: the model that has its equations, as `symoro.loop_geometry(robot).equations()`."""
STEP = {"loop_geometry": "loop_step"}
"""A procedure: the model that is written as code and counted, as `symoro.loop_geometry(robot).emit`."""
INVERSE, FORWARD = "inverse_geometry", "forward_geometry"
INVERSE_NAMES = (INVERSE, "igm", "ik")
"""The inverse geometric model and its aliases."""
_OPTIONS = ("method", "link", "task", "redundant")


def whole(models: Sequence[str], robot: Robot, option: Sequence[str], derivative: str | None) -> Any:
    """What is a package of its own: inverse geometry, poses of a platform, what closes loops; None for other models."""
    if {*INVERSE_NAMES} & {*models}:
        if len(models) > 1 or derivative:
            raise OptionError(f"{INVERSE} is a package of its own, without derivatives: give it alone")
        return _inverse(robot, options.pairs(option))
    if find(FORWARD).of(robot).iterates and {FORWARD, *find(FORWARD).aliases} & set(models):
        if len(models) > 1 or derivative:
            raise OptionError(f"{FORWARD} of a platform is a package of its own, without derivatives: give it alone")
        return _forward(robot, options.pairs(option))
    if list(models) == ["loop_geometry"] and not option and not derivative:
        from symoro.solve.loops import loop_geometry

        return loop_geometry(robot)
    return None


def _forward(robot: Robot, given: dict[str, str]) -> Any:
    from symoro.models.parallel.platform import parallel
    from symoro.solve.assemblies import forward_geometry

    step = find("loop_step").of(robot)
    allowed = [option.name for option in step.all_options]
    if unknown := [name for name in given if name not in allowed]:
        raise OptionError(f"--option {unknown[0]}: {FORWARD} does not have it (allowed: {', '.join(allowed)})")
    return forward_geometry(parallel(robot), **options.read(step, given))


def _inverse(robot: Robot, given: dict[str, str]) -> Any:
    from symoro.solve.ways import inverse_geometry

    if unknown := [name for name in given if name not in _OPTIONS]:
        raise OptionError(f"--option {unknown[0]}: {INVERSE} does not have it (allowed: {', '.join(_OPTIONS)})")
    link = options.frame(given["link"]) if "link" in given else None
    redundant = _redundant(given.get("redundant", ""))
    return inverse_geometry(robot, given.get("method", "auto"), link, given.get("task"), redundant)


def shown_inverse(robot: Robot, option: Sequence[str], derivative: str | None = None) -> Any:
    """The inverse geometric model as it is shown and counted. A note says where numbers find the branches."""
    from symoro.solve.general.robot import NumericDriver

    made = whole([INVERSE], robot, option, derivative)
    if isinstance(made.driver, NumericDriver):
        note(
            "the branches are found by numbers: the equations are those of the direct geometric model, which they solve"
        )
    return made


def _redundant(text: str) -> dict[int | str, str]:
    """The joints that are given, by numbers or names with commas between, or `arm`, the arm angle; each with its name.

    They are the elements of the input r, in this order.
    """
    joints = [part.strip() for part in text.split(",") if part.strip()]
    return {options.frame(joint): f"r{k}" for k, joint in enumerate(joints, 1)}
