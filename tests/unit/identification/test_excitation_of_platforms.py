"""Exciting motions of parallel robots: limits between samples, one assembly away from singularities, what is said."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.raised import raised
from support.samples import named
from symoro.errors import MotionError, NotApplicable
from symoro.identification.excitation.excite import Excitation
from symoro.models.parallel.platform import home
from symoro.robot.joint import Limits
from symoro.robot.parallel import with_legs
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

SHORT = {"duration": 5.0, "harmonics": 3, "starts": 1, "steps": 8}
LIMITS = {"velocity": 1.2, "acceleration": 5.0}
NAMES = ("planar-3rrr", "3rps", "delta", "delta-parallelogram", "orthoglide-legs", "five-bar-legs", "agile-eye")
LARGE = set(NAMES[1:])


@cache
def excited(name: str, kind: str = "fourier") -> Excitation:
    alike = name != "five-bar-legs"  # its legs are attached in different ways
    return symoro.excite(name, kind=kind, alike=alike, **SHORT, **LIMITS)


def apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


@pytest.mark.long
@pytest.mark.parametrize("kind", named(["fourier", "spline"], ["spline"]))
@pytest.mark.parametrize("name", named(NAMES, LARGE))
def test_the_platform_follows_in_one_assembly_away_from_singularities(name: str, kind: str) -> None:
    found = excited(name, kind)
    t = np.linspace(0, 5.0, 4001)
    x, xd, xdd = found.trajectory(t)
    assert max(np.abs(xd).max() - 1.2, np.abs(xdd).max() - 5.0) <= 1e-9
    assert np.abs(xd[[0, -1]]).max() < 1e-12
    assert np.abs(xdd[[0, -1]]).max() < 1e-10
    assert apart(x[0], x[-1]) < 1e-12
    T = found.poses(t)
    q = symoro.inverse_geometry(name).compile()(T, search=False).q  # (samples, branches, motors)
    assert np.nanmin(np.abs(np.sin((q - x[:, None]) / 2)), axis=1).max() < 1e-9  # the legs reach it with these motors
    assert np.abs(np.diff(T, axis=0)).max() < 0.02  # no jump
    at = symoro.singularities(name).at(T)
    here = symoro.singularities(name).at(home(symoro.load(name)))
    assert at.platform.max() < 8 * here.platform * (1 + 1e-9)
    assert (at.legs.max(axis=0) < 8 * here.legs * (1 + 1e-9)).all()
    assert np.isfinite(found.condition)


def limited() -> Robot:
    """The planar robot with limits of its motors, and of the knee of its first leg, which is passive."""
    robot = symoro.load("planar-3rrr")
    assert robot.platforms
    begin = symoro.inverse_geometry(robot).compile()(home(robot), joints=True).q[0]
    legs = []
    for k, leg in enumerate(robot.legs):
        sides = [Limits(*map(as_value, (begin[2 * k] - 0.3, begin[2 * k] + 0.4, 1.0)))]
        sides += [Limits(*map(as_value, (begin[1] - 0.2, begin[1] + 0.15, 0.7))) if k == 0 else leg.joints[1].limits]
        joints = tuple(replace(j, limits=x) for j, x in zip(leg.joints, sides, strict=True))
        legs.append(replace(leg, joints=joints))
    return with_legs(robot, tuple(legs))


@pytest.mark.long
def test_motors_knees_and_workspace_keep_their_limits_between_samples(tmp_path: Path) -> None:
    robot = limited()
    box = np.array([[-0.04, 0.03], [-0.03, 0.05], [-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0], [-0.15, 0.1]])
    found = symoro.excite(robot, workspace=box, alike=True, **SHORT)
    t = np.linspace(0, 5.0, 20_001)
    x, xd, _ = found.trajectory(t)
    begin = symoro.inverse_geometry(robot).compile()(home(robot), joints=True).q[0]
    assert np.maximum(begin[::2] - 0.3 - x, x - begin[::2] - 0.4).max() <= 1e-9
    assert np.abs(xd).max() <= 1.0 + 1e-9
    knee = found.positions(t)[:, 1]
    assert knee.min() >= begin[1] - 0.2 - 1e-9
    assert knee.max() <= begin[1] + 0.15 + 1e-9
    assert np.abs(np.diff(knee)).max() / t[1] <= 0.7 + 1e-9
    T = found.poses(t)
    p = np.hstack([T[:, :3, 3], Rotation.from_matrix(T[:, :3, :3]).as_rotvec()])
    assert np.maximum(box[:, 0] - p, p - box[:, 1]).max() <= 1e-9
    near = np.minimum(p.min(axis=0) - box[:, 0], box[:, 1] - p.max(axis=0))[[0, 1, 5]] / np.ptp(box, axis=1)[[0, 1, 5]]
    assert near.min() < 0.2  # the motion uses the room
    table = np.loadtxt(found.to_csv(tmp_path / "a.csv", rate=100), delimiter=",", skiprows=1)
    assert table.shape == (501, 10)
    assert apart(table[:, 1:4], found.trajectory(table[:, 0]).q) < 1e-12


@pytest.mark.long
def test_torques_keep_their_limits() -> None:
    robot = symoro.load("planar-3rrr").with_values({"G2": 0.0})  # a slower motion needs less, but for friction
    free = symoro.excite(robot, alike=True, **SHORT, **LIMITS)
    t = np.linspace(0, 5.0, 1001)
    inverse = symoro.inverse_dynamics(robot, optimize=False).compile()

    def torques(found: Excitation, t: np.ndarray) -> np.ndarray:
        """By the models, with velocities of the platform by differences of poses."""
        h = 1e-5
        before, now, after = (found.poses(t + s * h) for s in (-1, 0, 1))
        v, vd = (after - before)[:, :3, 3] / (2 * h), (after - 2 * now + before)[:, :3, 3] / h**2
        angle = [np.arctan2(T[:, 1, 0], T[:, 0, 0]) for T in (before, now, after)]
        w, wd = (angle[2] - angle[0]) / (2 * h), (angle[2] - 2 * angle[1] + angle[0]) / h**2
        none = np.zeros((len(t), 2))
        return np.asarray(inverse(now, np.column_stack([v, none, w]), np.column_stack([vd, none, wd])))

    limits = 0.93 * np.abs(torques(free, t)).max(axis=0)
    found = symoro.excite(robot, alike=True, effort=limits, **SHORT, **LIMITS)
    load = np.abs(torques(found, np.linspace(0, found.series.duration, 2001))) / limits
    assert found.series.duration > 5.0
    assert 0.9 < load.max() < 1 + 1e-4  # differences have an error


@pytest.mark.long
def test_an_optimised_motion_shows_more_than_a_random_one() -> None:
    long = excited("planar-3rrr")
    short = symoro.excite("planar-3rrr", alike=True, **{**SHORT, "steps": 1}, **LIMITS)
    assert long.condition < 0.9 * short.condition
    assert all(name in str(long) for name in ("condition number", "MRP", "σ ="))


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"guess": [0.0] * 3}, "positions.guess_of_platform"),
        ({"guess": np.eye(4) + 0.2}, "branches.guess_apart"),
        ({"base": [[0, 1]] * 6}, "excitation.not_for_platforms"),
        ({"tool": 1}, "excitation.not_for_platforms"), ({"workspace": [[0, 1]] * 4}, "excitation.ranges"),
        ({"workspace": "a"}, "options.value"), ({"position": [[0, 1]]}, "excitation.ranges"),
        ({"position": [[9.0, 9.1]] * 3}, "excitation.none"), ({"alike": 1}, "options.value"),
        ({"workspace": [[5, 6]] * 3}, "excitation.none"), ({"velocity": np.nan}, "options.value"),
        ({"effort": 1e-6}, "excitation.effort"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(options: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.excite("planar-3rrr", **{**SHORT, "steps": 1} | options)


def test_robots_without_such_motions_are_named() -> None:
    with raised("excitation.redundant", NotApplicable):
        symoro.excite("cooperating-arms")
    with raised("excitation.alike", MotionError):
        symoro.excite("planar2r", alike=True)
    with raised("excitation.no_platform", NotApplicable):
        symoro.excite("planar2r", **SHORT).poses(0.0)
