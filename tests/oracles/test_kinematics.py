"""Velocities, accelerations and Jacobian matrices against Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.kinematics import Reference, one, pose_table
from support.random_robots import random_robot
from support.samples import named, some
from support.wrist_arms import regular_wrist_arms
from symoro.robot import library
from symoro.robot.base import BaseKind, Frame
from symoro.robot.robot import Robot

SOME = some(2, of=100)
OPEN = [name for name in library.names() if not symoro.load(name).cuts]
LARGE = {"humanoid", "snake20", "eel50", "kuka-iiwa", "kuka-lwr", "panda", "general6r"}
LIBRARY = named(OPEN, LARGE)
EVERY = named(library.names(), LARGE)


def moved(robot: Robot, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = sum(joint.movable for joint in robot.joints[: robot.link_count])
    q, qd, qdd = rng.normal(size=(3, n))
    still = robot.base.kind is BaseKind.FIXED
    V0, VP0 = np.zeros((2, 6)) if still else rng.normal(size=(2, 6))
    return {"q": q, "qd": qd, "qdd": qdd, "V0": V0, "VP0": VP0}


def check_motion(robot: Robot, seed: int, links: list[int]) -> None:
    state = moved(robot, seed)
    moving = Reference(robot, **state)
    coasting = Reference(robot, **{**state, "qdd": 0 * state["qdd"], "VP0": np.zeros(6)})
    every = [one(model(robot), **state) for model in (symoro.velocities, symoro.accelerations, symoro.jdot_qdot)]
    for link in range(1, robot.link_count + 1):
        wanted = moving.velocity(link), moving.acceleration(link), coasting.acceleration(link)
        for table, x in zip(every, wanted, strict=True):
            assert_close(table[link - 1], x, 1e-10)
    for link in links:
        assert_close(one(symoro.velocities(robot, link, optimize=False), **state), moving.velocity(link), 1e-10)
        turn = np.kron(np.eye(2), moving.pose(0).rotation.T @ moving.pose(link).rotation)
        wanted = turn @ coasting.acceleration(link)
        assert_close(one(symoro.jdot_qdot(robot, link, frame=0), **state), wanted, 1e-10)


def check_jacobian(robot: Robot, seed: int, link: int) -> None:
    q = moved(robot, seed)["q"]
    reference = Reference(robot, q)
    local, aligned, world = (
        reference.jacobian(link, frame) for frame in (pin.LOCAL, pin.LOCAL_WORLD_ALIGNED, pin.WORLD)
    )
    assert_close(one(symoro.jacobian(robot, link, link, by="joints"), q=q), local, 1e-10)
    J = one(symoro.jacobian(robot, link, by="joints"), q=q)
    assert_close(J, aligned, 1e-10)
    arm = reference.pose(link).translation  # Pinocchio's third frame: the point of the link at the world's origin
    assert_close(np.vstack([J[:3] + np.cross(arm, J[3:].T).T, J[3:]]), world, 1e-10)
    middle = link // 2
    turn = np.kron(np.eye(2), reference.pose(middle).rotation.T)
    assert_close(one(symoro.jacobian(robot, link, middle, by="joints", optimize=False), q=q), turn @ aligned, 1e-10)


@pytest.mark.parametrize("seed", SOME)
def test_motion_of_random_robots(seed: int) -> None:
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial")
    check_motion(robot, seed, [robot.link_count])


@pytest.mark.parametrize("seed", SOME)
def test_jacobians_of_random_robots(seed: int) -> None:
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial")
    check_jacobian(robot, seed, robot.link_count)


@pytest.mark.parametrize("name", LIBRARY)
def test_motion_of_library_robots(name: str) -> None:
    robot = symoro.load(name)
    check_motion(robot, 5, [robot.link_count])


@pytest.mark.parametrize("name", EVERY)
def test_jacobians_of_library_robots(name: str) -> None:
    robot = symoro.load(name)
    check_jacobian(robot, 5, robot.link_count)


@pytest.mark.parametrize("seed", range(4))
def test_a_tool(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, joints=5)
    table, pose = pose_table(rng)
    robot = replace(robot, frames=(Frame("tool", 4, table),))
    state = moved(robot, seed)
    reference = Reference(robot, **state)
    assert_close(one(symoro.velocities(robot, "tool"), **state), reference.velocity(4, pose), 1e-10)
    assert_close(one(symoro.accelerations(robot, "tool"), **state), reference.acceleration(4, pose), 1e-10)
    wanted = Reference(robot, state["q"]).jacobian(4, pin.LOCAL, pose)
    assert_close(one(symoro.jacobian(robot, "tool", "tool"), q=state["q"]), wanted, 1e-10)


def test_twelve_joints_and_several_roots() -> None:
    """Trees that hang on the base in several places, with more than nine joints: names must not run together."""
    for seed in (3, 5):
        robot = random_robot(seed, joints=14, structure="tree", kinds="revolute")
        assert len([j for j in robot.joints if j.parent == 0]) > 1
        check_motion(robot, seed, [13])
        check_jacobian(robot, seed, 14)


def arm_cases() -> list[object]:
    found = [symoro.load(name) for name in ("rx90", "puma560", "stanford", "ur5", "th8", "general6r")]
    found += regular_wrist_arms(20)
    return [pytest.param(robot, marks=pytest.mark.long if n > 10 else ()) for n, robot in enumerate(found)]


@pytest.mark.parametrize("robot", arm_cases(), ids=lambda robot: robot.name)
def test_determinants_and_inverses(robot: Robot) -> None:
    q = np.random.default_rng(7).normal(size=6)
    J = Reference(robot, q).jacobian(6, pin.LOCAL)
    D = float(one(symoro.jacobian_determinant(robot), q=q))
    assert abs(D - np.linalg.det(J)) < 1e-10
    if np.linalg.cond(J) < 1e6:
        inverse = one(symoro.jacobian_inverse(robot, frame=6), q=q)
        assert_close(inverse, np.linalg.inv(J), 1e-10, np.linalg.cond(J))


@pytest.mark.parametrize("name", ["kuka-iiwa", "scara", "planar3r"])
def test_inverses_that_are_not_square(name: str) -> None:
    robot = symoro.load(name)
    n = robot.link_count
    q = np.random.default_rng(8).normal(size=n)
    J = Reference(robot, q).jacobian(n, pin.LOCAL)
    inverse = one(symoro.jacobian_inverse(robot, frame=n), q=q)
    assert_close(J @ inverse @ J, J, 1e-9)
