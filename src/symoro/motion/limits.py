"""Limits of joints as arrays: given by a caller, or those of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.coordinates import Coordinates
from symoro.errors import InputError, MotionError, ShapeError
from symoro.findings import Argument, Finding
from symoro.motion.profiles import Array
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.runtime.outputs import real_array


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Names of joints with their least and greatest positions, and limits of velocity and torque."""

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    effort: Array


def active_limits(robot: Robot | None, count: int) -> JointLimits:
    """The limits that the description of a robot gives to its active joints; infinite where it gives none.

    Without a robot there are no limits, and the joints are called q1, q2 …
    """
    if robot is None:
        none = np.full(count, inf)
        return JointLimits(tuple(f"q{j}" for j in range(1, count + 1)), -none, none, none, none)
    coordinates = Coordinates.of(motor_spring_pairs(robot))
    joints = coordinates.motors
    names = tuple(joint.label for joint in joints)
    if len(joints) != count:
        raise ShapeError("motion.active_joints", robot=robot.name, joints=len(joints), names=names, count=count)
    lower, upper = coordinates.limit(joints, "lower", -inf), coordinates.limit(joints, "upper")
    return JointLimits(names, lower, upper, coordinates.limit(joints, "velocity"), coordinates.limit(joints, "effort"))


def positive(name: str, numbers: ArrayLike | None, joints: Sequence[str]) -> Array:
    """A positive number for each joint, such as a limit; infinite where none is given. One number is that of all."""
    if numbers is None:
        return np.full(len(joints), inf)
    try:
        array = np.broadcast_to(real_array(name, numbers), (len(joints),)).copy()
    except InputError:
        raise
    except ValueError:
        shape = np.shape(numbers)
        raise ShapeError("motion.shape_of_limit", name=Argument(name), count=len(joints), shape=str(shape)) from None
    for joint, value in zip(joints, array, strict=True):
        if not value > 0:
            raise MotionError("motion.not_positive", joint=joint, name=Argument(name), value=value)
    return array


def position(name: str, q: ArrayLike, count: int | None = None) -> Array:
    """A configuration (joints,) of finite numbers."""
    array = real_array(name, q)
    if array.ndim != 1 or not len(array) or (count is not None and len(array) != count):
        raise ShapeError(
            "motion.shape", name=name, expected="joints" if count is None else count, shape=str(array.shape)
        )
    if not np.isfinite(array).all():
        raise MotionError("motion.not_finite", name=name)
    return array


def inside(what: str | Finding, q: Array, limits: JointLimits) -> None:
    """An error where positions (..., joints) leave the limits; it names the joint."""
    slack = 1e-9
    for j, joint in enumerate(limits.names):
        low, high = float(np.min(q[..., j])), float(np.max(q[..., j]))
        if low < limits.lower[j] - slack or high > limits.upper[j] + slack:
            worst = low if low < limits.lower[j] - slack else high
            raise MotionError(
                "motion.outside_limits", joint=joint, what=what, value=worst, low=limits.lower[j], high=limits.upper[j]
            )
