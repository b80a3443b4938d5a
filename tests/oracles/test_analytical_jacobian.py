"""Analytical Jacobian matrices: finite differences of Pinocchio's placements, described by SciPy's angles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.kinematics import Array, Reference, one, pose_table
from support.raised import raised
from support.random_robots import random_robot
from support.samples import some
from symoro.errors import LoopWarning, NotApplicable
from symoro.robot.base import Frame
from symoro.robot.robot import Robot

#: SciPy's small letters are turns about fixed axes, capitals about the axes that turn.
NUMBERS: dict[str, Callable[[Rotation], Array]] = {
    "rpy": lambda R: R.as_euler("xyz"),
    "zyx": lambda R: R.as_euler("ZYX"),
    "zyz": lambda R: R.as_euler("ZYZ"),
    "quaternion": lambda R: R.as_quat(canonical=True),
}
STEP = 1e-3
TOLERANCE = 1e-9
#: A central difference of eighth order: its error is far below the rounding of the finer ones.
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def described(robot: Robot, q: Array, link: int, at: pin.SE3, angles: str) -> Array:
    pose = Reference(robot, q).pose(link) * at
    return np.r_[pose.translation, NUMBERS[angles](Rotation.from_matrix(pose.rotation))]


def differences(robot: Robot, q: Array, link: int, at: pin.SE3, angles: str) -> Array:
    def x(q: Array) -> Array:
        return described(robot, q, link, at, angles)

    columns = []
    for unit in np.eye(len(q)):
        parts = []
        for n, weight in WEIGHTS.items():
            change = x(q + n * STEP * unit) - x(q - n * STEP * unit)
            if angles != "quaternion":
                change[3:] = (change[3:] + np.pi) % (2 * np.pi) - np.pi
            parts.append(weight * change)
        columns.append(sum(parts) / STEP)
    return np.column_stack(columns)


def far_from_singular(robot: Robot, q: Array, link: int, at: pin.SE3, angles: str) -> bool:
    R = (Reference(robot, q).pose(link) * at).rotation
    if angles == "quaternion":
        return bool(Rotation.from_matrix(R).as_quat(canonical=True)[3] > 0.1)
    x = R[:, 2 if angles == "zyz" else 0]
    return bool(np.hypot(x[0], x[1]) > 0.3)


@pytest.mark.parametrize("angles", NUMBERS)
@pytest.mark.parametrize("seed", some(2, of=60))
def test_random_robots(seed: int, angles: str) -> None:
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial")
    table, pose = pose_table(np.random.default_rng(seed))
    link = robot.link_count
    robot = replace(robot, frames=(Frame("tool", link, table),))
    n = sum(joint.movable for joint in robot.joints)
    for target, at in ((link, pin.SE3.Identity()), ("tool", pose)):
        draws = np.random.default_rng(seed).uniform(-3, 3, (40, n))
        q = next((q for q in draws if far_from_singular(robot, q, link, at, angles)), None)
        if q is None:  # a frame that keeps its singular orientation
            continue
        found = one(symoro.analytical_jacobian(robot, target, angles, optimize=seed % 3 == 0), q=q)
        assert_close(found, differences(robot, q, link, at, angles), TOLERANCE)


@pytest.mark.parametrize("seed", some(5, of=200))
def test_a_quaternion_from_each_of_its_elements(seed: int) -> None:
    """Orientations near half turns, where w is small and x, y or z is the largest element."""
    robot = replace(symoro.load("rx90"))
    rng = np.random.default_rng(seed)
    for q in rng.uniform(-np.pi, np.pi, (3, 6)):
        R = Rotation.from_matrix(Reference(robot, q).pose(6).rotation)
        x, y, z, w = R.as_quat(canonical=True)
        E = 0.5 * np.array([[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]])
        J = one(symoro.jacobian(robot, 6), q=q)
        found = one(symoro.analytical_jacobian(robot, 6, "quaternion"), q=q)
        assert_close(found, np.vstack([J[:3], E @ J[3:]]), 1e-12)


def test_the_two_orders_of_the_same_angles() -> None:
    q = np.linspace(0.2, 1.2, 6)
    rpy, zyx = (one(symoro.analytical_jacobian("puma560", 6, angles), q=q) for angles in ("rpy", "zyx"))
    assert_close(rpy[[0, 1, 2, 5, 4, 3]], zyx, 1e-13)


def test_a_singular_orientation_is_not_finite() -> None:
    """At q = 0 the z axis of link 4 of the RX90 is that of frame 0, or opposite to it."""
    f = symoro.analytical_jacobian("rx90", 4, "zyz").compile()
    assert abs(Reference(symoro.load("rx90"), np.zeros(6)).pose(4).rotation[2, 2]) == pytest.approx(1)
    with np.errstate(all="ignore"), pytest.warns(LoopWarning, match="two of their axes are parallel"):
        assert not np.isfinite(f(np.zeros(6))).all()


def test_angles_that_never_exist_are_refused() -> None:
    """The z axes of a planar robot are parallel: φ and ψ of z-y-z angles turn about the same axis."""
    with raised("jacobians.angles", NotApplicable):
        symoro.analytical_jacobian("planar2r", 1, "zyz")
