"""Inverse geometry against forward geometry by NumPy products and against a least-squares search by SciPy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, arm, configuration, forward, search
from support.samples import some
from symoro.robot.robot import Robot
from symoro.solve.solver import Solver

LIBRARY = ("puma560", "rx90", "stanford", "ur5", "scara", "th8", "tx40", "planar2r", "planar3r")
NAMES = (*LIBRARY, *ARMS)
#: The others take long: many branches, or parts of a quartic; or they are like one of these.
QUICK = {"puma560", "ur5", "stanford", "youbot-like", "generic-shoulder", "parallel-last", "PRP-middle"}
SEARCHED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in NAMES]


@cache
def made(name: str) -> tuple[Robot, symoro.Model, Solver]:
    robot = ARMS[name] if name in ARMS else symoro.load(name)
    ik = symoro.inverse_geometry(robot)
    return robot, ik, ik.compile()


@pytest.mark.parametrize("name", SEARCHED)
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


@pytest.mark.long
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


@pytest.mark.parametrize("name", ["puma560", "ur5", "ur10e", "rx90", "stanford", "kr6-like"])
def test_singular_poses_have_branches(name):
    robot, _, f = made(name)
    q = np.random.default_rng(3).integers(0, 8, (400, 6)) * np.pi / 4
    T = forward(robot, q)
    s = f(T)
    assert s.valid.any(-1).all()
    reached = forward(robot, s.q[s.valid])
    assert np.abs(reached - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-9
    alone = np.array([status is symoro.Status.COMPLETE for status in s.status])
    assert 0 < alone.sum() < 400
    assert np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1)[alone].max() < 1e-6


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


def test_a_straight_wrist_on_a_stretched_arm_is_reached():
    """The program mends one branch that rounding lost; where it lost two, the compiled function has a second look."""
    robot, ik, f = made("ur5")
    rng = np.random.default_rng(11)
    q = rng.integers(0, 8, (4000, 6)) * np.pi / 4 + 1e-9 * rng.uniform(-1, 1, (4000, 6))
    T = forward(robot, q)
    own, s = replace(ik, driver=None).compile()(T).valid > 0.5, f(T)
    assert own.any(-1).all()
    lost = np.flatnonzero(own.sum(-1) < s.valid.sum(-1))
    assert len(lost)
    assert np.abs(forward(robot, s.q[s.valid]) - np.repeat(T, s.valid.sum(-1), axis=0)).max() < 1e-9
    for k in lost:
        one = f(T[k])
        assert one.status is s.status[k]
        np.testing.assert_allclose(one.q[one.valid], s.q[k][s.valid[k]], atol=1e-12)


def test_a_published_arm_has_its_eight_branches():
    """Tsai and Morgan (1985), an arm with a spherical wrist; the printed pose is rounded."""
    a, d, alpha = (0, 1, -0.047, 0, 0, 0), (0, 0.345, 0, 1, 0, 0.13), (-90, 0, 90, -90, 90, 0)
    rows = [{"d": d[k], "a": a[k], "alpha": f"{alpha[k]}*pi/180"} for k in range(6)]
    T = np.eye(4)
    T[:3] = np.transpose(
        [
            (-0.71511545, 0.65150320, 0.25328538),
            (-0.69899036, -0.66895464, -0.25280857),
            (0.00473084, -0.35783135, 0.93377425),
            (0.22441776, 0.71549788, 0.79551628),
        ]
    )
    ik = symoro.inverse_geometry(Robot.from_dh(rows), link="flange")
    s = ik.compile()(T, nearest_rotation=True)
    assert s.status is symoro.Status.COMPLETE
    assert s.valid.sum() == 8


@pytest.mark.long
@pytest.mark.parametrize("seed", some(4, 60))
def test_random_arms_with_a_triple(seed):
    """Three axes that meet, three parallel ones or three prismatic joints, anywhere in a random arm."""
    rng = np.random.default_rng(seed)
    alpha, d, r = (
        rng.uniform(-120, 120, 6).round(1),
        rng.uniform(-0.5, 0.5, 6).round(3),
        rng.uniform(-0.5, 0.5, 6).round(3),
    )
    first, kinds = int(rng.integers(0, 4)), "RRRRRR"
    what = ("meet", "parallel", "prismatic")[seed % 3]
    if what == "meet":
        d[first + 1 : first + 3], r[first + 1] = 0, 0
    elif what == "parallel":
        alpha[first + 1 : first + 3] = rng.choice([0, 180], 2)
    else:
        slides = set(rng.choice(6, 3, replace=False).tolist())
        kinds = "".join("P" if k in slides else "R" for k in range(6))
    robot = arm(f"{what}{seed}", alpha.tolist(), d.tolist(), r.tolist(), kinds)
    s_of = symoro.inverse_geometry(robot).compile()
    q = np.array([configuration(robot, rng) for _ in range(200)])
    s = s_of(forward(robot, q))
    assert np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1).max() < 1e-6
    found = search(robot, forward(robot, q[0]), 30, rng)
    for x in found:
        assert apart(robot, s.q[0][s.valid[0]], x).min() < 1e-6
