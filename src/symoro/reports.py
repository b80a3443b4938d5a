"""What can be said of a robot that is not a model: mobility, closed loops, singularities, base parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from symoro.errors import ModelError, NotApplicable, Problem
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import chosen_frame
from symoro.models.kinematic import singularities as _singularities
from symoro.models.loops import mobility as _mobility
from symoro.models.loops.closing import smallest_gap
from symoro.models.loops.constraint import Loops
from symoro.models.parallel import singularities as _platforms
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.looseness import looseness
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import has_numbers
from symoro.models.parallel.structure import leg_structure
from symoro.robot.joint import GEOMETRY
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import Value, symbols
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.models.identification.base_parameters import BaseParameters


def mobility(robot: Robot | str | Path, q: Sequence[float] | None = None) -> _mobility.Mobility:
    """The kinds of a robot's loops, the rank of their equations, and what is left to move.

    The rank is that at arbitrary closed configurations, or at the closed configuration `q` of all joints: mechanisms
    with more equations than they need, such as three parallel cranks on one coupler, move in special ones only.
    Of a parallel robot it is the freedom of the platform, and which of its motions follow from others.
    """
    described = valid_robot(robot, parallel=True)
    if isinstance(described, ParallelRobot):
        return cast(_mobility.Mobility, _platforms.mobility(described))
    return _mobility.mobility(described, q)


def platform_problems(robot: Robot) -> tuple[Problem, ...]:
    """What is wrong with a parallel robot: legs that do not carry it, motors that are missing or do not hold it.

    A home pose near a singularity is a warning, because other poses are regular. The freedom of the platform is a note.
    """
    if not isinstance(robot, ParallelRobot) or not has_numbers(robot):
        return ()
    letters = Letters(robot, Graph())
    wrong = [message for i in range(len(robot.legs)) if (message := _wrong(leg_structure, letters, i, None))]
    wrong = wrong or [message for message in [_wrong(_platforms.mobility, robot)] if message]
    if wrong:
        return tuple(Problem(message) for message in wrong)
    found = _platforms.mobility(robot)
    if found.redundancy < 0:
        return (Problem(f"motors are missing: {found}"),)
    if loose := looseness(Mechanism.made(robot, Graph(), None)):
        return (Problem(loose),)
    near = [Problem(message, severity="warning") for message in _platforms.nearly_singular_home(robot)]
    return (*near, Problem(str(found), severity="note"))


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

    It is empty where the geometry has symbols without numbers: whether loops close depends on them.
    """
    known = robot.values.numbers().keys()
    if not (robot.cuts or robot.base.wheels) or not all(symbols(value) <= known for value in _geometry(robot)):
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
        _ = constraint_of(s).determining
    except NotApplicable as error:
        return str(error).removeprefix(f"{s.robot.name}: ")
    return ""


def _geometry(robot: Robot) -> Iterator[Value]:
    """The geometric parameters without the variables of the joints, which have no numbers."""
    for joint in robot.joints:
        for name in GEOMETRY:
            value = getattr(joint, name)
            yield from () if joint.movable and name == joint.moving else (value,)


def singularities(
    robot: Robot | str | Path, link: int | str | None = None, task: str = "auto"
) -> _singularities.Singularities:
    """The factors of the determinant of a link's Jacobian matrix: it is singular where one of them is zero.

    Of a parallel robot, `at(T)` of the result gives the condition numbers of its legs and of its platform.
    """
    described = valid_robot(robot, parallel=True)
    if isinstance(described, ParallelRobot):
        return cast(_singularities.Singularities, _platforms.PlatformSingularities(described))
    return _singularities.singularities(described, chosen_frame(described, link), task)


def base_parameters(
    robot: Robot | str | Path,
    *,
    friction: bool = False,
    guess: Sequence[float] | None = None,
    every_branch: bool = False,
    alike: bool = False,
) -> BaseParameters:
    """The fewest inertial parameters that give a robot's torques, with their relations (GK88).

    Rotor inertias are among them where they do not regroup; friction parameters where asked. Of a robot with closed
    loops `guess` is a closed configuration q that says the branch; else the branch with the fewest is taken.
    `every_branch` gives those of models with params="base", whose relations hold however the loops are assembled.
    `alike` says that all legs of a parallel robot have the same parameters.
    """
    described = valid_robot(robot, parallel=True)
    if isinstance(described, ParallelRobot):
        from symoro.models.parallel import base_parameters as of_platforms

        made = of_platforms.base_parameters(described, friction=friction, alike=alike)
        return cast("BaseParameters", made)
    from symoro.models.identification.base_parameters import base_parameters

    return base_parameters(described, friction=friction, guess=guess, every_branch=every_branch)
