"""Assemblies of platforms whose legs are quadrics: by hand, by published counts, and by SciPy from many starts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import root
from scipy.spatial.transform import Rotation

import symoro
from support.free_robots import Array
from support.held_platforms import TEXTS, held
from support.other_legs import ROBOTS
from support.platform_kinds import kind
from support.platform_search import Search, assert_same_poses
from support.platforms import joint_positions, reachable_pose
from support.raised import raised
from support.random_platforms import KINDS, random_platform
from symoro.errors import ParameterError
from symoro.models.parallel.platform import home, moved
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.assemblies import forward_geometry
from symoro.solve.branches import Status
from symoro.solve.quadrics import all_points

LONG = pytest.mark.long


def assemblies(robot: Robot, motors: Array) -> tuple[Array, Status]:
    found = forward_geometry(robot, optimize=False).compile("numpy")(motors)
    return found.T[found.valid], found.status


def motors_at(robot: Robot, T: Array) -> Array:
    q = joint_positions(robot, T)
    return q[[joint.actuated for joint in topology.movable(robot)]]


# spherical platforms


def axes_of(robot: Robot, motors: Array) -> tuple[Array, Array]:
    """The axes of the passive hinges for positions of the motors, and those of the attachments on the platform."""
    numbers = robot.values.numbers()
    u, w = [], []
    for i, q in enumerate(motors, 1):
        base = Rotation.from_euler("ZXZ", [numbers[f"gammaB_{i}"], numbers[f"alphaB_{i}"], q])
        u.append((base * Rotation.from_euler("x", np.pi / 2)).apply([0, 0, 1]))
        w.append(Rotation.from_euler("ZX", [numbers[f"gammaP_{i}"], numbers[f"alphaP_{i}"]]).apply([0, 0, 1]))
    return np.array(u), np.array(w)


def turned_platforms(u: Array, w: Array, starts: int) -> Array:
    """Poses with the axis R w_i perpendicular to u_i, by SciPy."""

    def gaps(x: Array) -> Array:
        return np.asarray((u * Rotation.from_rotvec(x).apply(w)).sum(-1))

    found: list[Array] = []
    for start in Rotation.random(starts, random_state=0).as_rotvec():
        end = root(gaps, start, tol=1e-14).x
        T = np.eye(4)
        T[:3, :3] = Rotation.from_rotvec(end).as_matrix()
        if np.abs(gaps(end)).max() < 1e-11 and all(np.abs(T - other).max() > 1e-6 for other in found):
            found.append(T)
    return np.array(found)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=LONG) for k in range(1, 6))])
def test_a_spherical_platform_has_the_assemblies_that_scipy_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = random_platform("agile-eye", rng)
    motors = rng.uniform(-0.5, 0.5, 3)
    found, status = assemblies(robot, motors)
    assert status is Status.COMPLETE
    assert_same_poses(found, turned_platforms(*axes_of(robot, motors), 300))


def test_four_of_the_eight_assemblies_of_the_agile_eye_are_the_same_for_all_motors() -> None:
    """I. Bonev, D. Chablat, P. Wenger, Working and assembly modes of the agile eye, ICRA 2006."""
    robot = symoro.load("agile-eye")
    assert robot.platforms
    first, second = (assemblies(robot, np.array(q))[0] for q in ([0.3, -0.2, 0.4], [-0.5, 0.1, 0.7]))
    assert len(first) == len(second) == 8
    same = np.abs(first[:, None] - second).max((-1, -2)).min(-1) < 1e-9
    assert same.sum() == 4
    assert (np.isclose(np.abs(first[same][:, :3, :3]), 0) | np.isclose(np.abs(first[same][:, :3, :3]), 1)).all()


def test_a_continuum_of_assemblies_is_said_to_be_incomplete() -> None:
    """With all motors at zero the assemblies of the agile eye are no longer eight points; those that are found hold."""
    robot = symoro.load("agile-eye")
    assert robot.platforms
    found, status = assemblies(robot, np.zeros(3))
    assert status is Status.INCOMPLETE
    right = np.pi / 2
    hinges = Rotation.from_euler("ZX", [(right, 2 * right), (2 * right, 2 * right), (0, right)]).apply([0, 0, 1])
    on_platform = Rotation.from_euler("ZX", [(2 * right, right), (0, 0), (right, right)]).apply([0, 0, 1])
    assert len(found)
    assert np.abs((hinges * (on_platform @ np.swapaxes(found[:, :3, :3], -1, -2))).sum(-1)).max() < 1e-9


# planar platforms and arms


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_five_bar_has_the_points_of_two_circles(seed: int) -> None:
    robot = random_platform("five-bar-legs", np.random.default_rng(seed))
    numbers = robot.values.numbers()
    motors = motors_at(robot, home(robot)) + np.random.default_rng(seed).uniform(-0.1, 0.1, 2)
    found, status = assemblies(robot, motors)
    assert status is Status.COMPLETE
    knees = [numbers[f"dB_{i}"] + numbers[f"L1_{i}"] * np.exp(1j * q) for i, q in enumerate(motors, 1)]
    turn = np.exp(1j * np.arctan2(found[:, 1, 0], found[:, 0, 0]))
    tip = found[:, 0, 3] + 1j * found[:, 1, 3]
    held_at = tip + turn * np.exp(1j * numbers["gammaP_2"]) * numbers["dP_2"]
    # the tool is fixed on the first arm: it has the direction of its second link, and turns on the second arm
    assert len(found) == 2
    assert np.abs(tip - knees[0] - numbers["L2_1"] * turn).max() < 1e-12
    assert np.abs(np.abs(held_at - knees[1]) - numbers["L2_2"]).max() < 1e-12
    assert abs(turn[0] - turn[1]) > 1e-3


def test_a_five_bar_whose_arms_are_too_far_apart_has_no_assembly() -> None:
    robot = symoro.load("five-bar-legs")
    assert robot.platforms
    found, status = assemblies(robot, np.array([np.pi, 0.0]))
    assert status is Status.UNREACHABLE
    assert not len(found)


@pytest.mark.long
@pytest.mark.parametrize("name", ["cooperating-arms", "two-sr400"])
def test_arms_that_hold_a_body_have_one_assembly_where_their_motors_fit(name: str) -> None:
    robot = ROBOTS[name]() if name in ROBOTS else symoro.load(name)
    assert robot.platforms
    T = moved(home(robot), np.array([0.05, -0.03, 0.02, 0.1, -0.2, 0.1]))
    motors = motors_at(robot, T)
    found, status = assemblies(robot, motors)
    assert status is Status.COMPLETE
    assert_same_poses(found, T[None])
    found, status = assemblies(robot, motors + np.eye(12)[7] * 1e-3)
    assert status is Status.UNREACHABLE
    assert not len(found)


# other kinds


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        pytest.param("planar-3rrp", 30, marks=LONG),
        pytest.param("ball-and-sliders", 60, marks=LONG),
        pytest.param("tricept", 120, marks=LONG),
    ],
)
def test_other_platforms_have_the_assemblies_that_scipy_finds(name: str, starts: int) -> None:
    robot = held(name) if name in TEXTS else ROBOTS[name]()
    T = reachable_pose(robot, np.random.default_rng(1), far=0.1)
    motors = motors_at(robot, T)
    found, status = assemblies(robot, motors)
    assert status is Status.COMPLETE
    assert np.abs(found - T).max((-1, -2)).min() < 1e-9
    expected = Search(robot, motors).poses(starts)
    assert_same_poses(found, expected)


def four_bar_platforms(motors: Array, starts: int) -> Array:
    """x, y and angle of the platform on three four-bar linkages, by SciPy; points of the plane are complex numbers."""
    L1, L2, A, B, C, H = 0.3, 0.3, 0.18, 0.2, 0.19, 0.08
    legs = np.exp(1j * np.pi * np.array([1 / 2, 7 / 6, 11 / 6]))

    def gaps(x: Array) -> Array:
        first = np.exp(1j * x[3:])  # the shoulder's link, seen from the stand
        rods = x[0] + 1j * x[1] + 0.15 * legs * np.exp(1j * x[2]) - legs * (0.5 + L1 * first)
        couplers = H * first - B - A * np.exp(1j * motors)
        return np.r_[np.abs(rods) ** 2 - L2**2, np.abs(couplers) ** 2 - C**2]

    rng, found = np.random.default_rng(0), np.zeros((0, 3))
    for start in np.pi * rng.uniform(-1, 1, (starts, 6)):
        end = root(gaps, start * [0.2, 0.2, 1, 1, 1, 1], tol=1e-14)
        x = np.r_[end.x[:2], np.angle(np.exp(1j * end.x[2]))]
        if np.abs(end.fun).max() < 1e-12 and (np.abs(found - x).max(-1, initial=0) > 1e-6).all():
            found = np.vstack([found, x])
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "shift", [(0.05, -0.1, 0.1), *(pytest.param(x, marks=LONG) for x in ((0.0, 0.0, 0.0), (-0.2, 0.1, 0.05)))]
)
def test_motors_of_four_bar_linkages_have_the_assemblies_that_scipy_finds(shift: tuple[float, ...]) -> None:
    robot = ROBOTS["3rrr-four-bars"]()
    motors = motors_at(robot, home(robot)) + shift
    found, status = assemblies(robot, motors)
    expected = four_bar_platforms(motors, 400)
    assert status is (Status.COMPLETE if len(expected) else Status.UNREACHABLE)
    assert len(found) == len(expected)
    own = np.c_[found[:, 0, 3], found[:, 1, 3], np.arctan2(found[:, 1, 0], found[:, 0, 0])]
    assert np.abs(own[:, None] - expected).max(-1).min(0).max() < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("name", ["6usp"])
def test_legs_of_a_higher_degree_are_searched_and_said_to_be_incomplete(name: str) -> None:
    robot = ROBOTS[name]()
    T = reachable_pose(robot, np.random.default_rng(1), far=0.1)
    motors = motors_at(robot, T)
    found, status = assemblies(robot, motors)
    assert status is Status.INCOMPLETE
    assert np.abs(found - T).max((-1, -2)).min() < 1e-9


# quadrics


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_random_quadrics_have_two_to_the_k_points(k: int) -> None:
    rng = np.random.default_rng(k)
    Q = rng.normal(size=(k, k + 1, k + 1))
    Q = Q + np.swapaxes(Q, -1, -2)
    x, complete = all_points(Q, lambda x: np.zeros(len(x), dtype=bool))
    assert complete
    assert len(x) == 2**k
    x = x / np.linalg.norm(x, axis=-1)[:, None]
    assert np.abs(np.einsum("kij,ni,nj->nk", Q, x, x)).max() < 1e-12


def test_more_quadrics_than_dimensions_leave_their_common_points() -> None:
    """Quadrics through three given points of a plane."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3, 3))
    i, j = np.triu_indices(3)
    forms = np.linalg.svd(points[:, i] * points[:, j])[2][3:]
    Q = np.zeros((3, 3, 3))
    Q[:, i, j] = forms
    x, complete = all_points((Q + np.swapaxes(Q, -1, -2)) / 2, lambda x: np.zeros(len(x), dtype=bool))
    assert complete
    scaled, wanted = x / x[:, :1], points / points[:, :1]
    assert len(x) == 3
    assert np.abs(scaled[:, None] - wanted).max(-1).min(0).max() < 1e-9


def test_values_are_checked() -> None:
    forward = symoro.forward_geometry("five-bar-legs", optimize=False).compile("numpy")
    q = [1.9, 1.2]
    assert forward(q, values={"L1_1": 0.3}).valid.sum() == forward(q).valid.sum() == 2
    assert np.abs(forward(q, values={"L1_1": 0.31}).T[0] - forward(q).T[0]).max() > 1e-3
    with raised("runtime.no_parameter", ParameterError):
        forward(q, values={"L9": 1.0})
    with pytest.raises(ParameterError, match="L1_1: positions are found for one number a parameter, not for arrays"):
        forward(q, values={"L1_1": [0.3, 0.31]})


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_the_generating_pose_of_random_robots_is_among_the_assemblies(name: str) -> None:
    forward = forward_geometry(kind(name).robot, optimize=False).compile("numpy")
    for seed in range(6):
        case = kind(name).case(seed)
        q = case.platform.q[[joint.actuated for joint in topology.movable(case.platform.robot)]]
        found = forward(q, values=case.numbers)
        assert found.status is Status.COMPLETE, seed
        assert np.nanmin(np.abs(found.T - case.platform.T).max((-1, -2))) < 1e-8, seed
