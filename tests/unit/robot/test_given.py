"""The coordinates that models take: a field of the description, and an option of every model."""

from __future__ import annotations

import pytest

import symoro
from support.raised import raised
from symoro.errors import FormatError, OptionError, RobotError
from symoro.formats import written
from symoro.formats.toml import read_text
from symoro.identification.subject.subject import Subject
from symoro.models.catalogue import entries
from symoro.motion.law import LawOfMotors
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
    with raised("descriptions.given", FormatError, given="wheels") as found:
        read_text(text, "robot")
    assert found.value.problems[0].line == text.splitlines().index('given = "wheels"') + 1


@pytest.mark.parametrize("name", ["five-bar", "five-bar-legs"])
def test_a_file_keeps_given_motors(name: str) -> None:
    robot = symoro.load(name).taking("motors")
    assert robot.takes == "motors"
    assert read_text(written(robot, "robot.toml"), "robot").robot == robot
    made = symoro.gravity(robot, optimize=False)
    assert made.inputs["qa"] == (2,)
    assert made == symoro.gravity(name, optimize=False, given="motors")
    assert "q" in symoro.gravity(robot, optimize=False, given="joints").inputs


def test_passive_joints_follow_from_motors_through_closures_alone() -> None:
    assert symoro.load("flexible-arm").may_take == ("joints",)
    assert symoro.load("satellite").may_take == ("joints", "motors")
    with raised("descriptions.cannot_take", RobotError, given="motors"):
        symoro.load("flexible-arm").taking("motors")


def test_a_robot_without_a_platform_takes_joints() -> None:
    arm = symoro.load("planar2r")
    assert arm.takes == "joints"
    with raised("descriptions.cannot_take", RobotError):
        arm.taking("platform")
    with raised("positions.given", OptionError, value="platform", robot="planar2r"):
        symoro.inverse_dynamics(arm, given="platform")
    assert not [problem for problem in check(arm.taking("joints")) if problem.severity == "error"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["five-bar", "five-bar-legs"])
def test_what_moves_or_identifies_a_robot_does_not_depend_on_it(name: str) -> None:
    """Simulation, control, identification and workspaces take the coordinates that they need."""
    usual, motors = symoro.load(name), symoro.load(name).taking("motors")
    link = {} if usual.platforms else {"link": 2}
    runs = []
    for robot in (usual, motors):
        moved = symoro.simulate(robot, duration=0.02, period=0.01)
        control = symoro.pd_gravity(robot, KP=100.0, KD=10.0)
        reached = symoro.workspace(robot, x=[0.0, 0.1], **link)
        base = symoro.base_parameters(robot)
        runs.append((str(base), moved.states.tolist(), control.model.equations(), str(reached)))
    assert runs[0] == runs[1]
    assert Subject.of(motors) is Subject.of(usual)


def test_geometry_and_control_do_not_depend_on_it() -> None:
    assert symoro.inverse_geometry(JOINTS).inputs == {"T": (4, 4)}
    assert symoro.forward_geometry(JOINTS, given="platform").inputs == {"q": (2,)}
    assert symoro.forward_geometry(JOINTS, optimize=False).inputs == {"q": (4,)}
    assert LawOfMotors.of(JOINTS).robot == JOINTS.taking(None)
    assert str(symoro.mobility(JOINTS)) == str(symoro.mobility("five-bar-legs"))


def test_a_step_towards_the_motors_is_for_a_given_pose() -> None:
    with raised("models.joints_of_legs_given", symoro.errors.NotApplicable):
        symoro.loop_step(JOINTS)
