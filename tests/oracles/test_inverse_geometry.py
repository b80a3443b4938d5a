"""Inverse geometry against forward geometry by NumPy products and against a least-squares search by SciPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, configuration, forward, search
from symoro.inverse import InverseGeometry
from symoro.robot.robot import Robot
from symoro.solver import Solver

LIBRARY = ("puma560", "rx90", "stanford", "ur5", "scara", "th8", "tx40", "planar2r", "planar3r")
NAMES = (*LIBRARY, *ARMS)
#: Arms whose search takes long: many branches, or parts of a quartic.
QUICK = {"puma560", "ur5", "stanford", "youbot-like", "generic-shoulder", "parallel-last", "PRP-middle"}
SEARCHED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in NAMES]


@cache
def made(name: str) -> tuple[Robot, InverseGeometry, Solver]:
    robot = ARMS[name] if name in ARMS else symoro.load(name)
    ik = symoro.inverse_geometry(robot)
    return robot, ik, ik.compile()


@pytest.mark.parametrize("name", NAMES)
def test_generating_configuration_is_among_the_branches(name):
    robot, ik, f = made(name)
    rng = np.random.default_rng(1)
    q = np.array([configuration(robot, rng) for _ in range(200)])
    T = forward(robot, q)
    s = f(T)
    assert s.q.shape == (200, ik.branches, len(ik.joints))
    assert s.valid.shape == (200, ik.branches)
    assert all(status is symoro.Status.COMPLETE for status in s.status)
    nearest = np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1)
    assert nearest.max() < 1e-7
    assert np.isnan(s.q[~s.valid]).all()
    reached = forward(robot, s.q[s.valid])
    assert np.abs(reached - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-12


@pytest.mark.parametrize("name", SEARCHED)
def test_branches_are_those_of_a_search(name):
    robot, _, f = made(name)
    rng = np.random.default_rng(2)
    for _ in range(2):
        T = forward(robot, configuration(robot, rng))
        s = f(T)
        ours, found = s.q[s.valid], search(robot, T, 50, rng)
        for q in found:
            assert apart(robot, ours, q).min() < 1e-6, f"the search found {q}, which is not among the branches"
        for k, q in enumerate(ours):
            others = np.delete(ours, k, axis=0)
            assert not len(others) or apart(robot, others, q).min() > 1e-6, "two branches are alike"


@pytest.mark.parametrize("name", ["puma560", "ur5", "rx90", "stanford", "kr6-like"])
def test_singular_poses_have_branches(name):
    robot, _, f = made(name)
    q = np.random.default_rng(3).integers(0, 8, (400, 6)) * np.pi / 4
    T = forward(robot, q)
    s = f(T)
    assert s.valid.any(-1).all()
    reached = forward(robot, s.q[s.valid])
    assert np.abs(reached - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-9
    assert any(status is symoro.Status.CONTINUUM for status in s.status)


@pytest.mark.parametrize("tiny", [1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-11, 1e-13])
@pytest.mark.parametrize("name", ["puma560", "ur5", "rx90", "slanted-wrist", "stanford", "kr6-like"])
def test_poses_near_singularities(name, tiny):
    robot, _, f = made(name)
    rng = np.random.default_rng(4)
    q = rng.integers(0, 8, (60, 6)) * np.pi / 4 + tiny * rng.uniform(-1, 1, (60, 6))
    T = forward(robot, q)
    s = f(T)
    assert s.valid.any(-1).all()
    reached = forward(robot, s.q[s.valid])
    assert np.abs(reached - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-9
