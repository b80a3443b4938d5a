"""The largest inertias that motors see, for the gains of controllers that know no model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import MotionError
from symoro.model import model
from symoro.motion.profile import Array
from symoro.robot.robot import Robot

_SAMPLES = 2000


def largest_inertias(robot: Robot, joints: Sequence[int]) -> Array:
    """The largest A_jj of K13:9.6 among random configurations; revolute joints turn all the way, others by a metre."""
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
