"""Motions and controllers of frames where the base is turned in the world: poses are in the world, J is in frame 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle, pin
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

Q0 = np.array([0.3, 0.4, 1.2, 0.3, 0.8, 0.1])
POSE = np.eye(4)
POSE[:3, :3], POSE[:3, 3] = Rotation.from_euler("zx", [0.7, 1.2]).as_matrix(), (0.1, -0.2, 0.5)


def turned(name: str) -> Robot:
    robot = symoro.load(name)
    pose = tuple(tuple(as_value(float(x)) for x in row) for row in POSE)
    return replace(robot, base=replace(robot.base, pose=pose))


def in_world(robot: Robot, q: Any) -> Any:
    """The pose of link 6 in the world, by Pinocchio."""
    o = oracle(robot, robot.values.numbers())
    pin.forwardKinematics(o.model, o.data, o.q(np.asarray(q)))
    return POSE @ o.data.oMi[o.joint_of[6]].homogeneous


def test_a_straight_line_of_the_world() -> None:
    robot = turned("rx90")
    start = in_world(robot, Q0)
    goal = start[:3, 3] + [-0.1, 0.15, 0.05]
    line = symoro.task_trajectory(robot, Q0, goal, velocity=0.5, acceleration=2.0)
    times = np.linspace(0.0, line.duration, 9)
    way = goal - start[:3, 3]
    for T in (in_world(robot, q) for q in line(times).q):
        moved = T[:3, 3] - start[:3, 3]
        assert_close(moved, (moved @ way) / (way @ way) * way, 1e-9)
        assert_close(T[:3, :3], start[:3, :3], 1e-9)
    assert_close(in_world(robot, line(line.duration).q)[:3, 3], goal, 1e-9)
    step = 1e-5
    ahead, behind, now = (line(line.duration / 3 + x) for x in (step, -step, 0.0))
    assert_close((ahead.q - behind.q) / (2 * step), now.qd, 1e-8)
    assert_close((ahead.qd - behind.qd) / (2 * step), now.qdd, 1e-8)


@pytest.mark.parametrize("scheme", ["task_computed_torque", "task_pid"])
def test_a_controller_of_a_frame_is_that_of_the_base_that_is_not_turned(scheme: str) -> None:
    gains = {"task_computed_torque": {"frequency": 20.0}, "task_pid": {"KP": 400.0, "KD": 60.0, "KI": 10.0}}[scheme]
    inputs = np.random.default_rng(0).uniform(-0.3, 0.3, size=(8, 6))
    found = []
    for robot in (symoro.load("rx90"), turned("rx90")):
        law = getattr(symoro, scheme)(robot, link=6, **gains).model
        given = dict(zip(law.inputs, [Q0 + inputs[0], *inputs[1:]], strict=False))
        torques = law.compile("numpy")(**{name: x[: law.inputs[name][0]] for name, x in given.items()})
        found.append(torques.GAM if hasattr(torques, "GAM") else torques)
    assert_close(found[1], found[0], 1e-9)
