"""The largest inertias that motors see, for the gains of controllers that know no model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import MotionError
from symoro.model import model
from symoro.models.parallel.numbers import home, size
from symoro.motion.profile import Array
from symoro.platforms.forward import forward_geometry
from symoro.platforms.motion import motors_of_motion
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.runtime import compile_program

_SAMPLES, _POSES = 2000, 50


def largest_inertias(robot: Robot, joints: Sequence[int]) -> Array:
    """The largest A_jj of K13:9.6 among random configurations; revolute joints turn all the way, others by a metre.

    Those of a parallel robot are at poses near the home pose.
    """
    if isinstance(robot, ParallelRobot):
        return _of_platform(robot)
    if robot.cuts or robot.base.free:
        raise MotionError(
            f"{robot.name} is not a tree on a fixed base: give the inertia that each motor sees (inertia=)"
        )
    found = model("inertia_matrix", robot)
    kinds = [robot.revolute for robot in found.robot.joints if robot.variable]
    widths = np.where(kinds, np.pi, 0.5)
    q = np.random.default_rng(0).uniform(-widths, widths, (_SAMPLES, len(widths)))
    most = np.asarray(found.compile()(q)).diagonal(axis1=1, axis2=2).max(axis=0)
    order = [joint.index for joint in found.robot.joints if joint.variable]
    return np.array([most[order.index(j)] for j in joints])


def _of_platform(robot: ParallelRobot) -> Array:
    """The largest A_jj of the motors."""
    at, still = home(robot), np.zeros(6)
    widths = [0.25 * size(robot) if robot.legs[i].joint(j).prismatic else 0.25 for i, j in robot.motors]
    moves = np.random.default_rng(0).uniform(-1, 1, (_POSES, len(widths))) * widths
    moves[0] = 0.0
    q = compile_program(motors_of_motion(robot))(at, still, still).QA
    found = forward_geometry(robot).compile()(q + moves, guess=at)
    A = np.asarray(model("inertia_matrix", robot, space="motors").compile()(found.T[found.valid]))
    return np.asarray(A.diagonal(axis1=1, axis2=2).max(axis=0))
