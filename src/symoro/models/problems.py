"""What is wrong with the mechanism of a robot: loops that do not close, platforms that the motors do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, NotApplicable, Problem
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of
from symoro.models.loops.closing import smallest_gap
from symoro.models.loops.constraint import Loops
from symoro.models.parallel import motions as singularities
from symoro.models.parallel.constraint import platform_symbols
from symoro.models.parallel.mechanism import Mechanism, leg_structure, looseness
from symoro.models.parallel.platform import Letters, has_numbers
from symoro.robot.joint import GEOMETRY
from symoro.robot.robot import Robot
from symoro.robot.values import Value, symbols


def platform_problems(robot: Robot) -> tuple[Problem, ...]:
    """What is wrong with a parallel robot: legs that do not carry it, motors that are missing or do not hold it.

    A home pose near a singularity is a warning, because other poses are regular. The freedom of the platform is a note.
    """
    if not robot.platforms or not has_numbers(robot):
        return ()
    letters = Letters(robot, Graph())
    wrong = [message for i in range(len(robot.legs)) if (message := _wrong(leg_structure, letters, i, None))]
    wrong = wrong or [message for message in [_wrong(singularities.mobility, robot)] if message]
    if wrong:
        return tuple(Problem(message) for message in wrong)
    found = singularities.mobility(robot)
    if found.redundancy < 0:
        return (Problem(f"motors are missing: {found}"),)
    if loose := looseness(Mechanism.made(robot, Graph(), None)):
        return (Problem(loose),)
    warned = singularities.nearly_singular_home(robot)
    if robot.base.wheels and (message := _undetermined(platform_symbols(robot, Graph(), None))):
        warned.append(message)
    return (*(Problem(message, severity="warning") for message in warned), Problem(str(found), severity="note"))


def _wrong(work: Callable[..., object], *arguments: object) -> str:
    """The message of the error that some work ends with, or an empty text."""
    try:
        work(*arguments)
    except ModelError as error:
        return str(error)
    return ""


def constraint_problems(robot: Robot) -> tuple[Problem, ...]:
    """A warning for a robot whose loops close in no configuration, as far as a short search finds, or whose loops and
    wheels do not determine the joints without motors.

    It is empty where the geometry has symbols without numbers: whether loops close depends on them. What holds a
    platform, its legs with their loops and the wheels below them, is looked at by `platform_problems`.
    """
    known = robot.values.numbers().keys()
    constrained = not robot.platforms and (robot.cuts or robot.base.wheels)
    if not constrained or not all(symbols(value) <= known for value in _geometry(robot)):
        return ()
    s = Symbols(robot, Graph())
    if robot.cuts and (gap := smallest_gap(s, Loops(s).every)):
        message = f"no configuration was found that closes the loops (smallest gap {gap:.3g})"
    else:
        message = _undetermined(s)
    return (Problem(message, severity="warning"),) if message else ()


def _undetermined(s: Symbols) -> str:
    """Why models of velocities and forces do not exist, or an empty text."""
    try:
        constraint_of(s).require_determined()
    except NotApplicable as error:
        return str(error).removeprefix(f"{s.robot.name}: ")
    return ""


def _geometry(robot: Robot) -> Iterator[Value]:
    """The geometric parameters without the variables of the joints, which have no numbers."""
    for joint in robot.joints:
        for name in GEOMETRY:
            value = getattr(joint, name)
            yield from () if joint.movable and name == joint.moving else (value,)
