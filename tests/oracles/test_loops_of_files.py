"""Loops in MJCF and SDF files become cuts: the motion and the torques are those of MuJoCo's constraint."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.formats import mjcf, sdf
from symoro.robot.robot import Robot

FOUR_BAR = """
<mujoco model="four-bar">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <body name="crank"><joint name="a" axis="0 1 0"/>
      <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.012 0.003"/>
      <body name="coupler" pos="0 0 0.2"><joint name="b" axis="0 1 0"/>
        <inertial pos="0.25 0 0" mass="2" diaginertia="0.01 0.03 0.02"/></body></body>
    <body name="rocker" pos="0.5 0 0"><joint name="c" axis="0 1 0"/>
      <inertial pos="0 0 0.15" mass="1.5" diaginertia="0.02 0.02 0.001"/></body>
  </worldbody>
  <equality>{equality}</equality>
</mujoco>
"""
CONNECT = '<connect body1="coupler" body2="rocker" anchor="0.5 0 0"/>'


@pytest.mark.parametrize("read", ["file", "compiled"])
def test_the_joint_equality_of_a_file_couples_two_joints(read: str) -> None:
    """y = 0.1 + 2 x: torques by MuJoCo's matrix and forces, projected on x."""
    text = FOUR_BAR.format(equality='<joint joint1="c" joint2="a" polycoef="0.1 2 0 0 0"/>')
    robot = mjcf.read_text(text, "geared").robot
    if read == "compiled":
        robot = symoro.from_mujoco(mujoco.MjModel.from_xml_string(text))
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    G = np.array([[1.0, 0], [0, 1], [2, 0]])
    q, qd, qdd = (np.random.default_rng(k).uniform(-1, 1, 2) for k in range(3))
    data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + [0, 0, 0.1], G @ qd, G @ qdd
    mujoco.mj_inverse(model, data)
    assert [j.variable for j in robot.joints] == ["q1", "q2", None]
    found = symoro.inverse_dynamics(robot, optimize=False).compile()(q, qd, qdd)
    assert_close(found, G.T @ data.qfrc_inverse, 1e-8)


def closed_positions(a: complex) -> np.ndarray:
    """a, b and c of the closed four-bar for an angle a, by Newton's method on the two equations of the plane."""
    x = np.array([-a, a])
    for _ in range(60):
        b, c = x
        tip = [0.2 * np.sin(a) + 0.5 * np.cos(a + b), 0.2 * np.cos(a) - 0.5 * np.sin(a + b)]
        rocker = [0.5 + 0.2 * np.sin(c), 0.2 * np.cos(c)]
        J = [[-0.5 * np.sin(a + b), -0.2 * np.cos(c)], [-0.5 * np.cos(a + b), 0.2 * np.sin(c)]]
        x = x - np.linalg.solve(J, np.subtract(tip, rocker))
    return np.array([a, *x])


def slopes(a: float) -> np.ndarray:
    """The derivatives of the positions by a: a complex step."""
    return closed_positions(a + 1e-30j).imag / 1e-30


def torque(a: float, ad: float, add: float) -> float:
    """The torque of the crank: MuJoCo's tree, projected on the motion of the loop (d'Alembert)."""
    model = mujoco.MjModel.from_xml_string(FOUR_BAR.format(equality=""))
    data = mujoco.MjData(model)
    G = slopes(a)
    curve = (slopes(a + 1e-5) - slopes(a - 1e-5)) / 2e-5
    data.qpos[:], data.qvel[:], data.qacc[:] = closed_positions(a).real, G * ad, G * add + curve * ad**2
    mujoco.mj_inverse(model, data)
    return float(G @ data.qfrc_inverse)


def found_torque(robot: Robot, a: float, ad: float, add: float) -> float:
    """The torque of the crank by symoro, with the positions of the loop by `loop_geometry`."""
    passive = [replace(joint, actuated=joint.name == "a") for joint in robot.joints]
    robot = replace(robot, joints=tuple(passive))
    start = [*closed_positions(a).real, *[0.0] * (robot.link_count - 3)]
    q = symoro.loop_geometry(robot).compile()([a], guess=start)
    return float(symoro.inverse_dynamics(robot, optimize=False).compile()(q, [ad], [add])[0])


def test_the_loop_of_an_sdf_file_has_the_torques_of_mujocos_bodies() -> None:
    pose = '<pose relative_to="{}">{}</pose>'
    inertial = (
        "<inertial><pose>{} 0 0 0</pose><mass>{}</mass>"
        "<inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz></inertia></inertial>"
    )
    link = '<link name="{}">{}{}</link>'
    ends = "<parent>{}</parent><child>{}</child><axis><xyz>0 1 0</xyz></axis></joint>"
    joint = '<joint name="{}" type="revolute">{}' + ends
    zero = "0 0 0 0 0 0"
    parts = [
        link.format("crank", pose.format("a", zero), inertial.format("0 0 0.1", 1, 0.01, 0.012, 0.003)),
        link.format("coupler", pose.format("b", zero), inertial.format("0.25 0 0", 2, 0.01, 0.03, 0.02)),
        link.format("rocker", pose.format("c", zero), inertial.format("0 0 0.15", 1.5, 0.02, 0.02, 0.001)),
        joint.format("a", pose.format("__model__", zero), "world", "crank"),
        joint.format("b", pose.format("crank", "0 0 0.2 0 0 0"), "crank", "coupler"),
        joint.format("c", pose.format("__model__", "0.5 0 0 0 0 0"), "world", "rocker"),
        joint.format("d", pose.format("coupler", "0.5 0 0 0 0 0"), "coupler", "rocker"),
    ]
    text = f'<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity><model name="m">{"".join(parts)}</model>'
    robot = sdf.read_text(text + "</world></sdf>", "m").robot
    assert len(robot.cuts) == 1
    assert_close(found_torque(robot, 0.3, 0.7, -0.4), torque(0.3, 0.7, -0.4), 1e-8)
    again = sdf.read_text(sdf.write_text(robot), "m").robot
    assert_close(found_torque(again, 0.3, 0.7, -0.4), torque(0.3, 0.7, -0.4), 1e-8)


def test_a_connection_of_an_mjcf_file_is_a_loop() -> None:
    robot = mjcf.read_text(FOUR_BAR.format(equality=CONNECT), "four-bar").robot
    compiled = symoro.from_mujoco(mujoco.MjModel.from_xml_string(FOUR_BAR.format(equality=CONNECT)))
    for one in (robot, compiled):
        assert (len(one.cuts), one.link_count) == (1, 5)
        assert_close(found_torque(one, 0.3, 0.7, -0.4), torque(0.3, 0.7, -0.4), 1e-8)
