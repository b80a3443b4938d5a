"""What users give, checked: parallel robots, and poses of their platforms."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.models.parallel.pose import is_rigid, poses_of
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot

__all__ = ["is_rigid", "parallel", "poses_of"]


def parallel(robot: Robot) -> ParallelRobot:
    """The robot, which must be a parallel one."""
    if not isinstance(robot, ParallelRobot):
        known = ", ".join(library.parallel_names())
        raise NotApplicable(
            f'{robot.name} is not a parallel robot (allowed: {known}, or a file with kind = "parallel")'
        )
    return robot
