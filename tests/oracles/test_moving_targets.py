"""Targets that move, and branches: poses by Pinocchio, derivatives by SciPy's splines."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.interpolate import CubicSpline

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle
from support.raised import raised

Q0 = np.array([0.3, 0.4, 1.2, 0.3, 0.8, 0.1])


@cache
def rx90() -> Any:
    robot = symoro.load("rx90")
    return oracle(robot, robot.values.numbers())


def poses(q: Any) -> Any:
    o, found = rx90(), []
    for row in np.atleast_2d(q):
        pin.forwardKinematics(o.model, o.data, o.q(row))
        found.append((o.data.oMi[o.joint_of[6]] * o.pose_in[6]).homogeneous)
    return np.array(found)


def derivatives_agree(t: Any, tolerance: float) -> None:
    time = t.times(2001)
    q, qd, qdd = t(time)
    spline = CubicSpline(time, q)
    inner = slice(20, -20)
    assert_close(qd[inner], spline(time, 1)[inner], tolerance)
    assert_close(qdd[inner], spline(time, 2)[inner], 1e3 * tolerance)


def test_joints_approach_a_target_that_moves_and_go_with_it() -> None:
    """K13:8.3 with its derivatives; the relative motion has the profile of a motion to a target at rest."""
    target = symoro.trajectory([1.0, 0.5], [2.0, -0.5], "cubic", duration=3.0)
    t = symoro.trajectory([0.0, 0.0], target, velocity=1.0)
    still = symoro.trajectory([0.0, 0.0], [1.0, 0.5], velocity=1.0)
    assert t.duration == 3.0
    time = t.times(301)
    assert_close(t(time).q - (target(time).q - target(0.0).q), still(time).q, 1e-13)
    late = time > still.duration
    for mine, theirs in zip(t(time[late]), target(time[late]), strict=True):
        assert_close(mine, theirs, 1e-13)
    derivatives_agree(t, 1e-5)


def test_a_frame_meets_an_object_on_a_conveyor_and_stays_on_it() -> None:
    start = poses(Q0)[0]
    goal = start.copy()
    goal[:3, 3] += [-0.05, 0.1, 0.02]
    goal[:3, :3] = goal[:3, :3] @ pin.exp3(np.array([0.2, 0.1, -0.3]))
    velocity = np.array([0.05, -0.1, 0.0, 0.0, 0.0, 0.4])
    t = symoro.task_trajectory("rx90", Q0, symoro.moving_target(goal, velocity), duration=0.8, along=0.4)
    assert_close(t.duration, 1.2, 1e-14)
    assert_close(poses(t(0.0).q)[0], start, 1e-9)
    for time in (0.8, 1.0, 1.2):
        expected = np.eye(4)
        expected[:3, :3] = pin.exp3(velocity[3:] * time) @ goal[:3, :3]
        expected[:3, 3] = goal[:3, 3] + time * velocity[:3]
        assert_close(poses(t(time).q)[0], expected, 1e-9)
        pin.computeJointJacobians(rx90().model, rx90().data, rx90().q(t(time).q))
    J = symoro.jacobian("rx90", 6).compile()(t(1.1).q)
    assert_close(J @ t(1.1).qd, velocity, 1e-9)
    derivatives_agree(t, 1e-5)


def test_a_target_that_a_user_writes() -> None:
    """An object that swings; its velocity and acceleration are given with it."""
    first = poses(Q0)[0]

    def swinging(time: Any) -> Any:
        T = np.broadcast_to(first, (*time.shape, 4, 4)).copy()
        T[..., 1, 3] += 0.1 + 0.05 * np.sin(2 * time)
        twist, rate = np.zeros((2, *time.shape, 6))
        twist[..., 1], rate[..., 1] = 0.1 * np.cos(2 * time), -0.2 * np.sin(2 * time)
        return T, twist, rate

    t = symoro.task_trajectory("rx90", Q0, swinging, velocity=0.3, along=1.0)
    assert_close(poses(t(t.duration).q)[0], swinging(np.array(t.duration))[0], 1e-9)
    derivatives_agree(t, 1e-5)


@pytest.mark.long
def test_the_branch_of_a_start_that_is_a_pose() -> None:
    """Each branch gives the same motion of the frame by other joints; the best one keeps away from singular ones."""
    start = poses(Q0)[0]
    goal = start[:3, 3] + [-0.05, 0.1, 0.02]
    numbers = np.flatnonzero(symoro.inverse_geometry("rx90").compile()(start).valid)
    jacobian = symoro.jacobian("rx90", 6).compile()
    least = {}
    for k in map(int, numbers):
        try:
            t = symoro.task_trajectory("rx90", start, goal, branch=k, duration=1.0, points=51)
        except symoro.SymoroError:
            continue
        assert_close(poses(t(1.0).q)[0][:3, 3], goal, 1e-9)
        least[k] = np.linalg.svd(jacobian(t(t.times(201)).q), compute_uv=False).min()
    assert len(least) >= 4
    best = symoro.task_trajectory("rx90", start, goal, duration=1.0, points=51)
    found = np.linalg.svd(jacobian(best(best.times(201)).q), compute_uv=False).min()
    assert found >= max(least.values()) * (1 - 1e-3)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"q0": poses(Q0)[0], "branch": 99}, "trajectories.no_branch"),
        ({"branch": 0}, "trajectories.branch_without_pose"),
        ({"q0": np.diag([1.0, 1, 1, 1]) + 50 * np.eye(4, k=3)}, "trajectories.start_out_of_reach"),
        ({"target": lambda t: t}, "trajectories.target_gives"),
        (
            {"target": symoro.moving_target(poses(Q0)[0], np.zeros(6)), "through": [0, 0, 0.5]},
            "trajectories.moving_on_a_line",
        ),
        ({"along": 1.0}, "trajectories.along_fixed_target"),
        (
            {"target": symoro.moving_target(poses(Q0)[0], [9.0, 0, 0, 0, 0, 0]), "along": 5.0},
            "trajectories.jumps",
        ),
    ],
)
def test_what_is_refused(given: dict[str, Any], code: str) -> None:
    words = {"robot": "rx90", "q0": Q0, "target": poses(Q0)[0][:3, 3] + 0.05, "duration": 1.0, **given}
    with raised(code):
        symoro.task_trajectory(**words)


def test_targets_that_are_refused() -> None:
    with raised("trajectories.not_orthonormal"):
        symoro.moving_target(2 * np.eye(4), np.zeros(6))
    with raised("trajectories.moving_target"):
        symoro.moving_target(np.eye(4), np.zeros(3))
    with raised("trajectories.via_to_moving"):
        symoro.trajectory([0.0], symoro.trajectory([1.0], [2.0], duration=1.0), via=[[0.5]], duration=1.0)
