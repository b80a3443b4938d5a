"""The task of an arm follows from the rank of its Jacobian, and the general method takes directions of axes."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import symoro
from support.arms import ARMS, forward
from support.tools import needs_compiler
from symoro.emit import target
from symoro.errors import NotApplicable
from symoro.general_inverse import GeneralInverse
from symoro.general_solver import with_turn
from symoro.interface import robot_numbers
from symoro.models.geometric.inverse.numeric import NumericChain
from symoro.robot.robot import Robot

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
    with pytest.raises(NotApplicable, match="not for the task position"):
        symoro.inverse_geometry(FIVE, link="flange", task="position", method="general", redundant={1: "a", 2: "b"})
