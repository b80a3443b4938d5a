"""Assemblies of platforms: a published platform with 40, generating poses of random ones, and tracking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import root

import symoro
from support.dietmaier import BASE, LENGTHS, PLATFORM, lengths
from support.platforms import Platform, joint_positions, reachable_pose
from symoro.errors import ShapeError
from symoro.robot import library, topology
from symoro.robot.values import evaluate
from symoro.solve.branches import Status
from symoro.solve.spheres import Follow, assemblies
from symoro.solve.study import COUNT, IN_PAIRS, follow, follow_in_c, stored, values

Array = np.ndarray[Any, np.dtype[np.float64]]
QUICK = ("gough-stewart", "3rps", "gough-stewart-63")


@pytest.mark.parametrize("along", [follow, follow_in_c], ids=["numpy", "c"])
def test_the_platform_of_dietmaier_has_forty_real_assemblies(along: Follow) -> None:
    T, complete = assemblies(BASE, PLATFORM, LENGTHS, along)
    assert complete
    assert len(T) == 40
    assert np.abs(lengths(T, BASE, PLATFORM) - LENGTHS).max() <= 1e-12
    assert np.abs(np.swapaxes(T[:, :3, :3], -1, -2) @ T[:, :3, :3] - np.eye(3)).max() <= 1e-12
    apart = np.abs(T[:, None] - T[None]).max((-1, -2)) + np.eye(40)
    assert apart.min() > 1e-3


@pytest.mark.parametrize(("pairs", "count"), [(False, COUNT), (True, IN_PAIRS)])
def test_the_stored_solutions_solve_the_stored_platform(pairs: bool, count: int) -> None:
    member, x = stored(pairs)
    patch = np.ones(8) / x.sum(-1)[:, None]
    assert x.shape == (count, 8)
    for one, c in zip(x, patch, strict=True):
        assert np.abs(values(member, one[None], c)).max() < 1e-10
    assert (np.abs(x[:, None] - x[None]).max(-1) + np.eye(count)).min() > 1e-3


def found_again(seed: int, along: Follow = follow) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1, 1, (2, 6, 3))
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R * np.sign(np.linalg.det(R)), rng.uniform(-1, 1, 3)
    wanted = lengths(pose, a, b)
    T, complete = assemblies(a, b, wanted, along)
    assert complete, f"platform {seed}"
    assert np.abs(T - pose).max((-1, -2)).min() < 1e-9, f"platform {seed}"
    assert np.abs(lengths(T, a, b) - wanted).max() <= 1e-11


@pytest.mark.parametrize("seed", [0, 1, 92])
def test_the_generating_pose_is_among_the_assemblies(seed: int) -> None:
    found_again(seed)


@pytest.mark.long
def test_the_generating_pose_is_among_the_assemblies_of_a_thousand_platforms() -> None:
    """Platforms 92 and 303 need another way around."""
    for seed in range(1000):
        found_again(seed, follow_in_c)


def triangles(a: Array, corners: Array, lengths: Array, starts: int = 400) -> Array:
    """Corners (n, 3, 3) of a triangle, each at two distances from two points of the base, by SciPy from many starts.

    A corner turns about the line through its two base points; the sides of the triangle fix the three angles.
    """
    circles = []
    for (one, two), (r, s) in zip(a.reshape(3, 2, 3), lengths.reshape(3, 2), strict=True):
        axis = (two - one) / (far := float(np.linalg.norm(two - one)))
        along = (r * r - s * s + far * far) / (2 * far)
        x, y = np.linalg.svd(axis[None])[2][1:]
        circles.append((one + along * axis, np.sqrt(r * r - along * along) * np.array([x, y])))
    sides = [np.linalg.norm(corners[i] - corners[(i + 1) % 3]) for i in range(3)]

    def at(angles: Array) -> Array:
        return np.array(
            [c + np.array([np.cos(t), np.sin(t)]) @ axes for t, (c, axes) in zip(angles, circles, strict=True)]
        )

    def gaps(angles: Array) -> Array:
        p = at(angles)
        return np.array([np.linalg.norm(p[i] - p[(i + 1) % 3]) - sides[i] for i in range(3)])

    found: list[Array] = []
    for start in np.random.default_rng(0).uniform(-np.pi, np.pi, (starts, 3)):
        end = root(gaps, start, tol=1e-13)
        if np.abs(gaps(end.x)).max() < 1e-10 and all(np.abs(at(end.x) - other).max() > 1e-6 for other in found):
            found.append(at(end.x))
    return np.array(found)


@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)]
)
def test_legs_that_meet_in_pairs_have_the_assemblies_of_a_triangle_on_circles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, corners = rng.uniform(-1, 1, (6, 3)), rng.uniform(-1, 1, (3, 3))
    order = rng.permutation(6)
    a, b = a[np.argsort(order)], np.repeat(corners, 2, axis=0)[np.argsort(order)]
    pose = np.eye(4)
    pose[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    wanted = lengths(pose, a, b)
    T, complete = assemblies(a, b, wanted)
    assert complete
    assert np.abs(T - pose).max((-1, -2)).min() < 1e-9
    expected = triangles(a[order], corners, wanted[order])
    found = T[:, None, :3, 3] + corners @ np.swapaxes(T[:, :3, :3], -1, -2)
    assert len(found) == len(expected)
    assert np.abs(found[:, None] - expected).max((-1, -2)).min(0).max() < 1e-8
    back, complete = assemblies(b, a, wanted)  # base and platform changed places
    assert complete
    assert len(back) == len(T)
    assert np.abs(lengths(back, b, a) - wanted).max() <= 1e-11


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_legs_with_hinge_and_slider_have_the_assemblies_of_a_triangle_on_circles(seed: int) -> None:
    forward = symoro.forward_geometry("3rps", optimize=False).compile("numpy")
    q = np.random.default_rng(seed).uniform(0.85, 1.0, 3)
    found = forward(q)
    assert found.status is Status.COMPLETE
    angles = np.radians([0, 120, 240])
    out = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    axes = np.stack([np.sin(angles), -np.cos(angles), 0 * angles], axis=-1)
    a = np.stack([0.6 * out + axes, 0.6 * out - axes], axis=1).reshape(6, 3)
    expected = triangles(a, 0.4 * out, np.repeat(np.hypot(q, 1), 2))
    corners = found.T[:, None, :3, 3] + 0.4 * out @ np.swapaxes(found.T[:, :3, :3], -1, -2)
    assert len(corners) == len(expected) > 2
    assert np.abs(corners[:, None] - expected).max((-1, -2)).min(0).max() < 1e-8


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_a_planar_platform_has_the_assemblies_that_scipy_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forward = symoro.forward_geometry("planar-3rrr", optimize=False).compile("numpy")
    out = np.radians([90, 210, 330])
    turn, at = rng.uniform(-0.3, 0.3), rng.uniform(-0.1, 0.1) + 1j * rng.uniform(-0.1, 0.1)
    b = 0.15 * np.exp(1j * out)
    reach = at + np.exp(1j * turn) * b - 0.5 * np.exp(1j * out)
    bent = np.arccos(np.abs(reach) / 0.6) * np.array([1, -1, 1])
    motors = np.angle(reach) + bent - out
    knees = 0.5 * np.exp(1j * out) + 0.3 * np.exp(1j * (out + motors))

    def gaps(x: Array) -> Array:
        return np.asarray(np.abs(x[0] + 1j * x[1] + np.exp(1j * x[2]) * b - knees) - 0.3)

    expected: list[Array] = []
    for start in np.random.default_rng(0).uniform([-1, -1, -np.pi], [1, 1, np.pi], (300, 3)):
        x = root(gaps, start, tol=1e-13).x
        x[2] = np.angle(np.exp(1j * x[2]))
        if np.abs(gaps(x)).max() < 1e-10 and all(np.abs(x - other).max() > 1e-6 for other in expected):
            expected.append(x)
    found = forward(motors)
    assert found.status is Status.COMPLETE
    angles = np.arctan2(found.T[:, 1, 0], found.T[:, 0, 0])
    poses = np.column_stack([found.T[:, 0, 3], found.T[:, 1, 3], angles])
    assert len(poses) == len(expected) >= 2
    assert np.abs(poses[:, None] - np.array(expected)).max(-1).min(0).max() < 1e-8


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.long, id=n) for n in library.parallel_names()],
)
def test_poses_of_library_robots_come_back(name: str) -> None:
    robot = symoro.load(name)
    assert robot.platforms
    T = reachable_pose(robot, np.random.default_rng(5), far=0.1)
    q = joint_positions(robot, T)
    assert Platform(robot, T, q).closure() < 1e-12
    movable = topology.movable(robot)
    motors = q[[k for k, joint in enumerate(movable) if joint.actuated]]
    s = symoro.inverse_geometry(robot).compile()(T, joints=True)
    assert str(s.status) == "complete"
    assert np.nanmin(np.abs(s.q - q).max(-1)) < 1e-9
    forward = symoro.forward_geometry(robot).compile()
    home = np.array([[float(evaluate(x, {})) for x in row] for row in robot.home])
    tracked = forward(motors, guess=home)
    assert tracked.valid.all()
    assert np.abs(tracked.T[0] - T).max() < 1e-9
    every = forward(motors)
    assert every.status is Status.COMPLETE
    assert np.abs(every.T - T).max((-1, -2)).min() < 1e-9


def test_motors_out_of_reach_and_numbers_that_are_none() -> None:
    forward = symoro.forward_geometry("delta").compile()
    inverse = symoro.inverse_geometry("delta").compile()
    far = np.eye(4)
    far[:3, 3] = 5.0
    assert str(inverse(far).status) == "unreachable"
    assert np.isnan(inverse(far).q).all()
    assert str(inverse(np.full((4, 4), np.nan)).status) == "invalid"
    assert str(forward([np.nan, 0, 0]).status) == "invalid"
    with pytest.raises(ShapeError, match=r"q must have shape \(3,\)"):
        forward([0.0, 0.0])
    with pytest.raises(ShapeError, match="T must have shape"):
        inverse(np.eye(3))
