"""What is wrong with the mechanism of a robot: loops that do not close, platforms that the motors do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, NotApplicable
from symoro.findings import Finding
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of
from symoro.models.loops.closing import smallest_gap
from symoro.models.loops.constraint import Loops
from symoro.models.parallel import motions as singularities
from symoro.models.parallel.constraint import platform_symbols
from symoro.models.parallel.mechanism import Mechanism, leg_structure, looseness
from symoro.models.parallel.platform import PoseSymbols, has_numbers
from symoro.robot.joint import GEOMETRY
from symoro.robot.robot import Robot
from symoro.robot.values import Value, symbols


def platform_problems(robot: Robot) -> tuple[Finding, ...]:
    """What is wrong with a parallel robot: legs that do not carry it, motors that are missing or do not hold it.

    A home pose near a singularity is a warning, because other poses are regular. The freedom of the platform is a note.
    """
    if not robot.platforms or not has_numbers(robot):
        return ()
    letters = PoseSymbols(robot, Graph())
    wrong = [reason for i in range(len(robot.legs)) if (reason := _wrong(leg_structure, letters, i, None))]
    wrong = wrong or [reason for reason in [_wrong(singularities.mobility, robot)] if reason]
    if wrong:
        return tuple(Finding("mechanisms.wrong", reason=reason) for reason in wrong)
    mobility = singularities.mobility(robot)
    if mobility.redundancy < 0:
        return (Finding("mechanisms.motors", mobility=mobility.finding),)
    if loose := looseness(Mechanism.of_robot(robot, Graph(), None)):
        return (Finding("mechanisms.wrong", reason=loose),)
    doubts: list[object] = [*singularities.nearly_singular_home(robot)]
    if robot.base.wheels and (undetermined := _undetermined(platform_symbols(robot, Graph(), None))):
        doubts.append(undetermined)
    warnings = (Finding("mechanisms.doubt", reason=reason) for reason in doubts)
    return (*warnings, Finding("mechanisms.mobility", mobility=mobility.finding))


def _wrong(work: Callable[..., object], *arguments: object) -> Finding | None:
    """The finding of the error that some work ends with."""
    try:
        work(*arguments)
    except ModelError as error:
        return error.finding
    return None


def constraint_problems(robot: Robot) -> tuple[Finding, ...]:
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
        return (Finding("mechanisms.open", gap=gap),)
    reason = _undetermined(s)
    return (Finding("mechanisms.doubt", reason=reason),) if reason else ()


def _undetermined(s: Symbols) -> Finding | None:
    """Why models of velocities and forces do not exist."""
    try:
        constraint_of(s).require_determined()
    except NotApplicable as error:
        reason: Finding = error.finding.fields.get("reason", error.finding)
        return reason
    return None


def _geometry(robot: Robot) -> Iterator[Value]:
    """The geometric parameters without the variables of the joints, which have no numbers."""
    for joint in robot.joints:
        for name in GEOMETRY:
            value = getattr(joint, name)
            yield from () if joint.movable and name == joint.moving else (value,)
