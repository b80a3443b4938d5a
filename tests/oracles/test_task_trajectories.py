"""Motions of a frame on lines and circles: poses by Pinocchio, turns by SciPy's interpolation of rotations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import cumulative_simpson
from scipy.spatial.transform import Rotation, Slerp

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle
from support.raised import raised
from symoro.motion.trajectory import Trajectory

Q0 = np.array([0.3, 0.4, 1.2, 0.3, 0.8, 0.1])


@cache
def peer() -> Any:
    robot = symoro.load("rx90")
    return oracle(robot, robot.values.numbers())


def poses(q: Any) -> Any:
    """Poses of link 6 by Pinocchio."""
    found, o = [], peer()
    for row in np.atleast_2d(q):
        pin.forwardKinematics(o.model, o.data, o.q(row))
        found.append((o.data.oMi[o.joint_of[6]] * o.pose_in[6]).homogeneous)
    return np.array(found)


def target(move: Any, turn: Any) -> Any:
    T = poses(Q0)[0].copy()
    T[:3, 3] += move
    T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(turn).as_matrix()
    return T


def assert_derivatives(t: Trajectory) -> None:
    time = t.times(4001)
    q, qd, qdd = t(time)
    assert_close(cumulative_simpson(qd, x=time, axis=0), q[1:] - q[0], 1e-8)
    assert_close(cumulative_simpson(qdd, x=time, axis=0), qd[1:] - qd[0], 1e-6)


@pytest.mark.parametrize("turn", [[0.4, -0.2, 0.3], [1e-9, 0.0, 0.0], [0.0, 0.0, 0.0]])
def test_a_line_with_a_turn_about_one_axis(turn: list[float]) -> None:
    T0, T1 = poses(Q0)[0], target([-0.1, 0.15, 0.05], turn)
    t = symoro.task_trajectory("rx90", Q0, T1, duration=1.5)
    time = t.times(41)
    found = poses(t(time).q)
    r = symoro.trajectory([0.0], [1.0], duration=1.5)(time).q[:, 0]
    assert_close(found[:, :3, 3], T0[:3, 3] + r[:, None] * (T1 - T0)[:3, 3], 1e-10)
    between = Slerp([0, 1], Rotation.from_matrix([T0[:3, :3], T1[:3, :3]]))(r).as_matrix()
    assert_close(found[:, :3, :3], between, 1e-9)
    assert_derivatives(t)


def test_a_half_turn_of_the_flange() -> None:
    """The angle is π: both directions are right, and one of them is taken."""
    T1 = target([0.0, 0.0, 0.0], [0.0, 0.0, np.pi])
    t = symoro.task_trajectory("rx90", Q0, T1, duration=1.0)
    assert_close(poses(t(1.0).q)[0], T1, 1e-9)
    assert_close(np.abs(t(1.0).q - Q0), [0, 0, 0, 0, 0, np.pi], 1e-9)
    assert_derivatives(t)


def test_euler_angles_change_in_proportion() -> None:
    T0, T1 = poses(Q0)[0], target([0.05, 0.05, -0.05], [0.3, 0.2, -0.4])
    t = symoro.task_trajectory("rx90", Q0, T1, rotation="euler", duration=1.0)
    time = t.times(21)
    r = symoro.trajectory([0.0], [1.0], duration=1.0)(time).q
    angles = Rotation.from_matrix(poses(t(time).q)[:, :3, :3]).as_euler("ZXZ")
    angles = np.unwrap(angles, axis=0)
    assert_close(angles, angles[0] + r * (angles[-1] - angles[0]), 1e-8)
    assert_close(poses(t(1.0).q)[0], T1, 1e-9)
    assert_close(poses(t(0.0).q)[0], T0, 1e-9)
    assert_derivatives(t)


def test_an_arc_through_three_points() -> None:
    P0 = poses(Q0)[0][:3, 3]
    P1, P2 = P0 + np.array([[0.05, 0.1, 0.02], [-0.05, 0.15, 0.1]])
    t = symoro.task_trajectory("rx90", Q0, P2, through=P1, velocity=0.3, acceleration=1.0)
    time = t.times(2001)
    P = poses(t(time).q)[:, :3, 3]
    normal = np.cross(P1 - P0, P2 - P0)
    rows = np.array([P1 - P0, P2 - P0, normal])
    right = [(P1 @ P1 - P0 @ P0) / 2, (P2 @ P2 - P0 @ P0) / 2, normal @ P0]
    centre = np.linalg.solve(rows, right)
    radius = np.linalg.norm(P0 - centre)
    assert_close(np.linalg.norm(P - centre, axis=1), np.full(len(P), radius), 1e-9)
    assert np.abs((P - P0) @ normal).max() < 1e-10
    assert np.linalg.norm(P - P1, axis=1).min() < 1e-3
    assert_close(P[-1], P2, 1e-9)
    v = np.gradient(P, time, axis=0)
    a = np.gradient(v, time, axis=0)
    assert np.linalg.norm(v, axis=1).max() <= 0.3 * (1 + 1e-4)
    assert np.linalg.norm(a[2:-2], axis=1).max() <= 1.0 * (1 + 1e-3)


def test_limits_of_the_frame_are_reached() -> None:
    T1 = target([-0.1, 0.15, 0.05], [0.4, -0.2, 0.3])
    t = symoro.task_trajectory("rx90", Q0, T1, velocity=0.2, angular_velocity=5.0, profile="linear")
    assert_close(t.duration, np.linalg.norm([-0.1, 0.15, 0.05]) / 0.2, 1e-12)
    t = symoro.task_trajectory("rx90", Q0, T1, velocity=9.0, angular_velocity=0.1, profile="linear")
    assert_close(t.duration, np.linalg.norm([0.4, -0.2, 0.3]) / 0.1, 1e-9)


def test_the_fastest_motion_on_the_line() -> None:
    t = symoro.task_trajectory("rx90", Q0, target([-0.1, 0.15, 0.05], [0.0] * 3), duration=1.0, points=51)
    best = symoro.time_optimal(t, velocity=2.0, acceleration=10.0, points=101)
    P = poses(best(best.times(31)).q)[:, :3, 3]
    D = P[-1] - P[0]
    assert np.abs(np.cross(P - P[0], D)).max() < 1e-9
    assert best.duration < 1.0
    assert np.abs(best(best.times(301)).qd).max() <= 2.0 * (1 + best.excess) + 1e-9


def test_a_planar_arm_moves_in_its_plane() -> None:
    robot = symoro.load("planar3r")
    q0 = np.array([0.3, 0.6, 0.5])
    pose = symoro.forward_geometry(robot, 3).compile()
    goal = pose(q0)[:3, 3] + [-0.1, 0.1, 0.0]
    t = symoro.task_trajectory(robot, q0, goal, duration=1.0)
    found = pose(t(t.times(11)).q)
    assert_close(found[-1][:3, 3], goal, 1e-9)
    assert_close(found[:, :3, :3], np.broadcast_to(found[0][:3, :3], (11, 3, 3)), 1e-9)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"target": 10 * poses(Q0)[0][:3, 3]}, "trajectories.out_of_reach"),
        ({"target": np.eye(3)}, "trajectories.target_shape"),
        ({"target": 2 * np.eye(4)}, "trajectories.not_orthonormal"),
        ({"target": [0.1, 0.1, 0.5], "through": [0.1, 0.1, 0.5]}, "trajectories.on_a_line"),
        ({"target": [0.1, 0.1, 0.5], "duration": None}, "trajectories.no_duration_or_limit"),
        ({"target": [0.1, 0.1, 0.5], "rotation": "quaternion"}, "options.value"),
        ({"target": [0.1, 0.1, 0.5], "velocity": 0.0}, "options.value"),
        ({"target": [0.1, 0.1, 0.5], "velocity": 1e-3}, "trajectories.shorter"),
        ({"robot": "five-bar", "q0": [2.0, 1.0], "target": [0.0, 0.0, 0.0]}, "trajectories.no_follower"),
        ({"robot": "two-arm", "q0": [0.1] * 7, "target": [0.0] * 3}, "motion.several_tips"),
    ],
)
def test_what_is_refused(given: dict[str, Any], code: str) -> None:
    words = {"robot": "rx90", "q0": Q0, "duration": 1.0, **given}
    with raised(code):
        symoro.task_trajectory(**words)


def test_a_singular_configuration_is_refused_with_its_place() -> None:
    """The wrist of the RX-90 is singular where its fifth joint is 0."""
    start = np.array([0.3, 0.4, 1.2, 0.0, 0.3, 0.0])
    T1 = symoro.forward_geometry("rx90", 6).compile()(np.array([0.3, 0.4, 1.2, 0.0, -0.3, 0.0]))
    with pytest.raises(
        symoro.SymoroError, match=r"singular configuration at s = 0\.(49\d*|5) of the path \(0\.(49\d*|5) s\)"
    ):
        symoro.task_trajectory("rx90", start, T1, duration=1.0)


def test_a_joint_that_leaves_its_limits_is_named_with_the_time() -> None:
    robot = symoro.load("kuka-iiwa")
    q0 = np.array([0.0, 0.5, 0.0, -1.2, 0.0, 0.8, 2.9])
    pose = symoro.forward_geometry(robot, 7).compile()(q0)
    T1 = pose.copy()
    T1[:3, :3] = pose[:3, :3] @ Rotation.from_rotvec([0.0, 0.0, 1.5]).as_matrix()
    with pytest.raises(symoro.SymoroError, match=r"joint .* leaves its limits at s = .* s\): .* \(allowed: "):
        symoro.task_trajectory(robot, q0, T1, duration=1.0)
