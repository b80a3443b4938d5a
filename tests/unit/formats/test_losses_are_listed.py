"""What a format of links and joints cannot hold is listed, and is not written as something else."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

import symoro
from support.raised import raised
from symoro import formats
from symoro.errors import FormatError


@pytest.mark.parametrize("suffix", [".xml", ".sdf"])
def test_springs_between_motors_and_links(suffix: str, tmp_path: Path) -> None:
    robot, path = symoro.load("flexible-joints"), tmp_path / f"robot{suffix}"
    assert "springs between motors and links" in formats.lost(robot, path)
    symoro.write(robot, path)
    assert [(joint.actuated, joint.elastic) for joint in symoro.load(path).joints] == [(True, False)] * 2
    if suffix == ".xml":
        assert not mujoco.MjModel.from_xml_path(str(path)).jnt_stiffness.any()


@pytest.mark.parametrize("drive", [{"FST": 0.3, "BST": 4}, {"VS": 0.1}, {"FO": 0.2}, {"FA": 0.1}])
@pytest.mark.parametrize("suffix", [".xml", ".sdf", ".urdf"])
def test_friction_beyond_viscous_and_coulomb(suffix: str, drive: dict[str, float]) -> None:
    robot = symoro.Robot.from_mdh([{"inertia": {"ZZ": 1, "M": 1}, "drive": {"FS": 0.5, **drive}}], values={"G3": -9.81})
    assert "friction other than FV and FS" in formats.lost(robot, f"robot{suffix}")


@pytest.mark.parametrize(("key", "value"), [("QP", "0"), ("QDP", "a1"), ("GAM", "2*u")])
def test_a_motion_in_the_table_is_said_to_have_no_effect(key: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(f'[[joints]]\n{key} = "{value}"\ninertia = {{ZZ = 1}}\n')
    assert any(f"{key} = {value} has no effect" in note for note in symoro.load(path).notes)


def test_the_usual_names_of_the_motion_are_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text('[[joints]]\nQP = "QP1"\ninertia = {ZZ = 1}\n')
    assert not any("has no effect" in note for note in symoro.load(path).notes)
    with raised("toml.unknown_key", FormatError):
        formats.toml.read_text('[[joints]]\nQPP = "QP1"\n', "arm")
