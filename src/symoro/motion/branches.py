"""Where a motion of a frame begins: one configuration, or the branches of a pose, of which one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError, NotApplicable, ShapeError
from symoro.inverse import inverse_geometry
from symoro.models.geometric.frames import FrameRef
from symoro.motion.following import Follower
from symoro.motion.limits import JointLimits, inside, position
from symoro.motion.profile import Array
from symoro.motion.trajectory import Path
from symoro.robot.robot import Robot
from symoro.runtime.arrays import real_array


@dataclass(frozen=True, slots=True)
class Starts:
    """Configurations (starts, joints) of one pose, and the numbers of their branches; none for one that was given."""

    q: Array
    branches: tuple[int, ...] = ()

    def best(self, follower: Follower, follow: Callable[[Array], Path], limits: JointLimits) -> Path:
        """The path that stays farthest from singular configurations; an error says why each branch ends."""
        if not self.branches:
            inside("q0", self.q[0], limits)
            return follow(self.q[0])
        found, reasons = [], []
        for branch, q in zip(self.branches, self.q, strict=True):
            try:
                inside(f"q0 of branch {branch}", q, limits)
                found.append(follow(q))
            except MotionError as error:
                reasons.append(f"branch {branch}: {error}")
        if not found:
            raise MotionError("no branch can be followed:\n" + "\n".join(reasons))
        return max(found, key=follower.distance)


def begun(robot: Robot, frame: FrameRef, q0: ArrayLike, branch: int | None) -> Starts:
    """The starts of a motion: q0 itself, or the branches of inverse geometry where it is a pose."""
    given = real_array("q0", q0)
    if given.shape != (4, 4):
        if branch is not None:
            raise MotionError("a branch is chosen for a start that is a pose (4, 4), and q0 is a configuration")
        return Starts(position("q0", given)[None])
    if not np.isfinite(given).all():
        raise ShapeError("q0 must be a pose of finite numbers")
    try:
        found = inverse_geometry(robot, link=frame).compile()(given)
    except NotApplicable as reason:
        raise MotionError(f"q0 is a pose, and there is no inverse geometric model: {reason}") from None
    valid = np.flatnonzero(found.valid)
    if not len(valid):
        raise MotionError(f"{robot.name} does not reach the pose q0")
    if branch is None:
        return Starts(found.q[valid], tuple(map(int, valid)))
    if branch not in valid:
        raise MotionError(f"there is no branch {branch} at the pose q0 (allowed: {', '.join(map(str, valid))})")
    return Starts(found.q[[branch]], (branch,))
