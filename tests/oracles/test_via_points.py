"""Splines through points, against SciPy's own splines and the sampled greatest derivatives."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.robot.joint import Limits
from symoro.robot.values import as_value


def points(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(int(rng.integers(3, 8)), int(rng.integers(1, 5))))


@pytest.mark.parametrize("profile", ["cubic", "quintic"])
@pytest.mark.parametrize("seed", range(10))
def test_at_given_times_it_is_the_spline_at_rest_at_both_ends(profile: str, seed: int) -> None:
    P = points(seed)
    times = np.concatenate([[0.0], np.cumsum(np.random.default_rng(seed).uniform(0.3, 1.5, len(P) - 1))])
    t = symoro.trajectory(P[0], P[-1], profile, via=P[1:-1], times=times)
    rest = [(1, np.zeros(P.shape[1])), (2, np.zeros(P.shape[1]))]
    oracle: Any = (
        CubicSpline(times, P, bc_type="clamped")
        if profile == "cubic"
        else make_interp_spline(times, P, k=5, bc_type=(rest, rest))
    )
    x = np.linspace(0, times[-1], 301)
    for order, found in enumerate(t(x)):
        assert_close(found, oracle(x, order), 1e-9)
    assert_close(t(times).q, P, 1e-11)


@pytest.mark.parametrize("profile", ["cubic", "quintic"])
@pytest.mark.parametrize("seed", range(4))
def test_without_times_it_is_as_fast_as_the_limits_allow(profile: str, seed: int) -> None:
    P, rng = points(seed), np.random.default_rng(seed)
    limits = {
        "velocity": 10 ** rng.uniform(-0.3, 0.7, P.shape[1]),
        "acceleration": 10 ** rng.uniform(-0.3, 1, P.shape[1]),
    }
    if profile == "quintic":
        limits["jerk"] = 10 ** rng.uniform(0, 2, P.shape[1])
    t = symoro.trajectory(P[0], P[-1], profile, via=P[1:-1], **limits)
    time = t.times(200001)
    q, qd, qdd = t(time)
    jerk = np.diff(qdd, axis=0) / np.diff(time)[:, None]
    shares = [np.abs(x).max(axis=0) / limits[name] for x, name in ((qd, "velocity"), (qdd, "acceleration"))]
    assert max(float(share.max()) for share in shares) <= 1 + 1e-9
    shares += [np.abs(jerk).max(axis=0) / limits["jerk"]] if "jerk" in limits else []
    assert_close(max(float(share.max()) for share in shares), 1.0, 1e-3)
    for point in P:
        assert np.abs(q - point).max(axis=1).min() < 1e-2


def test_other_profiles_stop_at_each_point() -> None:
    P = points(3)
    t = symoro.trajectory(P[0], P[-1], "jerk-limited", via=P[1:-1], velocity=1.0, acceleration=2.0, jerk=9.0)
    parts = [symoro.trajectory(a, b, "jerk-limited", velocity=1.0, acceleration=2.0, jerk=9.0) for a, b in pairwise(P)]
    stops = np.concatenate([[0.0], np.cumsum([part.duration for part in parts])])
    assert_close(t.duration, stops[-1], 1e-14)
    assert_close(t(stops).q, P, 1e-13)
    assert_close(np.abs(t(stops).qd).max(), 0.0, 1e-12)
    assert_close(t(stops[1] + 0.1).q, parts[1](0.1).q, 1e-12)


def test_a_curve_that_leaves_the_limits_of_a_joint_is_refused() -> None:
    """Both points are inside; the spline between them is not."""
    robot = symoro.load("kuka-iiwa")
    low, high = -0.1, 0.1
    q0, q1 = np.zeros(7), np.zeros(7)
    bound = Limits(as_value(low), as_value(high))
    robot = replace(robot, joints=tuple(replace(j, limits=bound) for j in robot.joints))
    via = [np.full(7, 0.099), np.full(7, 0.098)]
    with raised("motion.outside_limits"):
        symoro.trajectory(q0, q1, via=via, duration=2.0, robot=robot)
    symoro.trajectory(q0, q1, via=[np.full(7, 0.05)], duration=2.0, robot=robot)
