"""The task of an arm follows from the rank of its Jacobian, and the general method takes directions of axes."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import symoro
from support.arms import ARMS, forward
from support.raised import raised
from support.tools import needs_compiler
from symoro.bind.interface import robot_numbers
from symoro.emit import target
from symoro.errors import NotApplicable, ShapeError
from symoro.robot.robot import Robot
from symoro.solve.general.code import GeneralInverse
from symoro.solve.general.numeric import NumericChain
from symoro.solve.general.robot import with_turn

ALPHA = (-70, 40, 100, 60, -80)
#: The z axis of the flange is not along the last joint.
FIVE = Robot.from_dh(
    [{"d": 0.1 + 0.05 * k, "a": 0.3 - 0.04 * k, "alpha": f"{alpha}*pi/180"} for k, alpha in enumerate(ALPHA)], "five"
)


@pytest.mark.parametrize("robot", ["scara", "planar3r", "youbot", "puma560", ARMS["gantry"], ARMS["spatial-4r"]])
def test_other_arms_have_poses(robot):
    assert symoro.inverse_geometry(robot).task == "pose"


def test_five_joints_have_a_position_and_the_z_axis_if_it_depends_on_all_of_them():
    assert symoro.inverse_geometry(FIVE, link="flange").task == "axis-z"
    assert symoro.inverse_geometry(FIVE, link=5).task == "pose"  # z of frame 5 does not depend on joint 5


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_five_joints_reach_a_position_and_an_axis_of_the_flange(axis):
    ik = symoro.inverse_geometry(FIVE, link="flange", task=f"axis-{'xyz'[axis]}")
    assert ik.method == "general"
    q = np.random.default_rng(axis).uniform(-2, 2, (10, 5))
    T = flange(q)
    s = ik.compile()(T)
    assert np.where(s.valid[..., None], np.abs(s.q - q[:, None]), 9).max(-1).min(-1).max() < 1e-8
    assert s.valid.sum() > 10  # other branches turn the flange about the axis
    reached, wanted = flange(s.q[s.valid]), np.repeat(T, s.valid.sum(-1), axis=0)
    assert np.abs((reached - wanted)[:, :3, [axis, 3]]).max() < 1e-9


def flange(q: np.ndarray) -> np.ndarray:
    """The pose of the flange by products: its frame is behind the last link's by a and α."""
    c, s = np.cos(np.radians(ALPHA[-1])), np.sin(np.radians(ALPHA[-1]))
    return forward(FIVE, q) @ np.array([[1, 0, 0, 0.3 - 0.04 * 4], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


@needs_compiler
def test_the_code_of_an_axis_has_one_more_joint_which_turns_the_frame(tmp_path):
    ik = symoro.inverse_geometry(FIVE, link="flange")
    ik.emit("c", tmp_path)
    command = target("c").check.format(name="five_inverse_geometry")
    ran = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    header = (tmp_path / "five_inverse_geometry.h").read_text()
    assert "joint 6 of the code turns the frame about its axis z" in header
    q = np.random.default_rng(4).uniform(-2, 2, 5)
    code, s = (
        GeneralInverse(*with_turn(*arm_of(ik), 2)).compile("c")(flange(q[None])[0]),
        ik.compile()(flange(q[None])[0]),
    )
    assert len(code.q) == s.valid.sum()
    assert np.abs(code.q[:, None, :5] - s.q[s.valid][None]).max(-1).min(-1).max() < 1e-9


def arm_of(ik):
    known = NumericChain(ik.chain).displacements(robot_numbers(ik.robot), ())
    return known.kinds, known.links


def test_what_the_general_method_does_not_do_is_said():
    with raised("positions.general_task", NotApplicable, task="position"):
        symoro.inverse_geometry(FIVE, link="flange", task="position", method="general", redundant={1: "a", 2: "b"})


LENGTHS, SHIFTS = (0.5, 0.4), (0.1, 0.2)
PLANAR = Robot.from_dh([{"a": a, "d": d} for a, d in zip(LENGTHS, SHIFTS, strict=True)], "planar")
ELBOW = Robot.from_dh([{"d": 0.4, "alpha": "pi/2"}, {"a": 0.3}, {"a": 0.2}], "elbow")


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_an_xy_task_takes_a_point_of_two_numbers(backend):
    """Of a planar arm by hand: x = a₁ c₁ + a₂ c₁₂, y = a₁ s₁ + a₂ s₁₂; z is that of its plane."""
    f = symoro.inverse_geometry(PLANAR, link="flange", task="position").compile(backend)
    angles = np.array([[0.3, 0.7], [0.3, -2.0], [-1.0, 0.2]]).cumsum(-1)
    points = np.stack([np.cos(angles) @ LENGTHS, np.sin(angles) @ LENGTHS], axis=-1)
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, :2, 3], T[:, 2, 3] = points, sum(SHIFTS)
    wanted, s = f(T), f(points)
    assert (s.valid.sum(-1) == 2).all()
    assert np.array_equal(s.q, wanted.q)
    reached = s.q.cumsum(-1)
    assert np.abs(np.cos(reached) @ LENGTHS - points[:, None, 0]).max() < 1e-12
    one = f(points[1].tolist(), nearest=[0.3, -2.0])
    assert np.abs(one.q[0] - [0.3, -2.0]).max() < 1e-12
    assert [str(f(point).status) for point in ([2.0, 0.0], [np.nan, 0.0])] == ["unreachable", "invalid"]


def test_an_xyz_task_takes_a_point_of_three_numbers_and_not_of_two():
    ik = symoro.inverse_geometry(ELBOW, link="flange")
    f, q = ik.compile(), np.random.default_rng(2).uniform(-1.5, 1.5, (20, 3))
    rho = 0.3 * np.cos(q[:, 1]) + 0.2 * np.cos(q[:, 1] + q[:, 2])
    height = 0.4 + 0.3 * np.sin(q[:, 1]) + 0.2 * np.sin(q[:, 1] + q[:, 2])
    s = f(np.stack([rho * np.cos(q[:, 0]), rho * np.sin(q[:, 0]), height], axis=-1))
    assert ik.task == "position"
    assert np.where(s.valid[..., None], np.abs(s.q - q[:, None]), 9).max(-1).min(-1).max() < 1e-8
    with raised("positions.moves_along_z", ShapeError):
        f([0.3, 0.2])
    with raised("positions.point", ShapeError):
        symoro.inverse_geometry("planar3r").compile("numpy")([0.3, 0.2])
