"""Quick motions of platforms on the page: rows of a motion, exact or simulated under a controller."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions
from symoro.errors import MotionError
from symoro.models.parallel.platform import home, moved
from symoro.robot.robot import Robot
from symoro.web.document import document_of
from symoro.web.motion import played
from symoro.web.requests import Play

T_END = 1.5
R = Polynomial([0, 0, 0, 10 / T_END**3, -15 / T_END**4, 6 / T_END**5])  # (K13:8.11)
STRAIGHT = [0.06, -0.03, 0.05, 0.0, 0.0, 0.2]


@cache
def loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot


def rows(name: str, last: np.ndarray, **more: Any) -> dict[str, Any]:
    robot = loaded(name)
    poses = [T[:3].ravel().tolist() for T in (home(robot), last)]
    return played(robot, Play(robot=document_of(robot), poses=poses, duration=T_END, **more))


def oracle(robot: Robot, found: dict[str, Any], k: int) -> tuple[Platform, np.ndarray]:
    """Pinocchio's legs and multipliers at a row, and the velocities of all coordinates there."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_quat(found["quat"][k]).as_matrix(), found["position"][k]
    platform = Platform(robot, T, joint_positions(robot, T))
    assert platform.closure() < 1e-8
    return platform, platform.velocities(np.array(found["twist"][k]))


def test_torques_along_a_line_are_those_of_pinocchio_and_multipliers() -> None:
    robot = loaded("gough-stewart")
    found = rows("gough-stewart", moved(home(robot), np.array(STRAIGHT)))
    for k in (0, 30, 55):
        t = found["t"][k]
        assert_close(found["position"][k], home(robot)[:3, 3] + R(t) * np.array(STRAIGHT[:3]), 1e-8)
        assert_close(found["twist"][k], R.deriv()(t) * np.array(STRAIGHT), 1e-8)  # it turns about one axis
        platform, u = oracle(robot, found, k)
        ud = platform.follow(u, R.deriv(2)(t) * np.array(STRAIGHT))
        assert_close(found["tau"][k], platform.torques(u, ud), 1e-6)


@pytest.mark.long
def test_a_platform_that_cannot_go_straight_on_follows_its_motors() -> None:
    robot = loaded("3rps")
    last = symoro.forward_geometry(robot).compile()([0.95, 1.05, 1.1], guess=home(robot)).T[0]  # type: ignore[arg-type]
    found = rows("3rps", last)
    assert_close(found["position"][-1], last[:3, 3], 1e-7)
    D = np.array(found["q"][-1]) - np.array(found["q"][0])
    for k in (0, 40, 70):
        t = found["t"][k]
        platform, u = oracle(robot, found, k)
        motors = platform.motors()
        assert_close(motors.T @ u, R.deriv()(t) * D, 1e-6)
        C, drift = platform.constraints(u)
        ud = np.linalg.lstsq(np.vstack([C, motors.T]), np.r_[-drift, R.deriv(2)(t) * D], rcond=None)[0]
        assert_close(found["tau"][k], platform.torques(u, ud), 1e-6)


@pytest.mark.long
@pytest.mark.parametrize("law", ["computed_torque", "pid"])
def test_a_controller_takes_away_the_error_of_the_start(law: str) -> None:
    robot = loaded("planar-3rrr")
    found = rows("planar-3rrr", moved(home(robot), np.array([0.05, 0.02, 0, 0, 0, 0.1])), law=law, offset=0.02)
    assert_close(found["error"][0], [-0.02] * 3, 1e-8)
    assert np.abs(found["error"][-1]).max() < 0.005
    assert np.shape(found["tau"]) == np.shape(found["error"]) == (len(found["t"]), 3)
    oracle(robot, found, len(found["t"]) // 2)


def test_poses_that_are_none_or_out_of_reach_are_refused_in_words() -> None:
    robot = loaded("planar-3rrr")
    at = home(robot)
    far, bent = at.copy(), at.copy()
    far[0, 3] = 50.0
    bent[0, 0] = 3.0
    for last, said in ((at, "same pose"), (far, "do not reach"), (bent, "no rotation")):
        with pytest.raises(MotionError, match=said):
            rows("planar-3rrr", last)
    with pytest.raises(MotionError, match="two poses"):
        played(robot, Play(robot=document_of(robot)))
    for poses in ([], [[0.0] * 12], [[0.0] * 12, [float("nan")] * 12], [[0.0] * 11] * 2):
        with pytest.raises(ValidationError):
            Play(robot=document_of(robot), poses=poses)


@pytest.mark.long
def test_a_platform_moves_whatever_models_take() -> None:
    robot = symoro.load("five-bar-legs").taking("motors")
    last = symoro.forward_geometry("five-bar-legs").compile()([2.1, 1.1], guess=home(robot)).T[0]  # type: ignore[arg-type]
    poses = [T[:3].ravel().tolist() for T in (home(robot), last)]
    found = played(robot, Play(robot=document_of(robot), poses=poses, duration=T_END))
    assert np.isfinite(found["tau"]).all()
