"""Joints of a robot with a platform that belong to no leg: files, checks and inputs."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import FormatError, RobotError
from symoro.formats import toml
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot, with_legs
from symoro.robot.robot import Robot
from symoro.solve.given import model

ARMS = """
[[joints]]
name = "shoulder"
parent = "platform"
alpha = "pi/2"
inertia = "symbolic"
drive = {FV = 0.1}

[[joints]]
name = "elbow"
d = 0.3
inertia = "symbolic"

[[joints]]
name = "turret"
parent = 0
d = 0.5
kind = "prismatic"
inertia = {M = 3}

[[frames]]
name = "tool"
link = "elbow"
"""


def text(arms: str = ARMS) -> str:
    head, _, rest = library.text("3rps").partition("[leg]")
    return f"{head}{arms}\n[leg]{rest}"


def with_arms() -> Robot:
    return toml.read_text(text(), "x").robot


def test_a_file_puts_joints_on_the_base_and_on_the_platform() -> None:
    robot = with_arms()
    assert [(j.name, j.parent, j.variable) for j in robot.joints[6:]] == [
        ("shoulder", 10, "q1"), ("elbow", 7, "q2"), ("turret", 0, "q3"), ("platform", 0, None),
    ]  # fmt: skip
    assert robot.frames[0].link == 8
    assert toml.read_text(toml.write_text(robot), "x").robot == robot
    assert with_legs(robot) == robot
    assert not symoro.check(robot)


def test_the_inputs_of_joints_come_behind_those_of_the_platform() -> None:
    robot = with_arms()
    inverse, direct = (model(name, robot, optimize=False) for name in ("inverse_dynamics", "direct_dynamics"))
    assert list(inverse.inputs) == ["T", "V", "VP", "q", "qd", "qdd"]
    assert inverse.outputs == {"GAM": (6,)}
    assert list(direct.inputs) == ["T", "V", "q", "qd", "tau"]
    assert direct.outputs == {"QDP": (3,), "VP": (6,)}
    assert list(model("loop_closure", robot).inputs) == ["T", "V", "VP"]


def test_the_tool_of_an_arm_on_the_platform_moves_with_both() -> None:
    robot, T, q = with_arms(), np.eye(4), np.array([0.3, -0.4, 0.1])
    T[:3, 3] = 0.1, 0.2, 0.9
    found = model("forward_geometry", robot, link="tool", optimize=False).compile("numpy")(T, q)
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(found[:3, 3], T[:3, 3] + 0.3 * np.array([c, 0, s]), atol=1e-12)


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        (ARMS.replace("d = 0.3", 'd = 0.3\nparent = "nowhere"'), "'nowhere' is no joint's name"),
        (ARMS.replace("d = 0.3", 'd = 0.3\ntheta = "2*q2"'), "its coordinate is not a variable plus a constant"),
        (ARMS.replace("d = 0.3", "d = 0.3\nelastic = true\nstiffness = 3"), "a spring between a motor and its link"),
    ],
)
def test_what_a_file_may_not_say(arms: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        toml.read_text(text(arms), "x")


@pytest.mark.parametrize("line", ["inertia = {M = -3}", 'r = "q3 + 90"\nalpha = 90'])
def test_a_problem_of_a_joint_has_its_line(line: str) -> None:
    written = text(ARMS.replace("inertia = {M = 3}", line))
    (problem,) = (p for p in toml.read_text(written, "x").problems if p.code != "descriptions.massless")
    assert written.splitlines()[problem.line - 1] == line.splitlines()[-1]


def test_a_tree_has_one_platform() -> None:
    robot = with_arms()
    with raised("platforms.free_joints", RobotError, joints=0, cuts=0):
        ParallelRobot(symoro.load("planar2r"), robot.legs, robot.attachments)


def test_the_line_of_a_robot_counts_joints_and_motors_beside_the_legs() -> None:
    assert repr(with_arms()).endswith("3 legs of 1R 1P, 3 joints beside them, 6 motors>")
