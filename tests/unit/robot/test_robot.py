"""The data types: defaults, lookups, equality."""

import inspect
from dataclasses import FrozenInstanceError, replace

import pytest

import symoro
from support.raised import raised
from symoro.errors import NotThere, RobotError
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.notation import TERMS
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import ZERO, Symbol, parse


def test_a_joint_has_its_variable_where_the_position_is_0():
    revolute, prismatic = Joint(1, "a", 0), Joint(2, "b", 1, JointKind.PRISMATIC, variable="x")
    assert (revolute.variable, revolute.theta, revolute.r) == ("q1", Symbol("q1"), ZERO)
    assert (prismatic.variable, prismatic.theta, prismatic.r) == ("x", ZERO, Symbol("x"))
    assert (revolute.velocity, revolute.acceleration, revolute.effort) == tuple(map(Symbol, ("QP1", "QDP1", "GAM1")))


def test_a_fixed_joint_is_passive_and_has_no_variable():
    joint = Joint(3, "c", 2, JointKind.FIXED, actuated=True)
    assert (joint.actuated, joint.variable, joint.movable, joint.sigma) == (False, None, False, 2)


def test_a_joint_never_changes():
    with pytest.raises(FrozenInstanceError):
        Joint(1, "a", 0).parent = 4


def test_tables():
    assert Inertia.names() == ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
    symbols = {name: Symbol(f"{name}12") for name in ("IA", "FV", "FS")}
    assert dict(Drive.symbolic(12).items()) == dict.fromkeys(Drive.names(), ZERO) | symbols
    assert Wrench().is_zero
    assert not Wrench.symbolic(1).is_zero


def test_robot_fills_in_what_is_left_out_and_compares_by_content():
    robot = Robot("r", (Joint(1, "a", 0), Joint(2, "b", 1)), values={"a": 1})
    assert robot.inertias == (Inertia(), Inertia())
    assert robot == replace(robot, notes=("read from somewhere",))
    assert hash(robot) == hash(replace(robot, notes=("read from somewhere",)))
    assert robot != replace(robot, values={"a": 2})


def test_lookups_say_what_is_allowed():
    robot = Robot("r", (Joint(1, "a", 0),), base=Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0)))
    assert robot.joint(1).name == "a"
    assert robot.inertia(0) == Inertia.symbolic(0)
    for look in (robot.joint, robot.inertia, robot.drive, robot.wrench):
        with pytest.raises(RobotError, match="allowed: 1 to 1"):
            look(2)


def test_parameters_are_all_values():
    joint = Joint(1, "a", 0, theta=parse("th + x"), variable="th", d=Symbol("D1"))
    names = {value.name for value in parameters(Robot("r", (joint,))) if isinstance(value, Symbol)}
    assert names == {"D1", "QP1", "QDP1", "GAM1", "G3"}


def test_notation_covers_every_field_once():
    python = [term.python for term in TERMS]
    assert len(set(python)) == len(python)
    owners = {"Joint": Joint, "Inertia": Inertia, "Drive": Drive, "Wrench": Wrench, "Base": Base, "Robot": Robot}
    for name in python:
        owner, _, field = name.partition(".")
        assert not field or owner == "Limits" or field in owners[owner].__dataclass_fields__, name


def test_a_joint_has_a_name_where_it_has_a_number() -> None:
    robot = symoro.load("puma560")
    assert robot.joint("elbow") is robot.joint(3)
    assert robot.inertia("elbow") is robot.inertia(3)
    assert robot.drive("elbow") is robot.drive(3)
    assert robot.wrench("flange") is robot.wrench(6)
    with raised("descriptions.no_joint_called", RobotError, name="elbw"):
        robot.joint("elbw")
    twice = symoro.Robot.from_mdh([{"name": "a"}, {"name": "b"}])
    twice = replace(twice, joints=(twice.joints[0], replace(twice.joints[1], name="a")))
    with raised("descriptions.several_called", RobotError, name="a"):
        twice.inertia("a")


def test_what_a_robot_without_a_platform_does_not_have_is_missing_for_hasattr_and_inspect():
    robot = symoro.load("planar2r")
    names = ("parts", "motors", "first_joints", "platform", "platform_wrench")
    assert not any(hasattr(robot, name) for name in names)
    assert {name for name, _ in inspect.getmembers(robot)}.isdisjoint(names)
    for name in names:
        with raised("platforms.none", NotThere):
            getattr(robot, name)
    assert hasattr(symoro.load("delta"), "motors")
