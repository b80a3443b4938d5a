"""Legs that are trees or have closed loops: their tables, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symoro
from support.other_legs import FOUR_BARS, ROBOTS
from symoro.errors import FormatError, NotApplicable
from symoro.formats import toml
from symoro.models.parallel.structure import loops_of
from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import as_value


def changed(robot: ParallelRobot, **fields: object) -> ParallelRobot:
    """The robot with another first leg."""
    first, *others = robot.legs
    return replace(robot, legs=(replace(first, **fields), *others))  # type: ignore[arg-type]


def messages(robot: ParallelRobot) -> str:
    return "\n".join(problem.message for problem in symoro.check(robot))


def test_the_tables_hold_the_trees_then_the_cuts_then_the_mates() -> None:
    robot = ROBOTS["delta-parallelogram"]()
    assert robot.link_count == 15
    assert [joint.name for joint in robot.joints[15:]] == [f"leg {i} {x}" for x in ("cut", "mate") for i in (1, 2, 3)]
    assert [(cut.joint, cut.mate) for cut in robot.cuts] == [(16, 19), (17, 20), (18, 21)]
    for i, cut in enumerate(robot.cuts):
        assert robot.joint(cut.joint).parent == robot.first_joints[i] + 4
        assert robot.joint(cut.mate).parent == robot.first_joints[i] + 5
    assert robot.motors == ((0, 1), (1, 1), (2, 1))


def test_joints_of_parallelograms_are_sums_of_others() -> None:
    """The wrist bar turns back what the rods turn, so that it stays parallel to the elbow bar."""
    found = loops_of(ROBOTS["delta-parallelogram"](), 0)
    assert found.left == (1, 2, 3)
    assert found.following is not None
    assert {row.joint: row.slopes for row in found.following} == {4: ((3, 1),), 5: ((3, -1),)}
    assert loops_of(ROBOTS["3rrr-four-bars"](), 0).following is None


def test_a_parallelogram_by_equal_numbers_alone_is_refused() -> None:
    """With other numbers for one of its symbols it would be none."""
    robot = ROBOTS["delta-parallelogram"]()
    leg = robot.legs[0]
    rod = replace(leg.joints[5], d=as_value("L3_1"))
    other = changed(robot, joints=(*leg.joints[:5], rod, leg.joints[6])).with_values({"L3_1": 0.7})
    with pytest.raises(NotApplicable, match=r"leg 1 of delta-parallelogram has no closed form .* the same symbols"):
        symoro.mobility(other)


def test_a_joint_beside_the_way_to_the_end_is_reported() -> None:
    robot = symoro.load("delta")
    assert isinstance(robot, ParallelRobot)
    leg = robot.legs[0]
    joint = Joint(4, "balance", 1, actuated=False, variable="q4_1")
    wrong = changed(robot, joints=(*leg.joints, joint), inertias=(), drives=(), wrenches=())
    assert "joint 4 (balance) of leg 1 is not on the way to its end" in messages(wrong)
    without_end = replace(wrong, attachments=(replace(wrong.attachments[0], frame=None), *wrong.attachments[1:]))
    assert "the leg has 2 ends" in messages(without_end)


def test_a_fixed_branch_of_a_leg_does_not_count() -> None:
    robot = ROBOTS["delta-counterweights"]()
    assert not messages(robot)
    assert symoro.mobility(robot).directions == ("x", "y", "z")


def test_a_placement_needs_one_joint_on_the_base() -> None:
    with pytest.raises(FormatError, match="several joints on the base"):
        toml.read_text(FOUR_BARS.replace('parent = "stand"', "parent = 0"), "robot")
