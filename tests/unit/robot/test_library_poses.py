"""Poses of robots of the library, multiplied out with NumPy: those of published tables, and at zero."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray

from support.close import assert_close
from symoro.formats import load
from symoro.robot.joint import GEOMETRY
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, Symbol, evaluate

Matrix = NDArray[np.float64]
Rows = list[tuple[float, float, float]]


def pose(robot: Robot, link: int, q: Sequence[float] | None = None) -> Matrix:
    """The pose of a link in frame 0, multiplied out with NumPy; `q` has an entry for each joint, by default 0."""
    at = robot.values.numbers() | {f"q{j.index}": q[j.index - 1] if q else 0.0 for j in robot.joints}
    result = np.eye(4)
    while link:
        joint = robot.joint(link)
        gamma, b, alpha, d, theta, r = (evaluate(getattr(joint, name), at) for name in GEOMETRY)
        fixed = turn(2, gamma) @ shift(0, 0, b) @ turn(0, alpha) @ shift(d, 0, 0)
        result = fixed @ turn(2, theta) @ shift(0, 0, r) @ result
        link = joint.parent
    return result


def turn(axis: int, angle: float) -> Matrix:
    result, (i, k) = np.eye(4), ((axis + 1) % 3, (axis + 2) % 3)
    result[i, i] = result[k, k] = np.cos(angle)
    result[k, i] = np.sin(angle)
    result[i, k] = -np.sin(angle)
    return result


def shift(x: float, y: float, z: float) -> Matrix:
    result = np.eye(4)
    result[:3, 3] = x, y, z
    return result


def frame(robot: Robot, name: str) -> Matrix:
    (found,) = (f for f in robot.frames if f.name == name)
    return pose(robot, found.link) @ [[evaluate(entry, robot.values.numbers()) for entry in row] for row in found.pose]


def standard_dh(rows: Rows, q: Sequence[float]) -> Matrix:
    """The product of Rz(θ) Tz(d) Tx(a) Rx(α) over rows of (a, α, d)."""
    result = np.eye(4)
    for (a, alpha, d), theta in zip(rows, q, strict=True):
        result = result @ turn(2, theta) @ shift(a, 0, d) @ turn(0, alpha)
    return result


UR5: Rows = [
    (0, pi / 2, 0.089159),
    (-0.425, 0, 0),
    (-0.39225, 0, 0),
    (0, pi / 2, 0.10915),
    (0, -pi / 2, 0.09465),
    (0, 0, 0.0823),
]
IIWA: Rows = [
    (0, -pi / 2, 0.34),
    (0, pi / 2, 0),
    (0, pi / 2, 0.4),
    (0, -pi / 2, 0),
    (0, -pi / 2, 0.4),
    (0, pi / 2, 0),
    (0, 0, 0.126),
]
PANDA: Rows = [
    (0, -pi / 2, 0.333),
    (0, pi / 2, 0),
    (0.0825, pi / 2, 0.316),
    (-0.0825, -pi / 2, 0),
    (0, pi / 2, 0.384),
    (0.088, pi / 2, 0),
    (0, 0, 0.107),
]
DH: dict[str, tuple[Rows, float]] = {"ur5": (UR5, 0.0), "kuka-iiwa": (IIWA, 0.126), "panda": (PANDA, 0.107)}


@pytest.mark.parametrize("name", DH)
def test_pose_is_that_of_the_published_standard_dh_table(name: str) -> None:
    rows, tool = DH[name]
    robot = load(name)
    rng = np.random.default_rng(1)
    for q in ([0.0] * len(rows), list(rng.uniform(-3, 3, len(rows)))):
        tip = pose(robot, len(rows), q) @ shift(0, 0, tool)
        assert_close(tip, standard_dh(rows, q), 1e-13)


@pytest.mark.parametrize(
    ("name", "flange"), [("panda", (0.088, 0, 0.926)), ("kuka-iiwa", (0, 0, 1.266)), ("kuka-lwr", (0, 0, 1.1785))]
)
def test_flange_at_zero(name: str, flange: tuple[float, float, float]) -> None:
    assert_close(frame(load(name), "flange")[:3, 3], flange, 1e-13)


def test_ur5_tip_at_zero() -> None:
    assert_close(pose(load("ur5"), 6)[:3, 3], (-0.81725, -0.19145, -0.005491), 1e-13)


def test_tx40_stands_upright_at_zero() -> None:
    assert_close(pose(load("tx40"), 6), shift(0, 0.035, 0.45), 1e-13)


def test_planar_arms_hang_in_a_vertical_plane() -> None:
    for name in ("planar2r", "planar3r"):
        robot = load(name)
        assert robot.gravity == (ZERO, Symbol("G2"), ZERO)
        np.testing.assert_allclose(frame(robot, "tip")[:3, 3], (0.5 * robot.link_count, 0, 0))


def test_two_arm_has_two_roots() -> None:
    robot = load("two-arm")
    assert [joint.parent for joint in robot.joints] == [0, 1, 2, 0, 4, 5]
    assert_close(pose(robot, 3)[:3, 3], (0.4, 0.2, 0.6), 1e-13)
    assert_close(pose(robot, 6)[:3, 3], (0.4, -0.2, 0.6), 1e-13)


def test_humanoid_stands_with_hanging_arms() -> None:
    robot = load("humanoid")
    index = {joint.name: joint.index for joint in robot.joints}
    children = {name: sum(j.parent == index[name] for j in robot.joints) for name in ("pelvis", "waist_pitch")}
    assert sum(joint.movable for joint in robot.joints) == 28
    assert children == {"pelvis": 3, "waist_pitch": 3}
    for side, y in (("left", 1), ("right", -1)):
        assert_close(pose(robot, index[f"{side}_ankle_roll"])[:3, 3], (0, 0.1 * y, -0.88), 1e-13)
        assert_close(pose(robot, index[f"{side}_wrist_pitch"])[:3, 3], (0, 0.2 * y, -0.03), 1e-13)
    assert len({joint.name for joint in robot.joints}) == 29
