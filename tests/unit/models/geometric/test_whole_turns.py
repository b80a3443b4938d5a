"""Angles in the turn of a configuration or of limits: the pose stays, by NumPy products, and the turn is near."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, configuration, forward
from symoro.models.geometric.inverse.branches import periods
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.solver import Solver

Array = np.ndarray[Any, Any]
Status = symoro.Status
TURN = 2 * np.pi
PLAIN = ARMS["scara-rrpr"]
#: Coordinates of a SCARA as functions of its variables: (joint, text), and what they are for positions q (..., 4).
COUPLED: dict[str, tuple[tuple[int, str], Callable[[Array], Array], tuple[float, ...]]] = {
    "reversed": ((1, "-q1"), lambda q: q * [-1, 1, 1, 1], (1, 1, 0, 1)),
    "half": ((2, "q2/2"), lambda q: q * [1, 0.5, 1, 1], (1, 2, 0, 1)),
    "double": ((2, "2*q2"), lambda q: q * [1, 2, 1, 1], (1, 0.5, 0, 1)),
    "two thirds": ((2, "2*q2/3"), lambda q: q * [1, 2 / 3, 1, 1], (1, 1.5, 0, 1)),
    "difference": ((2, "q2 - q1/2"), lambda q: q - 0.5 * q[..., [0]] * [0, 1, 0, 0], (2, 1, 0, 1)),
    "spline": ((3, "q3 + 0.02*q2"), lambda q: q + 0.02 * q[..., [1]] * [0, 0, 1, 0], (1, 0, 0, 1)),
    "irrational": ((4, "pi*q4"), lambda q: q * [1, 1, 1, np.pi], (1, 1, 0, 1 / np.pi)),
    "both": ((2, "q2 + pi*q1"), lambda q: q + np.pi * q[..., [0]] * [0, 1, 0, 0], (0, 1, 0, 1)),
}


def coupled(joint: int, text: str) -> Robot:
    changed = {("r" if PLAIN.joint(joint).prismatic else "theta"): as_value(text)}
    return replace(PLAIN, joints=tuple(replace(j, **changed) if j.index == joint else j for j in PLAIN.joints))


@pytest.mark.parametrize("method", ["paul", "general"])
@pytest.mark.parametrize("name", COUPLED)
def test_a_joint_with_a_gear_is_moved_by_its_own_period(name: str, method: str) -> None:
    (joint, text), coordinates, turns = COUPLED[name]
    robot = coupled(joint, text)
    np.testing.assert_allclose(periods(robot, (1, 2, 3, 4), {}), TURN * np.array(turns), rtol=1e-14)
    f, rng = symoro.inverse_geometry(robot, method=method).compile(), np.random.default_rng(2)
    for _ in range(5):
        q = rng.uniform(-2.5, 2.5, 4)
        T = forward(PLAIN, coordinates(q))
        for near in (q, rng.uniform(-9, 9, 4)):
            s = f(T, nearest=near)
            assert np.abs(forward(PLAIN, coordinates(s.q[s.valid])) - T).max() < 1e-9
        np.testing.assert_allclose(f(T, nearest=q).q[0], q, atol=1e-7)


LIMITS = [(-2, 2), (-6.28, 6.28), (1, 8), (3.5, None), (None, -3.3), (-10, -1)]
LOWER = np.array([-np.inf if low is None else low for low, _ in LIMITS])
UPPER = np.array([np.inf if high is None else high for _, high in LIMITS])


@cache
def limited() -> tuple[Robot, Solver]:
    robot = ARMS["kr6-like"]
    limits = [Limits(*(None if x is None else as_value(x) for x in pair)) for pair in LIMITS]
    joints = tuple(replace(j, limits=own) for j, own in zip(robot.joints, limits, strict=True))
    return robot, symoro.inverse_geometry(replace(robot, joints=joints)).compile()


def allowed(q: Array) -> list[list[float]]:
    """The positions inside the limits that are whole turns from each position of q."""
    places = [[x + TURN * k for k in range(-4, 5)] for x in q]
    return [[x for x in row if a <= x <= b] for row, a, b in zip(places, LOWER, UPPER, strict=True)]


def test_limits_and_a_near_configuration_hold_together() -> None:
    robot, f = limited()
    rng, count, empty = np.random.default_rng(4), 0, 0
    for _ in range(60):
        T, near = forward(robot, configuration(robot, rng)), rng.uniform(-8, 8, 6)
        every, inside, sorted_ = f(T), f(T, limits=True), f(T, limits=True, nearest=near)
        wanted = [rows for rows in map(allowed, every.q[every.valid]) if all(rows)]
        assert inside.valid.sum() == sorted_.valid.sum() == len(wanted)
        assert inside.status is (Status.COMPLETE if wanted else Status.UNREACHABLE)
        for q in (*inside.q[inside.valid], *sorted_.q[sorted_.valid]):
            assert np.abs(forward(robot, q) - T).max() < 1e-9
            assert (q >= LOWER - 1e-9).all()
            assert (q <= UPPER + 1e-9).all()
            assert apart(robot, q, every.q[every.valid]).min() < 1e-9
        best = [[min(row, key=lambda x, y=y: abs(x - y)) for row, y in zip(rows, near, strict=True)] for rows in wanted]
        best.sort(key=lambda q: float(np.linalg.norm(q - near)))
        np.testing.assert_allclose(sorted_.q[sorted_.valid], np.reshape(best, (-1, 6)), atol=1e-9)
        count, empty = count + len(wanted), empty + (not wanted)
    assert count > 50
    assert empty


def test_poses_without_a_branch_inside_the_limits_are_unreachable_in_a_batch() -> None:
    robot, f = limited()
    rng = np.random.default_rng(4)
    T = forward(robot, np.array([configuration(robot, rng) for _ in range(20)]))
    T[3, 0, 0] = np.nan
    s = f(T, limits=True)
    assert list(s.status) == [f(pose, limits=True).status for pose in T]
    assert {Status.COMPLETE, Status.UNREACHABLE, Status.INVALID} == set(s.status)
    assert (s.distance[s.status == Status.UNREACHABLE] < 1e-9).all()
