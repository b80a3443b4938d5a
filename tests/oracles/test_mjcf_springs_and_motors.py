"""Spring-dampers by time constants, forces against gravity and tendons of MJCF files mean what MuJoCo means by them."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.errors import FormatError
from symoro.formats import read
from symoro.robot.values import evaluate

HEAD = '<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option>'


def load(tmp_path: Path, text: str) -> tuple[symoro.Robot, mujoco.MjModel]:
    path = tmp_path / "robot.xml"
    path.write_text(text, encoding="utf-8")
    return symoro.load(path), mujoco.MjModel.from_xml_path(str(path))


def test_a_spring_damper_by_its_time_constant_has_the_numbers_of_mujoco(tmp_path: Path) -> None:
    text = f"""{HEAD}<worldbody><body name="a" pos="0 0 1" euler=".3 0 .2">
      <joint name="j" axis="1 2 0" pos=".1 0 0" springdamper=".3 .8" armature=".05"/><geom size=".1" pos=".2 .1 0"/>
      <body name="b" pos=".3 0 0"><joint name="k" type="slide" axis="0 1 0" springdamper=".5 .4" ref=".1"/>
        <joint name="l" axis="0 0 1"/><geom type="box" size=".1 .2 .05"/>
        <body name="c" pos="0 .1 .2"><geom size=".07"/></body></body></body></worldbody></mujoco>"""
    robot, model = load(tmp_path, text)
    joints = [robot.joint(name) for name in ("j", "k", "l")]
    assert_close([evaluate(joint.stiffness, {}) for joint in joints], np.ravel(model.jnt_stiffness), 1e-12)
    dampings = [evaluate(robot.drive(joint.index).FV, {}) for joint in joints]
    assert_close(dampings, np.ravel(model.dof_damping), 1e-12)
    assert [joint.actuated for joint in joints] == [False, False, True]


def read_in(way: str, tmp_path: Path, text: str) -> tuple[symoro.Robot, mujoco.MjModel]:
    """The robot of a file, or of the model that MuJoCo compiles from it."""
    robot, model = load(tmp_path, text)
    return robot if way == "file" else symoro.from_mujoco(model), model


def torques_are_those_of(model: mujoco.MjModel, robot: symoro.Robot) -> None:
    data, (q, qd, qdd) = mujoco.MjData(model), np.random.default_rng(1).uniform(-1, 1, (3, 2))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    torques = symoro.inverse_dynamics(robot, optimize=False).compile("numpy")(q, qd, qdd)
    assert_close(torques, data.qfrc_inverse, 1e-12)


HELD = f"""{HEAD}<worldbody><body gravcomp="{{part}}"><joint axis="0 1 0" {{first}}/><geom size=".1" pos=".2 0 0"/>
  <body name="hand" pos=".4 0 0" gravcomp="{{part}}"><joint axis="0 1 0" {{second}}/>
  <geom size=".1" pos=".2 0 .1"/></body></body><body name="table"><geom size="1"/></body></worldbody></mujoco>"""
BY_MOTOR = 'actuatorgravcomp="true"'


@pytest.mark.parametrize("way", ["file", "compiled"])
@pytest.mark.parametrize("motors", ["", BY_MOTOR])
@pytest.mark.parametrize("part", [1.0, 0.25, -0.5])
def test_forces_against_gravity_on_all_bodies_are_less_gravity(
    part: float, motors: str, way: str, tmp_path: Path
) -> None:
    """Forces that motors give are in the torques of these motors; MuJoCo computes none if no part is positive."""
    robot, model = read_in(way, tmp_path, HELD.format(part=part, first=motors, second=motors))
    assert not robot.notes
    torques_are_those_of(model, robot)


@pytest.mark.parametrize("way", ["file", "compiled"])
def test_forces_against_gravity_that_only_some_motors_give_are_listed(way: str, tmp_path: Path) -> None:
    robot, _ = read_in(way, tmp_path, HELD.format(part=1, first=BY_MOTOR, second=""))
    assert len([note for note in robot.notes if "gravcomp of body" in note]) == 2
    robot, _ = read_in(way, tmp_path, HELD.format(part=1, first="", second="").replace(' gravcomp="1"', "", 1))
    assert [note.rpartition(": ")[2] for note in robot.notes] == ["gravcomp of body 'hand'"]


@pytest.mark.parametrize("way", ["file", "compiled"])
@pytest.mark.parametrize(
    "actuator", ['<general tendon="split"/>', '<motor jointinparent="left"/><motor joint="right"/>']
)
def test_the_motor_of_a_tendon_drives_its_joints(actuator: str, way: str, tmp_path: Path) -> None:
    text = f"""{HEAD}<worldbody><body><joint name="wrist" stiffness="1"/><geom size=".1"/>
      <body pos=".1 0 0"><joint name="left" type="slide" stiffness="2"/><geom size=".01"/></body>
      <body pos="-.1 0 0"><joint name="right" type="slide" stiffness="2"/><geom size=".01"/></body></body></worldbody>
      <tendon><fixed name="split"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed></tendon>
      <actuator>{actuator}</actuator></mujoco>"""
    robot, _ = read_in(way, tmp_path, text)
    assert [robot.joint(name).actuated for name in ("wrist", "left", "right")] == [False, True, True]


@pytest.mark.parametrize("given", ["-.3 .8", ".3 0"])
def test_a_spring_damper_without_two_positive_numbers_is_said(given: str, tmp_path: Path) -> None:
    """MuJoCo does not compile such a file."""
    path = tmp_path / "robot.xml"
    body = f'<body><joint springdamper="{given}"/><geom size=".1"/></body>'
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>", encoding="utf-8")
    assert [problem.code for problem in read(path).problems] == ["mjcf.springdamper"]


def test_a_mesh_that_stands_still_needs_no_mass(tmp_path: Path) -> None:
    mesh, path = '<asset><mesh name="m" file="none.stl"/></asset>', tmp_path / "robot.xml"
    still = (
        '<body name="floor"><geom type="mesh" mesh="m"/><body name="lamp"><geom type="mesh" mesh="m"/></body></body>'
    )
    arm = '<body><joint/><geom size=".1"/></body>'
    path.write_text(f"<mujoco>{mesh}<worldbody>{still}{arm}</worldbody></mujoco>", encoding="utf-8")
    assert {problem.code for problem in read(path).problems} == {"mjcf.still_mesh"}
    moving = arm.replace('size=".1"', 'type="mesh" mesh="m"')
    path.write_text(f"<mujoco>{mesh}<worldbody>{still}{moving}</worldbody></mujoco>", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read(path)
    assert "mjcf.mass_of_mesh" in {problem.code for problem in error.value.problems}
