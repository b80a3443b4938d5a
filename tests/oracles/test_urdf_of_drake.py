"""The elements of Drake in URDF files: joints of more kinds, and constraints that close loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

import symoro
from support.close import assert_close
from symoro.errors import FormatError
from symoro.formats import read
from symoro.formats.tools import other_reading
from symoro.report.comparison import compare


def link(name: str, x: float = 0.1) -> str:
    inertia = '<inertia ixx=".02" iyy=".03" izz=".04" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="{x} .02 .03"/><mass value="2"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}</link>'


def joint(name: str, kind: str, parent: str, child: str, xyz: str, inner: str = "", tag: str = "joint") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}" rpy=".1 .2 .3"/>'
    return f'<{tag} name="{name}" type="{kind}">{ends}{inner}</{tag}>'


def written(folder: Path, inner: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{inner}</robot>', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "inner"),
    [
        ("ball", ""),
        ("universal", ""),
        ("planar", '<axis xyz="0 0 1"/>'),
        ("screw", '<axis xyz="0 .6 .8"/><drake:screw_thread_pitch value=".2"/>'),
        ("screw", '<axis xyz="0 .6 .8"/><drake:screw_thread_pitch value="0"/>'),
    ],
)
def test_joints_of_more_kinds_are_those_of_drake(kind: str, inner: str, tmp_path: Path) -> None:
    last = joint("k", "continuous", "b", "c", ".4 0 0", '<axis xyz="0 1 0"/>')
    first = joint("j", kind, "a", "b", ".1 .2 .3", inner, "drake:joint")
    path = written(tmp_path, link("a") + link("b") + link("c") + first + last)
    ours = symoro.load(path)
    assert not compare(ours, other_reading(str(path), "drake")).differences


TYPE = "<type>transmission_interface/SimpleTransmission</type>"
MOTOR = f'<transmission name="t">{TYPE}<joint name="q"/><actuator name="m"/></transmission>'
FOUR_BAR = (
    link("base")
    + link("crank")
    + link("coupler")
    + link("rocker")
    + '<joint name="q" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 0 1"/></joint>'
    + '<joint name="p" type="continuous"><parent link="crank"/><child link="coupler"/><origin xyz=".4 0 0"/>'
    + '<axis xyz="0 0 1"/></joint>'
    + '<joint name="r" type="continuous"><parent link="base"/><child link="rocker"/><origin xyz="1 0 0"/>'
    + '<axis xyz="0 0 1"/></joint>'
)


def test_a_screw_has_the_pitch_of_drake(tmp_path: Path) -> None:
    inner = '<axis xyz="0 .6 .8"/><drake:screw_thread_pitch value=".2"/>'
    path = written(tmp_path, link("a") + link("b") + joint("j", "screw", "a", "b", ".1 .2 .3", inner, "drake:joint"))
    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModels(path)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("a"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, [0.7])
    expected = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("b")).GetAsMatrix4()
    assert_close(symoro.forward_geometry(symoro.load(path), "b").compile()([0.7]), expected, 1e-12)


def ball(z: str, second: str = "rocker") -> str:
    inner = f'<drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_body_B name="{second}"/>'
    points = f'<drake:ball_constraint_p_AP value="1 0 {z}"/><drake:ball_constraint_p_BQ value="0 .7 {z}"/>'
    return f"<drake:ball_constraint>{inner}{points}</drake:ball_constraint>"


def test_two_points_that_links_share_are_a_hinge_that_closes_a_loop(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR_BAR + MOTOR + ball("0") + ball(".2"))
    robot = symoro.load(path)
    assert len(robot.cuts) == 1
    plant = MultibodyPlant(time_step=1e-3)
    Parser(plant).AddModels(path)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    solution = symoro.loop_geometry(robot).compile()([1.2])
    names = [joint.name for joint in robot.joints[: robot.link_count] if joint.variable]
    q = dict(zip(names, np.ravel(solution), strict=True))
    for name in ("q", "p", "r"):
        plant.GetJointByName(name).set_angle(context, q[name])
    ends = {"coupler": [1, 0, 0], "rocker": [0, 0.7, 0]}
    points = [plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(n)).multiply(p) for n, p in ends.items()]
    assert_close(points[0], points[1], 1e-9)


def test_a_constraint_names_links_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as error:
        read(written(tmp_path, FOUR_BAR + ball("0", "nothing")))
    assert [problem.code for problem in error.value.problems if problem.severity == "error"] == ["urdf.no_bodies"]


def test_a_constraint_of_one_link_is_without_effect(tmp_path: Path) -> None:
    reading = read(written(tmp_path, FOUR_BAR + ball("0", "coupler")))
    assert not reading.robot.cuts
    assert [problem.code for problem in reading.problems if problem.severity == "warning"] == ["mjcf.one_body"]


def test_a_rotor_has_the_inertia_of_drake(tmp_path: Path) -> None:
    motor = '<actuator name="m"><drake:gear_ratio value="50"/><drake:rotor_inertia value=".002"/></actuator>'
    arm = link("a") + link("b") + joint("j", "revolute", "a", "b", ".1 .2 .3", '<axis xyz="0 .6 .8"/>')
    path = written(tmp_path, f'{arm}<transmission name="t">{TYPE}<joint name="j"/>{motor}</transmission>')
    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModels(path)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("a"))
    plant.Finalize()
    expected = plant.CalcMassMatrix(plant.CreateDefaultContext())
    assert expected[0, 0] > 5
    assert_close(symoro.inertia_matrix(symoro.load(path)).compile()([0.0]), expected, 1e-12)
