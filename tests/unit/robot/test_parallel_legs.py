"""Legs that are trees or have closed loops: their tables, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symoro
from support.loop_legs import random_robot
from support.other_legs import FOUR_BARS, ROBOTS
from support.platforms import Platform
from support.raised import raised
from symoro import Status
from symoro.errors import FormatError, NotApplicable, OptionError
from symoro.formats import toml
from symoro.ir.graph import Graph
from symoro.models.parallel.leg import loops_of
from symoro.models.parallel.platform import PoseSymbols, home
from symoro.robot.joint import Joint, Limits
from symoro.robot.parallel import with_legs
from symoro.robot.robot import Attachment, Robot
from symoro.robot.values import as_value


def changed(robot: Robot, **fields: object) -> Robot:
    """The robot with another first leg."""
    first, *others = robot.legs
    return with_legs(robot, (replace(first, **fields), *others))  # type: ignore[arg-type]


def messages(robot: Robot) -> str:
    return "\n".join(problem.message for problem in symoro.check(robot))


def test_the_tables_hold_the_trees_of_the_legs() -> None:
    robot = ROBOTS["delta-parallelogram"]()
    assert robot.link_count == 16
    assert [joint.name for joint in robot.joints if joint.free] == ["platform"]
    assert len(robot.cuts) == 3
    assert [joint.parent for joint in robot.joints[5:10]] == [0, 6, 7, 7, 8]
    assert robot.motors == ((0, 1), (1, 1), (2, 1))
    assert "E_2" in PoseSymbols(robot, Graph()).parameter_names


def test_joints_of_parallelograms_are_sums_of_others() -> None:
    """The wrist bar turns back what the rods turn, so that it stays parallel to the elbow bar."""
    found = loops_of(ROBOTS["delta-parallelogram"](), 0)
    assert found.left == (1, 2, 3)
    assert found.following is not None
    assert {row.joint: row.slopes for row in found.following} == {4: ((3, 1),), 5: ((3, -1),)}
    assert loops_of(ROBOTS["3rrr-four-bars"](), 0).following is None


def test_a_leg_without_a_closed_form_needs_numbers() -> None:
    """Bars with symbols of their own are no parallelogram: Newton's method begins at numbers."""
    robot = ROBOTS["delta-parallelogram"]()
    leg = robot.legs[0]
    rod = replace(leg.joints[5], d=as_value("L3_1"))
    other = changed(robot, joints=(*leg.joints[:5], rod, leg.joints[6]))
    with pytest.raises(NotApplicable, match="loops of leg 1 of delta-parallelogram, with arbitrary numbers for L3_1"):
        symoro.mobility(other)
    bars = random_robot("planar four-bar", 0)
    unknown = with_legs(bars, attachments=(Attachment.at(("A", 0, 0), "revolute", "end"), *bars.attachments[1:]))
    with raised("platforms.leg_symbols", NotApplicable, leg=1, robot="planar-four-bar"):
        symoro.mobility(unknown)


def test_branches_of_a_leg_without_a_closed_form_are_counted() -> None:
    robot = random_robot("planar four-bar", 0)
    with pytest.raises(OptionError, match=r"branch = 9: leg 1 has the branches 0 to 1"):
        symoro.inverse_dynamics(robot, branch=(9, 0, 0))


def test_a_slider_behind_a_universal_joint_may_be_negative() -> None:
    """The joint points away from the platform then: such branches are all that limits below zero leave."""
    robot = symoro.load("gough-stewart")
    f, at = symoro.inverse_geometry(robot).compile("numpy"), home(robot)
    found = f(at, joints=True)
    assert found.valid.sum() == 4
    assert max(Platform(robot, at, q).closure() for q in found.q) < 1e-12
    slides = Limits(as_value(-2), as_value("-0.1"))
    legs = [
        replace(leg, joints=tuple(replace(j, limits=slides) if j.prismatic else j for j in leg.joints))
        for leg in robot.legs
    ]
    s = symoro.inverse_geometry(with_legs(robot, tuple(legs))).compile("numpy")(at, limits=True)
    assert s.status is Status.COMPLETE
    assert s.valid.tolist() == [False, False, True, True]
    assert (s.q[2:] < -1).all()


def test_a_leg_that_does_not_reach_the_home_pose_is_named() -> None:
    robot = random_robot("planar four-bar", 0)
    far = with_legs(robot, attachments=(Attachment.at((2, 0, 0), "revolute", "end"), *robot.attachments[1:]))
    with raised("platforms.leg_open", NotApplicable, leg=1, robot="planar-four-bar"):
        symoro.mobility(far)


def test_a_joint_beside_the_way_to_the_end_is_reported() -> None:
    robot = symoro.load("delta")
    assert robot.platforms
    leg = robot.legs[0]
    joint = Joint(4, "balance", 1, actuated=False, variable="q4_1")
    wrong = changed(robot, joints=(*leg.joints, joint), inertias=(), drives=(), wrenches=())
    assert "leg 1: joint 4 (balance) is not on the way to its end" in messages(wrong)
    without_end = with_legs(wrong, attachments=(replace(wrong.attachments[0], frame=None), *wrong.attachments[1:]))
    assert "the leg has 2 ends" in messages(without_end)


def test_a_fixed_branch_of_a_leg_does_not_count() -> None:
    robot = ROBOTS["delta-counterweights"]()
    assert "not on the way" not in messages(robot)
    assert symoro.mobility(robot).directions == ("x", "y", "z")


def test_a_placement_needs_one_joint_on_the_base() -> None:
    with raised("toml.base_of_leg", FormatError):
        toml.read_text(FOUR_BARS.replace('parent = "stand"', "parent = 0"), "robot")
