"""The coordinates that models take: a field of the description, and an option of every model."""

from __future__ import annotations

import pytest

import symoro
from symoro.errors import FormatError, OptionError, RobotError
from symoro.formats import written
from symoro.formats.toml import read_text
from symoro.models.catalogue import entries
from symoro.motion.law import Law
from symoro.robot.check import check

JOINTS = symoro.load("five-bar-legs").taking("joints")


def test_a_file_keeps_what_is_given() -> None:
    text = written(JOINTS, "robot.toml")
    assert 'given = "joints"' in text
    assert read_text(text, "robot").robot == JOINTS
    assert "given" not in written(JOINTS.taking(None), "robot.toml")
    assert symoro.inverse_dynamics(read_text(text, "robot").robot, optimize=False).inputs["q"] == (4,)


def test_every_model_has_the_option() -> None:
    assert all("given" in [option.name for option in entry.all_options] for entry in entries())
    assert "T" in symoro.inverse_dynamics(JOINTS, optimize=False, given="platform").inputs


@pytest.mark.parametrize("name", ["five-bar-legs", "puma560"])
def test_what_cannot_be_given_is_a_problem_with_a_line(name: str) -> None:
    text = written(symoro.load(name), "robot.toml").replace("gravity", 'given = "wheels"\ngravity', 1)
    with pytest.raises(FormatError, match=r"given = 'wheels' \(allowed: .*motors\)") as found:
        read_text(text, "robot")
    assert found.value.problems[0].line == text.splitlines().index('given = "wheels"') + 1


def test_a_robot_without_a_platform_takes_joints() -> None:
    arm = symoro.load("planar2r")
    assert arm.takes == "joints"
    with pytest.raises(RobotError, match=r"allowed: joints"):
        arm.taking("platform")
    with pytest.raises(OptionError, match=r"given='platform' is not allowed for planar2r \(allowed: joints, motors\)"):
        symoro.inverse_dynamics(arm, given="platform")
    assert not [problem for problem in check(arm.taking("joints")) if problem.severity == "error"]


def test_geometry_and_control_do_not_depend_on_it() -> None:
    assert symoro.inverse_geometry(JOINTS).inputs == {"T": (4, 4)}
    assert symoro.forward_geometry(JOINTS, given="platform").inputs == {"q": (2,)}
    assert symoro.forward_geometry(JOINTS, optimize=False).inputs == {"q": (4,)}
    assert Law.of(JOINTS).robot == JOINTS.taking(None)
    assert str(symoro.mobility(JOINTS)) == str(symoro.mobility("five-bar-legs"))


def test_a_step_towards_the_motors_is_for_a_given_pose() -> None:
    with pytest.raises(symoro.errors.NotApplicable, match="given='platform' steps towards a pose"):
        symoro.loop_step(JOINTS)
