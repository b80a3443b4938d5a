"""Exciting motions of closed loops and of floating bases: what follows keeps its limits, and σ is what it says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.raised import raised
from support.samples import named
from symoro.errors import MotionError
from symoro.identification.excitation.excite import Excitation
from symoro.identification.excitation.motions import pose_motion
from symoro.identification.subject.subject import described_values
from symoro.robot.joint import Limits
from symoro.robot.values import as_value

ELBOW = (-0.9, 0.4)
BASE = [[-0.1, 0.1]] * 3 + [[-0.4, 0.5]] * 3
RATE = 100.0


def limited(robot: symoro.Robot, low: float = ELBOW[0], high: float = ELBOW[1]) -> symoro.Robot:
    """The robot with limits on its third joint, which is passive."""
    limits = Limits(*(as_value(x) for x in (low, high, 1.5)))
    joints = [replace(j, limits=limits) if j.index == 3 else j for j in robot.joints]
    return replace(robot, joints=tuple(joints))


@cache
def sr400() -> Excitation:
    return symoro.excite(limited(symoro.load("sr400")), duration=6.0, harmonics=3, starts=1, steps=12)


@cache
def satellite(moved: bool) -> Excitation:
    base = {"base": BASE} if moved else {}
    return symoro.excite("satellite", duration=6.0, harmonics=3, starts=1, steps=12, **base)


@pytest.mark.long
def test_passive_joints_of_the_sr400_close_its_parallelogram_and_keep_their_limits() -> None:
    found = sr400()
    t = np.linspace(0, 6.0, 20_001)
    q = found.positions(t)
    motors, speeds, _ = found.trajectory(t)
    assert np.array_equal(q[:, [0, 1, 3, 4, 5, 6]], motors)
    shoulder, elbow, lever, rod = q[:, 1], q[:, 2], q[:, 6], q[:, 7]
    assert np.ptp(elbow + shoulder - lever) < 1e-9  # a parallelogram: the forearm turns with the lever
    assert np.ptp(rod - (shoulder - lever)) < 1e-9  # and the rod stays parallel to the upper arm
    assert (elbow >= ELBOW[0] - 1e-9).all()
    assert (elbow <= ELBOW[1] + 1e-9).all()
    assert np.abs(speeds[:, 5] - speeds[:, 1]).max() <= 1.5 + 1e-9  # that of the elbow
    assert (np.abs(speeds) <= 3.0 + 1e-9).all()
    assert np.abs(motors).max() <= 2.0 + 1e-9


def test_a_base_at_rest_and_one_that_moves_keep_their_limits() -> None:
    t = np.linspace(0, 6.0, 20_001)
    for found, count in ((satellite(False), 3), (satellite(True), 9)):
        x, xd, _ = found.trajectory(t)
        assert x.shape[1] == count
        low, high = np.array([*BASE, *[[-2.0, 2.0]] * 3] if count == 9 else [[-2.0, 2.0]] * 3).T
        assert (x >= low - 1e-9).all()
        assert (x <= high + 1e-9).all()
        assert np.abs(xd[[0, -1]]).max() < 1e-12
    held, moved = satellite(False).sigma, satellite(True).sigma
    assert {name for name, x in held.items() if np.isinf(x)} >= {"ZZ0", "MR0", "MX0"}
    assert np.isfinite(list(moved.values())).all()
    assert all(name in str(satellite(True)) for name in ("condition number", "MR0", "σ ="))


def true_values(found: Excitation) -> dict[str, float]:
    return described_values(found.subject, found.subject.columns)


def channels(found: Excitation, noise: float) -> dict[str, Any]:
    """Measurements along a motion with the torques of the description's parameters and white noise."""
    t = np.arange(0, 5 * found.series.duration, 1 / RATE)
    x, xd, xdd = found.trajectory(np.mod(t, found.series.duration))
    excited, at = found.excited, found.excited.placed(x)
    rows = excited.regressor(at, xd, xdd) @ list(true_values(found).values())
    rows += noise * np.random.default_rng(0).normal(size=rows.shape)
    data: dict[str, Any] = {"t": t, "q": at, "qd": xd, "qdd": xdd, "tau": rows}
    if found.subject.has_free_base:
        n = len(found.subject.motors)
        pose = pose_motion(*((y[:, :-n] if y.shape[1] > n else np.zeros((len(t), 6))) for y in (x, xd, xdd)))
        V0, VP0 = (np.einsum("tji,tkj->tki", pose.R, y.reshape(-1, 2, 3)).reshape(-1, 6) for y in (pose.V, pose.VP))
        quat = Rotation.from_matrix(pose.R).as_quat()
        data |= {"quat": quat, "V0": V0, "VP0": VP0, "wrench": rows[:, :6], "tau": rows[:, 6:]}
        data |= {"q": x[:, -n:], "qd": xd[:, -n:], "qdd": xdd[:, -n:]}
    return data


@pytest.mark.parametrize("name", named(["sr400", "held", "moved"], ["sr400"]))
def test_an_identification_along_the_motion_has_the_expected_deviations(name: str) -> None:
    found = sr400() if name == "sr400" else satellite(name == "moved")
    noise = 0.05
    band = {"cutoff": None, "decimation": 1, "border": 0, "method": "ols", "friction": "none"}
    r = symoro.identify(found.subject.description, channels(found, noise), **band)
    true = true_values(found)
    told = [p for p in r if np.isfinite(p.sigma)]
    assert len(told) > 15
    regrouped = {name for group in r.estimate.confused for name in group}  # they contain what is left out
    for p in told:
        assert p.sigma == pytest.approx(noise * found.sigma[p.name] / np.sqrt(5), rel=0.05), p.name
        assert p.name in regrouped or abs(p.value - true[p.name]) < 4.5 * p.sigma, p.name
    assert {p.name for p in r} - {p.name for p in told} == {n for n, x in found.sigma.items() if np.isinf(x)}


def test_motions_of_a_body_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    x, xd, xdd = rng.normal(size=(3, 20, 6))
    h = 1e-5
    found = pose_motion(x, xd, xdd)
    before, after = (x + s * h * xd + h**2 / 2 * xdd for s in (-1, 1))
    turns = [Rotation.from_euler("ZYX", y[:, :2:-1]) for y in (before, x, after)]
    assert np.abs(found.R - turns[1].as_matrix()).max() < 1e-14
    w = ((turns[2] * turns[0].inv()).as_rotvec()) / (2 * h)
    assert np.abs(found.V[:, 3:] - w).max() < 1e-8
    w1, w2 = (turns[1] * turns[0].inv()).as_rotvec() / h, (turns[2] * turns[1].inv()).as_rotvec() / h
    assert np.abs(found.VP[:, 3:] - (w2 - w1) / h).max() < 1e-4


def test_limits_of_a_base_that_is_fixed_are_refused() -> None:
    with raised("excitation.base", MotionError):
        symoro.excite("planar2r", base=BASE)
    with raised("excitation.ranges", MotionError):
        symoro.excite("satellite", base=[[0, 1]])
    with raised("excitation.open_inside", MotionError):
        symoro.excite(limited(symoro.load("sr400"), 2.9, 3.0), position=[[-0.1, 0.1]] * 6)
