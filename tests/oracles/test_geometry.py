"""Transformations and direct geometry against Pinocchio's placements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.kinematics import Reference, one, pose_table, run
from support.random_robots import random_robot
from support.samples import named, some
from symoro.robot import library
from symoro.robot.base import Base, Frame
from symoro.robot.robot import Robot

SOME = some(2, of=100)


def check(robot: Robot, q: np.ndarray, pairs: list[tuple[int, int]]) -> None:
    reference = Reference(robot, q)
    for i, j in pairs:
        wanted = (reference.pose(i).inverse() * reference.pose(j)).homogeneous
        for options in ({}, {"fast": True}, {"optimize": False}):
            assert_close(one(symoro.transform(robot, i, j, **options), q=q), wanted, 1e-10)


@pytest.mark.parametrize("seed", SOME)
def test_random_robots(seed: int) -> None:
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial")
    rng = np.random.default_rng(seed)
    q = rng.normal(size=sum(joint.movable for joint in robot.joints))
    n = robot.link_count
    i, j = (int(k) for k in rng.integers(0, n + 1, 2))
    check(robot, q, [(0, n), (n, 0), (i, j)])


@pytest.mark.parametrize("seed", SOME)
def test_tools_and_the_base_pose(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    robot = random_robot(seed, structure="tree")
    on = int(rng.integers(0, robot.link_count + 1))
    (base, base_pose), (tool, tool_pose) = pose_table(rng), pose_table(rng)
    robot = replace(robot, base=replace(Base(), pose=base), frames=(Frame("tool", on, tool),))
    q = rng.normal(size=sum(joint.movable for joint in robot.joints))
    reference = Reference(robot, q)
    wanted = (base_pose * reference.pose(on) * tool_pose).homogeneous
    assert_close(one(symoro.forward_geometry(robot, "tool"), q=q), wanted, 1e-10)
    wanted = (tool_pose.inverse() * reference.pose(on).inverse() * reference.pose(1)).homogeneous
    assert_close(one(symoro.transform(robot, "tool", 1), q=q), wanted, 1e-10)
    every = run(symoro.forward_geometry(robot), q=q)
    tips = [int(name.strip("T_")) for name in every] if len(every) > 1 else [_only_tip(robot)]
    for tip, value in zip(tips, every.values(), strict=True):
        assert_close(value, (base_pose * reference.pose(tip)).homogeneous, 1e-10)


def _only_tip(robot: Robot) -> int:
    parents = {joint.parent for joint in robot.joints}
    (tip,) = (joint.index for joint in robot.joints if joint.index not in parents)
    return tip


LARGE = {"humanoid", "snake20", "eel50"}


@pytest.mark.parametrize("name", named(library.names(), LARGE))
def test_library(name: str) -> None:
    robot = symoro.load(name)
    q = np.random.default_rng(3).normal(size=sum(j.movable for j in robot.joints[: robot.link_count]))
    n = robot.link_count
    check(robot, q, [(0, n), (n // 2, n)])
