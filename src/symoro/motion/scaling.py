"""`symoro.time_scaled`: a motion made faster or slower as a whole until it meets the limits of torque (Hollerbach)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.findings import Argument
from symoro.motion.limits import active_limits, positive
from symoro.motion.options import ACCELERATION, EFFORT, VALUES, VELOCITY, points
from symoro.motion.profiles import Array
from symoro.motion.torques import Torques
from symoro.motion.trajectory import Trajectory, stretched
from symoro.options import Schema
from symoro.robot.robot import Robot

TIME_SCALED = Schema("time_scaled", (EFFORT, VELOCITY, ACCELERATION, VALUES, points(1001)), MotionError)


@TIME_SCALED.function
def time_scaled(
    trajectory: Trajectory,
    robot: Robot | str | Path,
    *,
    effort: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    values: Mapping[str, float] | None,
    points: int,
) -> Trajectory:
    """The same motion k times as fast, with the greatest k for which all torques stay within their limits.

    Of a motion k times as fast, Γ_k = k² (Γ − Q) + k F_v q̇ + Q + F_s sign q̇, with Γ without friction and Q that of
    gravity (K13 § 8.3, Hollerbach 1984). The limits `effort` and `velocity` are those of the robot where none are
    given. They hold at `points` times of the motion.
    """
    model = Torques(robot, values)
    known = active_limits(model.robot, len(trajectory.joints))
    most = positive("effort", known.effort if effort is None else effort, known.names)
    time = trajectory.times(points)
    q, qd, qdd = trajectory(time)
    bounds = [
        _scale(model, time, (model.configuration(q), qd, qdd), most, known.names),
        _ratio(positive("velocity", known.velocity if velocity is None else velocity, known.names), qd),
        np.sqrt(_ratio(positive("acceleration", acceleration, known.names), qdd)),
    ]
    k = min(bounds)
    if k == inf:
        raise MotionError("trajectories.no_torque_limits", robot=model.robot.name, effort=Argument("effort"))
    return stretched(trajectory, trajectory.duration / k)


def _ratio(limit: Array, x: Array) -> float:
    """How many times greater x may be."""
    most = np.abs(x).max(axis=0)
    return float(np.min(np.divide(limit, most, out=np.full_like(limit, inf), where=most > 0)))


def _scale(
    model: Torques, time: Array, motion: tuple[Array, Array, Array], most: Array, names: tuple[str, ...]
) -> float:
    """The least positive k at which a torque reaches its limit."""
    q, qd, qdd = motion
    still = np.zeros_like(qd)
    Q = model.rigid(q, still, still)
    inertial = model.rigid(q, qd, qdd) - Q
    viscous = model.friction(q, 2 * qd) - model.friction(q, qd)
    held = Q + model.friction(q, qd) - viscous
    if not np.allclose(model.friction(q, 3 * qd), model.friction(q, qd) + 2 * viscous, atol=1e-9):
        raise MotionError("trajectories.friction_not_linear", robot=model.robot.name)
    row, j = np.unravel_index(int(np.argmax(np.abs(held) / most)), held.shape)
    if abs(held[row, j]) >= most[j]:
        raise MotionError(
            "trajectories.held_torque", joint=names[j], torque=held[row, j], time=time[row], limit=most[j]
        )
    bounds = (_first_root(inertial, viscous, held - most), _first_root(inertial, viscous, held + most))
    return float(min(bound.min() for bound in bounds))


def _first_root(a: Array, b: Array, c: Array) -> Array:
    """The least positive root k of a k² + b k + c, in a form that loses no digits; infinite where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(b**2 - 4 * a * c)
        half = -(b + np.where(b < 0, -1.0, 1.0) * root) / 2
        roots = np.stack([half / a, c / half])
    return np.asarray(np.where(roots > 0, roots, inf).min(axis=0))
