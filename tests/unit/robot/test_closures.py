"""Cuts of loops and ends of legs are closures; cuts follow from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symoro
from symoro.robot.robot import Closure, ClosureKind, Cut, FrameRef, Robot, cut_closures
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.topology import opened, without_cuts


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "two-loops", "akr3000"])
def test_a_cut_ties_its_two_frames_by_a_joint_of_its_kind(name: str) -> None:
    robot = symoro.load(name)
    count, links = len(robot.closures), robot.link_count
    assert count == (robot.frame_count - links) // 2
    for k, closure in enumerate(robot.closures, links + 1):
        assert closure == Closure(ClosureKind(robot.joint(k).kind.value), FrameRef(k), FrameRef(k + count))
    assert robot.cuts == tuple(Cut(k, k + count) for k in range(links + 1, links + count + 1))
    assert robot.platforms == ()
    assert robot.legs == ()


def test_a_platform_has_closures_of_its_legs_behind_those_inside_them() -> None:
    robot = symoro.load("delta-parallelogram")
    inside, ends = robot.closures[:3], robot.closures[3:]
    assert [closure.cut for closure in inside] == list(robot.cuts)
    assert [closure.cut for closure in ends] == [None] * 3
    (platform,) = robot.platforms
    assert robot.joint(platform).free
    assert {closure.a.frame for closure in ends} == {platform}
    assert [closure.b.group for closure in ends] == [1, 2, 3]
    assert [leg.cuts for leg in robot.legs] == [(Cut(6, 7),)] * 3
    tree = without_cuts(robot)
    assert (tree.closures, len(tree.joints)) == (ends, robot.link_count)
    assert [len(leg.joints) for leg in tree.legs] == [leg.link_count for leg in robot.legs]
    assert [leg.cuts for leg in tree.legs] == [()] * 3
    assert opened(robot).closures == ()


def test_closures_keep_their_frames_where_joints_get_other_numbers() -> None:
    robot = symoro.load("four-bar")
    joints = (replace(robot.joints[0], elastic=True), *robot.joints[1:])
    pairs = motor_spring_pairs(replace(robot, joints=joints))
    (before,), (after,) = robot.cuts, pairs.cuts
    assert (after.joint, after.mate) == (before.joint + 1, before.mate + 1)
    assert pairs.joint(after.joint).name == robot.joint(before.joint).name


def test_a_cut_at_a_joint_that_does_not_exist_is_reported() -> None:
    robot = symoro.load("four-bar")
    wrong = Robot("wrong", robot.joints, closures=cut_closures(robot.joints, [(9, 10)]), values=robot.values)
    assert "a cut pairs 9 with 10 (allowed, once each: 4 with 5)" in str(symoro.check(wrong)[0])
