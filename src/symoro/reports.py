"""What can be said of a robot that is not a model: the mobility of its loops, its singular configurations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symoro.formats import valid_robot
from symoro.models.kinematic import singularities as _singularities
from symoro.models.loops import mobility as _mobility
from symoro.robot.robot import Robot


def mobility(robot: Robot | str | Path, q: Sequence[float] | None = None) -> _mobility.Mobility:
    """The kinds of a robot's loops, the rank of their equations, and what is left to move.

    The rank is that at arbitrary closed configurations, or at the closed configuration `q` of all joints: mechanisms
    with more equations than they need, such as three parallel cranks on one coupler, move in special ones only.
    """
    return _mobility.mobility(valid_robot(robot), q)


def singularities(
    robot: Robot | str | Path, link: int | str | None = None, task: str = "auto"
) -> _singularities.Singularities:
    """The factors of the determinant of a link's Jacobian matrix: it is singular where one of them is zero."""
    return _singularities.singularities(valid_robot(robot), link, task)
