"""Base parameters of robots with springs, passive joints and floating bases: as many as the rank of all equations."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.free_robots import with_springs
from support.library_robots import elastic_names, floating_names
from support.numeric_rank import rank_of
from support.pinocchio_robot import oracle
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import is_zero

ORDER = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
"""The columns of a body in Pinocchio's regressor."""
LIBRARY = list(dict.fromkeys((*elastic_names(), *floating_names())))


def regressor(robot: Robot) -> np.ndarray:
    """Pinocchio's regressor: the columns of the inertial parameters and rotor inertias that the robot has."""
    free, joints = int(robot.base.free), [j.index for j in robot.joints if j.movable]
    o = oracle(robot, robot_numbers(robot), free=bool(free))
    bodies = {j: 10 * (o.joint_of[j] - 1) for j in range(1, robot.link_count + 1)} | ({0: 0} if free else {})
    links = [
        n + k for j, n in bodies.items() for k, name in enumerate(ORDER) if not is_zero(getattr(robot.inertia(j), name))
    ]
    rotors = [k for k, j in enumerate(joints) if not is_zero(robot.drive(j).IA)]
    rng, rows = np.random.default_rng(0), []
    for _ in range(20 + 10 * len(joints)):
        q, v, a = rng.normal(size=(3, len(joints)))
        turn, V0, VP0 = rng.normal(size=4), *rng.normal(size=(2, 6))
        at = (o.q(q, turn / np.linalg.norm(turn)), o.v(v, V0), o.v(a, VP0)) if free else (o.q(q), o.v(v), o.v(a))
        D = pin.computeJointTorqueRegressor(o.model, o.data, *at)[[*range(6 * free), *o.velocity_index]]
        driven = np.vstack([np.zeros((6 * free, len(rotors))), np.diag(a)[:, rotors]])
        rows.append(np.hstack([D[:, np.unique(links)], driven]))
    return np.vstack(rows)


@pytest.mark.parametrize("name", LIBRARY)
def test_library(name: str) -> None:
    robot = symoro.load(name)
    rank = rank_of(regressor(motor_spring_pairs(robot)))
    print(f"{name}: {rank}")
    assert rank.clear
    assert len(symoro.base_parameters(robot)) == rank.rank


@pytest.mark.parametrize("seed", range(6))
def test_random_robots(seed: int) -> None:
    robot = with_springs(random_robot(seed, structure=("serial", "tree")[seed % 2], moving_base=0), seed)
    rank = rank_of(regressor(robot))
    print(f"{robot.name}: {rank}")
    assert rank.clear
    assert len(symoro.base_parameters(robot)) == rank.rank
