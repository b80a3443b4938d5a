"""Frames of SDF models are where Drake has them: on canonical links, as ends of joints, as the model's placement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

import symoro
from support.close import assert_close

INERTIAL = (
    "<inertial><mass>2</mass><pose>0.1 0 0.05 0.2 0 0</pose><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz>"
    "<ixy>0.01</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>"
)
HELD = '<joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>'
BASE = f'<link name="base">{INERTIAL}</link>{HELD}'
ARM = f'<link name="arm"><pose>0.5 0.1 0.3 0.1 0.2 0.3</pose>{INERTIAL}</link>'
TOOL = '<frame name="tool"><pose>1 2 3 0.1 0 0</pose></frame>'
FRAMES = (
    '<frame name="on_arm" attached_to="arm"><pose>0.1 0.1 0 0 0 0.3</pose></frame>'
    '<frame name="on_base" attached_to="base"><pose>0 0.2 0 0.4 0 0</pose></frame>'
)


def hinge(parent: str = "base", child: str = "arm") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="j" type="revolute">{ends}<pose>0.1 0 0 0.2 0 0</pose><axis><xyz>0 1 0.5</xyz></axis></joint>'


MODELS = {
    "the first link is canonical": ("", ARM + BASE + hinge() + TOOL),
    "the model names its canonical link": ('canonical_link="arm"', BASE + ARM + hinge() + TOOL),
    "a joint between frames": ("", BASE + ARM + FRAMES + hinge("on_base", "on_arm") + TOOL),
    "a placement frame": ('placement_frame="arm"', BASE + ARM + hinge() + TOOL),
}


@pytest.mark.parametrize("kind", MODELS)
def test_frames_and_torques(kind: str, tmp_path: Path) -> None:
    attributes, inside = MODELS[kind]
    path = tmp_path / "model.sdf"
    pose = "<pose>0.2 0 0.1 0.7 0.3 0.5</pose>"
    path.write_text(f'<sdf version="1.9"><model name="m" {attributes}>{pose}{inside}</model></sdf>')
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    context, robot = plant.CreateDefaultContext(), symoro.load(path)
    q, qd, qdd = np.random.default_rng(0).uniform(-0.5, 0.5, size=(3, 1))
    plant.SetPositions(context, q)
    plant.SetVelocities(context, qd)
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    torques = symoro.inverse_dynamics(robot, optimize=False).compile("numpy")(q, qd, qdd)
    assert_close(torques, plant.CalcInverseDynamics(context, qdd, forces), 1e-12)
    for name in ("base", "arm", "tool"):
        expected = plant.GetFrameByName(name).CalcPoseInWorld(context).GetAsMatrix4()
        assert_close(symoro.forward_geometry(robot, name).compile("numpy")(q), expected, 1e-12)


def test_a_frame_of_a_floating_model_moves_with_its_canonical_link(tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="1.9"><model name="m">{ARM}{TOOL}</model></sdf>')
    robot = symoro.load(path)
    assert [frame.name for frame in robot.frames] == ["arm", "tool"]


def test_a_link_without_gravity_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    light = ARM.replace("</link>", "<gravity>false</gravity></link>")
    path.write_text(f'<sdf version="1.9"><model name="m">{BASE}{light}{hinge()}</model></sdf>')
    assert any("no gravity of link 'arm'" in note for note in symoro.load(path).notes)
