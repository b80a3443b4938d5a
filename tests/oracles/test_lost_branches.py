"""Branches that are lost to rounding at two singularities, and angles that are nearly right: nothing is denied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Robot, Status

RIGHT = np.pi / 2


def nearest(found: Any, q: Any) -> float:
    """How far the nearest branch is from q, without whole turns."""
    away = (found.q[found.valid] - q + np.pi) % (2 * np.pi) - np.pi
    return float(np.abs(away).max(-1).min())


@pytest.mark.parametrize("held", [1, 7])
@pytest.mark.parametrize("bend", [1e-9, 1e-8, 1e-7, 1e-6])
def test_a_nearly_stretched_arm_reaches_its_pose(bend: float, held: int) -> None:
    q = np.array([0.4, 0.7, 0.4, bend, -1.3, 0.9, 2.0])
    forward = symoro.forward_geometry("kuka-iiwa").compile("numpy")
    solver = symoro.inverse_geometry("kuka-iiwa", redundant={held: "r"}).compile("numpy")
    T = forward(q)
    s, many = solver(T, q[held - 1 : held]), solver(T[None], q[None, held - 1 : held])
    assert s.status is many.status[0]
    assert s.status is not Status.UNREACHABLE
    assert s.valid.any()
    assert np.abs(forward(s.q[s.valid]) - T).max() < 1e-9


@pytest.mark.parametrize("bend", [1e-7, 1e-6, 1e-5])
def test_no_branch_is_lost_beside_a_stretched_elbow(bend: float) -> None:
    q = np.array([-2.006, -0.569, 0.542, bend, -0.399, 0.234, -0.181])
    forward = symoro.forward_geometry("panda").compile("numpy")
    s = symoro.inverse_geometry("panda", redundant={7: "q7"}).compile("numpy")(forward(q), q[6:])
    assert s.status is Status.COMPLETE
    assert s.valid.sum() == 8
    assert nearest(s, q) < 1e-5


@pytest.mark.parametrize("error", [3e-6, 3.7e-6, 5e-6, 1e-5])
@pytest.mark.parametrize("wrist", [0.0, 1e-5, np.pi])
def test_a_right_angle_that_is_rounded_keeps_the_wrist(wrist: float, error: float) -> None:
    rows = [(0, 0, 0, 0), (-RIGHT, 0, 0, 0.1), (0, 0.43, 0, 0.02), (-RIGHT, 0.02, 0, 0.43), (RIGHT, 0, 0, 0)]
    arm = Robot.from_mdh([*rows, (-RIGHT - error, 0, 0, 0)], "arm")
    forward, solver = symoro.forward_geometry(arm).compile("numpy"), symoro.inverse_geometry(arm).compile("numpy")
    for q in np.random.default_rng(0).uniform(-2, 2, (5, 6)):
        q[4] = wrist
        # two branches are nearly one there: rounding of 1e-16 moves a branch by 1e-8 / error
        assert nearest(solver(forward(q)), q) < 1e-2


def test_a_folded_arm_with_small_errors_of_its_angles_reaches_its_pose() -> None:
    turns = (2e-5, -RIGHT - 4e-5, 7e-5, -RIGHT - 6e-5, RIGHT + 9e-5, -RIGHT + 8e-5)
    lengths = ((0, 0, 0.3), (0, 0, 0), (0.4, 0, 0), (0, 0, 0.4), (0, 0, 0), (0, 0, 0.1))
    arm = Robot.from_mdh([(turn, *rest) for turn, rest in zip(turns, lengths, strict=True)], "arm")
    forward, solver = symoro.forward_geometry(arm).compile("numpy"), symoro.inverse_geometry(arm).compile("numpy")
    for q in (
        [-7e-07, -0.785399, 1.5707963, -0.7853987, 1.5707971, -3.1415922],
        [2.3561942, -0.7853993, 1.570796, -0.7853987, 1.5707971, -3.1415922],
        [3.1415934, 0.785398, 1.570796, 0.7853983, -0.7853983, 0.7853979],
    ):
        s = solver(forward(np.array(q)))
        assert s.status is not Status.UNREACHABLE


def test_no_element_of_a_pose_is_wrong_by_more_than_the_certificate() -> None:
    error = (0, 8e-10, -9e-10, 9e-10, 7e-10, -9e-10)
    rows = ((0, 0, 0, 0.1), (RIGHT, 0, 0, 0.11), (0, -0.42, 0, 0), (0, -0.39, 0, 0), (RIGHT, 0, 0, 0.09))
    turned = [(a + x, *rest) for (a, *rest), x in zip([*rows, (-RIGHT, 0, 0, 0.08)], error, strict=True)]
    arm = Robot.from_mdh(turned, "arm")
    forward, solver = symoro.forward_geometry(arm).compile("numpy"), symoro.inverse_geometry(arm).compile("numpy")
    for q in np.random.default_rng(0).uniform(-3, 3, (12, 6)):
        T = forward(q)
        s = solver(T)
        assert s.valid.any()
        assert np.abs(forward(s.q[s.valid]) - T).max() <= 1e-9
