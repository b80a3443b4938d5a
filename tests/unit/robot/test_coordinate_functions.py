"""Coordinates as functions of variables in descriptions: which variable a joint has, and what `check` says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.formats import dh, par, toml
from symoro.robot.check import check
from symoro.robot.robot import Robot
from symoro.robot.values import as_value


def described(*positions: str, **second: object) -> Robot:
    rows = [f'[[joints]]\ntheta = "{position}"' for position in positions]
    extra = "".join(f"\n{key} = {value}" for key, value in second.items())
    return toml.read_text('name = "x"\n' + "\n".join(rows) + extra + "\n", "x").robot


def messages(robot: Robot, severity: str) -> str:
    return "\n".join(str(problem) for problem in check(robot) if problem.severity == severity)


@pytest.mark.parametrize(
    ("positions", "variables"),
    [
        (("0", "2*q1"), ["q1", None]),
        (("-q1", "q2 - q1"), ["q1", "q2"]),
        (("a", "b - a", "-b"), ["a", "b", None]),
        (("2*a", "a"), [None, "a"]),
    ],
)
def test_whose_variable_a_symbol_is(positions: tuple[str, ...], variables: list[str | None]) -> None:
    assert [joint.variable for joint in described(*positions).joints] == variables


def test_a_follower_of_a_joint_at_0_is_one_in_every_format(tmp_path: Path) -> None:
    table = dh.read_text("convention = modified\nkind,theta,d,a,alpha\nr,0,0,0,0\nr,2*q1,0,0.3,0\n", "t").robot
    rows = Robot.from_mdh([{}, {"d": 1, "theta": "2*q1"}], "m")
    for robot in (table, rows):
        assert [joint.variable for joint in robot.joints] == ["q1", None]
        assert not robot.joints[1].actuated
        again = par.read_text(par.write_text(robot), robot.name).robot
        assert [joint.variable for joint in again.joints] == ["q1", None]


def test_what_a_follower_cannot_have() -> None:
    robot = described("q1", "2*q1")
    assert "it has no variable of its own, so it has no spring" in messages(
        replace(robot, joints=(robot.joints[0], replace(robot.joints[1], elastic=True))), "error"
    )
    assert "joint 2 follows others and has no variable" in messages(described("q1", "2*q1", "2*q2"), "warning")


def test_a_variable_occurs_in_positions_only() -> None:
    robot = described("q1", "q2")
    first, second = robot.joints
    assert "q1 occurs elsewhere" in messages(replace(robot, joints=(first, replace(second, d=as_value("q1")))), "error")
    assert "does not depend on its variable" in messages(
        replace(robot, joints=(first, replace(second, theta=as_value("q2 - q2")))), "error"
    )


def test_a_table_that_a_reader_could_not_read_is_not_written() -> None:
    with raised("dh.unclear", symoro.SymoroError, position="N2*q2 - q1"):
        dh.write_text(described("q1", "N2*q2 - q1"))


@pytest.mark.parametrize(("angle", "repair"), [("-90", "-pi/2"), ("45", "pi/4"), ("120", "2*pi/3")])
def test_an_angle_in_degrees_gets_a_warning_with_the_repair(angle: str, repair: str) -> None:
    robot = described("q1")
    robot = replace(robot, joints=(replace(robot.joints[0], alpha=as_value(angle)),))
    assert f"looks like degrees ({angle}° is {repair})" in messages(robot, "warning")


@pytest.mark.parametrize("coordinate", ["q2/4", "4*q2", "-2*q2 + q1", "q2"])
def test_geared_loops_have_as_many_branches(coordinate: str) -> None:
    robot = symoro.load("four-bar")
    joints = list(robot.joints)
    joints[1] = replace(joints[1], theta=as_value(coordinate), variable="q2")
    f = symoro.loop_geometry(replace(robot, joints=tuple(joints))).compile()
    branches = f.branches(0.3)
    assert len(branches) == 2
    assert np.abs(f.gap(branches)).max() < 1e-12


def test_an_open_configuration_is_no_place_to_choose_equations_at() -> None:
    with raised("loops.open_there", symoro.SymoroError):
        symoro.inverse_dynamics("four-bar", at=[0, 0, 0])


def test_an_infinite_angle_is_an_error() -> None:
    robot = symoro.Robot.from_mdh([{"alpha": "1e300*1e300"}], name="large")
    assert "alpha = 1e300*1e300 is infinite" in messages(robot, "error")
