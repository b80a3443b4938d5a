"""Trajectories that are refused, and joints that do not move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.robot.values import to_text


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"profile": "cubic-ish"}, "options.value"),
        ({}, "trajectories.no_duration"),
        ({"velocity": 0.0}, "motion.not_positive"),
        ({"velocity": [1.0, -2.0]}, "motion.not_positive"),
        ({"velocity": [1.0, 2.0, 3.0]}, "motion.shape_of_limit"),
        ({"duration": -1.0}, "options.value"),
        ({"duration": float("nan")}, "options.value"),
        ({"profile": "trapezoid", "velocity": 1.0}, "trajectories.needs_limit"),
        ({"profile": "cubic", "jerk": 1.0, "velocity": 1.0}, "trajectories.keeps_no_limit"),
        ({"profile": "linear", "acceleration": 1.0}, "trajectories.keeps_no_limit"),
        ({"profile": "trapezoidal-acceleration", "acceleration": 1.0, "ramp": 0.7}, "options.value"),
        ({"times": [0, 1]}, "trajectories.times_without_via"),
        ({"via": [[0.5, 0.5]]}, "trajectories.no_times"),
        ({"via": [[0.5]], "duration": 1.0}, "trajectories.via_shape"),
        ({"via": [[0.0, 0.0]], "duration": 1.0}, "trajectories.two_points_equal"),
        ({"via": [[0.5, 0.5]], "times": [0, 1]}, "trajectories.times"),
        ({"via": [[0.5, 0.5]], "times": [0, 2, 1]}, "trajectories.times"),
        ({"via": [[0.5, 0.5]], "profile": "cubic", "jerk": 1.0}, "trajectories.cubic_jerk"),
        ({"via": [[0.5, 0.5]], "profile": "trapezoid", "duration": 1.0}, "trajectories.stops"),
        ({"via": [[0.5, 0.5]], "duration": 0.1, "velocity": 1.0}, "trajectories.too_short"),
        ({"robot": "puma560", "duration": 1.0}, "motion.active_joints"),
    ],
)
def test_what_is_refused(given: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.trajectory([0.0, 0.0], [1.0, 2.0], **given)


@pytest.mark.parametrize(
    ("q0", "q1", "code"),
    [
        ([0.0], [1.0, 2.0], "motion.shape"),
        ([[0.0]], [1.0], "motion.shape"),
        ([float("inf")], [1.0], "motion.not_finite"),
    ],
)
def test_configurations_that_are_refused(q0: Any, q1: Any, code: str) -> None:
    with raised(code):
        symoro.trajectory(q0, q1, duration=1.0)


def test_where_no_joint_moves_the_duration_is_zero() -> None:
    t = symoro.trajectory([0.3, 0.4], [0.3, 0.4], velocity=1.0)
    assert t.duration == 0
    assert t([0.0, 1.0]).q.tolist() == [[0.3, 0.4]] * 2
    assert not t([0.0, 1.0]).qd.any()


def test_before_the_start_and_after_the_end_nothing_moves() -> None:
    t = symoro.trajectory([0.0], [1.0], "linear", velocity=1.0)
    q, qd, qdd = t([-1.0, 0.5, 2.0])
    assert q.ravel().tolist() == [0.0, 0.5, 1.0]
    assert qd.ravel().tolist() == [0.0, 1.0, 0.0]
    assert not qdd.any()


def test_a_time_gives_a_row_and_times_give_rows() -> None:
    t = symoro.trajectory([0.0, 1.0], [1.0, 0.0], duration=2.0)
    assert t(1.0).q.tolist() == [0.5, 0.5]
    assert t(np.zeros((3, 4))).qdd.shape == (3, 4, 2)


def test_the_limits_of_a_robot_are_used_and_named() -> None:
    robot = symoro.load("panda")
    q0 = np.array([0.0, 0, 0, -1, 0, 1, 0])
    t = symoro.trajectory(q0, q0 + 0.3, robot=robot)
    assert t.joints[0] == robot.joints[0].name
    velocity = np.abs(t(t.duration / 2).qd)
    limits = [float(to_text(joint.limits.velocity)) for joint in robot.joints if joint.limits.velocity]
    assert abs((velocity / limits).max() - 1) < 1e-12
    with pytest.raises(symoro.SymoroError, match=f"joint {robot.joints[1].name}: q1 is 30, outside its limits"):
        symoro.trajectory(q0, q0 + 30 * np.eye(7)[1], robot=robot)


def test_a_plot_has_a_panel_for_each_derivative(tmp_path: Any) -> None:
    t = symoro.trajectory([0.0, 1.0], [1.0, 0.0], duration=2.0)
    figure = t.plot(tmp_path / "move.png")
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "position (rad or m)",
        "velocity (rad/s or m/s)",
        "acceleration (rad/s² or m/s²)",
    ]
    assert (tmp_path / "move.png").stat().st_size > 1000
