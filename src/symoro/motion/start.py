"""The state in which a simulation begins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from symoro.assembly import loop_geometry
from symoro.errors import MotionError, ShapeError
from symoro.motion.limits import active_limits, inside
from symoro.motion.plant import Plant
from symoro.motion.profile import Array
from symoro.motion.trajectory import Trajectory
from symoro.runtime.arrays import real_array

_OPEN, _DEAD = 1e-6, 1e7
"""The residual of loops above which they are open, and the condition above which their joints do not follow motors."""
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def first_state(
    plant: Plant,
    trajectory: Trajectory | None,
    given: Mapping[str, ArrayLike | None],
    values: Mapping[str, float],
) -> Array:
    """The state (..., size) from the parts that are given; the others are those of the trajectory's start, or 0."""
    parts = []
    for name, size in plant.parts.items():
        x = given.get(name)
        default = _default(plant, trajectory, name, size) if x is None else real_array(f"{name}0", x)
        if name == "q":
            default = _configuration(plant, default, size, values)
        if default.shape[-1:] != (size,) or not np.isfinite(default).all():
            raise ShapeError(f"{name}0 must be finite numbers of shape ({size},) or (..., {size}), not {default.shape}")
        if name == "q" and plant.motors:
            motors = default[..., plant.motor_places("q")]
            inside("q0", motors, active_limits(plant.robot, plant.motors))
        parts.append(default / np.linalg.norm(default) if name == "quat" else default)
    leading = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*leading, part.shape[-1])) for part in parts], axis=-1)


def _default(plant: Plant, trajectory: Trajectory | None, name: str, size: int) -> Array:
    if name == "quat":
        return _UPRIGHT
    if trajectory is None or name not in ("q", "qd"):
        return np.zeros(plant.motors if name == "q" and plant.robot.cuts else size)
    motion = trajectory(0.0)
    wanted = motion.q if name == "q" else motion.qd
    return wanted if name == "q" and plant.robot.cuts else spread(plant, name, wanted, size)


def spread(plant: Plant, name: str, wanted: Array, size: int) -> Array:
    """What the motors have, and 0 for the other coordinates of q or qd."""
    if len(wanted) != plant.motors:
        raise MotionError(f"the trajectory has {len(wanted)} joints, and {plant.robot.name} has {plant.motors} motors")
    found = np.zeros(size)
    found[plant.motor_places(name)] = wanted
    return found


def _configuration(plant: Plant, q: Array, size: int, values: Mapping[str, float]) -> Array:
    """q of all joints: closed from the positions of the motors, or checked to be closed."""
    if not plant.robot.cuts:
        return q
    assembly = loop_geometry(plant.robot).compile()
    closed = assembly(q, values=values) if q.shape[-1:] == (plant.motors,) and plant.motors != size else q
    if closed.shape[-1:] != (size,):
        raise ShapeError(f"q0 must have the {plant.motors} motors or all {size} joints, not shape {closed.shape}")
    residual, condition = (float(np.max(x)) for x in assembly.closure(closed, values=values))
    if residual > _OPEN:
        raise MotionError(f"q0 does not close the loops of {plant.robot.name}: the residual is {residual:.2g}")
    if condition > _DEAD:
        raise MotionError(f"q0 is at a dead point of the loops of {plant.robot.name}: the condition is {condition:.2g}")
    return np.asarray(closed)
