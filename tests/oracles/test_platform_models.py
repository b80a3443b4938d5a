"""Models of platforms beside their dynamics, against Pinocchio's legs, sums over links and finite differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array
from support.loop_legs import pose_near_home, random_robot
from support.platform_links import Links, links, turned, weight
from support.platforms import Platform, joint_positions, random_motion, with_random_inertias
from support.samples import named
from symoro.errors import NotApplicable
from symoro.models.catalogue import find
from symoro.models.parallel.platform import moved
from symoro.robot import library
from symoro.robot.values import evaluate
from symoro.runtime import Function
from symoro.solve.given import model as make

QUICK = ("3rps", "orthoglide-legs")
#: Twelve motors; the dynamics of this robot are among the long tests of parallel dynamics.
LARGEST = {"cooperating-arms"}
ROBOTS = pytest.mark.parametrize(
    "name", named(library.parallel_names(), set(library.parallel_names()) - {*QUICK}, LARGEST)
)
OVERDETERMINED = ("agile-eye", "delta-parallelogram", "five-bar-legs", "planar-3rrr")
STEP = 1e-6


@cache
def function(name: str, row: str, **options: Any) -> Function:
    return make(row, name, optimize=False, **options).compile("numpy")


@cache
def state(name: str) -> Links:
    return links(symoro.load(name), 1)[0]


def value(name: str, row: str, *inputs: Array, **options: Any) -> Any:
    """The model at inputs, with the bodies of the random robot."""
    return function(name, row, **options)(*inputs, values=state(name).platform.numbers)


def some_links(at: Links) -> list[int]:
    """The first and the last link of the first leg that moves, and the platform."""
    first = [j for j in at.robot.groups[1].joints if j < at.robot.link_count and at.robot.joint(j).movable]
    return list(dict.fromkeys((first[0], first[-1], at.robot.link_count)))


def along(at: Links, f: Callable[[Array, Array], Array]) -> Array:
    """The rate of f(T, V) in the motion."""
    T, V, VP = at.platform.T, at.V, at.VP
    ends = [f(moved(T, h * V), V + h * VP) for h in (STEP, -STEP)]
    return (np.asarray(ends[0]) - np.asarray(ends[1])) / (2 * STEP)


@ROBOTS
def test_poses_of_links(name: str) -> None:
    at = state(name)
    T, last = at.platform.T, at.robot.link_count
    for link in some_links(at):
        pose = at.frame(link)[0]
        assert_close(value(name, "forward_geometry", T, link=link), pose, 1e-10)
        assert_close(value(name, "transform", T, i=last, j=link), np.linalg.inv(T) @ pose, 1e-10)
    searched = make("forward_geometry", name, link=1).compile()
    assert_close(searched(T, values=at.platform.numbers), at.frame(1)[0], 1e-10)
    assert_close(value(name, "forward_geometry", T, link="platform"), T, 1e-12)


@ROBOTS
def test_velocities_and_accelerations_of_links(name: str) -> None:
    at = state(name)
    T, V, VP = at.platform.T, at.V, at.VP
    frames = [at.frame(link) for link in range(1, at.robot.link_count + 1)]
    assert_close(value(name, "velocities", T, V), [turned(p[:3, :3], v) for p, v, _, _ in frames], 1e-9)
    assert_close(value(name, "accelerations", T, V, VP), [turned(p[:3, :3], a) for p, _, a, _ in frames], 1e-8)
    for link in some_links(at):
        _, v, a, _ = at.frame(link)
        assert_close(value(name, "velocities", T, V, link=link, frame=0), v, 1e-9)
        R = T[:3, :3]
        seen = value(name, "accelerations", T, V, VP, link=link, frame=at.robot.link_count)
        assert_close(seen, turned(R, a), 1e-8)


@pytest.mark.long
@ROBOTS
def test_jacobian_matrices_of_links(name: str) -> None:
    """J q̇_a is the velocity of the link; the inverse gives the least q̇_a for it; W is of the singular values."""
    at = state(name)
    T, V, motors = at.platform.T, at.V, at.platform.motors()
    onto = np.linalg.pinv(motors.T @ at.G)
    for link in some_links(at):
        pose, v, a, J = at.frame(link)
        found = value(name, "jacobian", T, link=link)
        assert_close(found, J @ at.G @ onto, 1e-8)
        assert_close(found @ at.motors, v, 1e-8)
        if motors.shape[1] == len(at.left):  # redundant motors have no accelerations of their own
            drift = value(name, "jdot_qdot", T, V, link=link, frame=0)
            assert_close(found @ (motors.T @ at.ud) + drift, a, 1e-7)
        inverse = value(name, "jacobian_inverse", T, link=link)
        assert_close(inverse @ found, np.linalg.pinv(found, rcond=1e-9) @ found, 1e-7)
        values = np.linalg.svd(found, compute_uv=False)
        assert_close(value(name, "manipulability", T, link=link), np.prod(values[values > 1e-9]), 1e-8)
        R = pose[:3, :3]
        in_own = value(name, "jacobian", T, link=link, frame=link)
        assert_close(in_own, np.vstack([R.T @ found[:3], R.T @ found[3:]]), 1e-8)


@ROBOTS
def test_the_determinant_is_that_of_the_rows_that_move(name: str) -> None:
    at = state(name)
    J = value(name, "jacobian", at.platform.T)
    freedom = len(at.left)
    rows = np.abs(J).max(axis=1) > 1e-9
    square = J[rows] if rows.sum() == freedom else J[:3][rows[:3]]  # the position, where rotations follow
    if len(square) == J.shape[1]:
        expected = abs(np.linalg.det(square))
    else:
        expected = abs(np.linalg.det(square @ square.T if len(square) < J.shape[1] else square.T @ square))
    assert_close(abs(value(name, "jacobian_determinant", at.platform.T)), expected, 1e-7)


def angles(R: Array) -> Array:
    return np.array(
        [np.arctan2(R[2, 1], R[2, 2]), np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])), np.arctan2(R[1, 0], R[0, 0])]
    )


@ROBOTS
def test_analytical_jacobian(name: str) -> None:
    at = state(name)
    for link in some_links(at):
        pose, v, _, _ = at.frame(link)
        if np.hypot(pose[0, 0], pose[1, 0]) < 1e-6:  # roll, pitch, yaw have no rates there
            continue
        ends = [angles(moved(pose, h * v)[:3, :3]) for h in (STEP, -STEP)]
        found = value(name, "analytical_jacobian", at.platform.T, link=link) @ at.motors
        assert_close(found, np.r_[v[:3], (ends[0] - ends[1]) / (2 * STEP)], 1e-6)


@pytest.mark.long
@ROBOTS
def test_operational_space(name: str) -> None:
    """Λ, μ and p of Khatib with the matrix and the forces of Lagrange multipliers."""
    at = state(name)
    M, h = at.platform.equations(at.u)
    heavy, friction = weight(at), np.r_[at.joint_forces("friction"), np.zeros(6)]
    A = np.linalg.inv(at.G.T @ M @ at.G)
    for link in some_links(at):
        _, _, a, J = at.frame(link)
        Jc = J @ at.G
        Lambda = np.linalg.pinv(Jc @ A @ Jc.T, rcond=1e-9)
        drift = a - J @ at.ud + J @ at.coasting
        C = at.G.T @ (h - heavy - friction + M @ at.coasting)
        found = value(name, "operational_dynamics", at.platform.T, at.V, link=link)
        assert_close(found.LAMBDA, Lambda, 1e-7)
        assert_close(found.MU, Lambda @ (Jc @ A @ C - drift), 1e-7)
        assert_close(found.P, Lambda @ Jc @ A @ at.G.T @ heavy, 1e-7)
        assert_close(value(name, "operational_inertia", at.platform.T, link=link), Lambda, 1e-7)


@pytest.mark.long
@ROBOTS
def test_payloads(name: str) -> None:
    """The weight of the payload does the work of the torques in every motion."""
    at = state(name)
    g, payload = gravity(at), np.array([1.7, 0.1, -0.2, 0.3])
    for link in some_links(at):
        pose, _, _, J = at.frame(link)
        arm = pose[:3, :3] @ payload[1:]
        point = J[:3] + np.cross(J[3:], arm, axisa=0, axisc=0)
        needed = -payload[0] * point.T @ g
        assert_close(value(name, "payload_torques", at.platform.T, payload, link=link), at.G.T @ needed, 1e-9)
        at_motors = value(name, "payload_torques", at.platform.T, payload, link=link, space="motors")
        assert_close(at_motors, at.at_motors(needed), 1e-8)


@ROBOTS
def test_centre_of_mass_and_momentum_are_sums_over_links(name: str) -> None:
    at = state(name)
    T, V = at.platform.T, at.V
    mass, moments, p, l = at.sums()
    centre = moments / mass
    assert_close(value(name, "centre_of_mass", T), centre, 1e-10)
    assert_close(value(name, "centre_of_mass_jacobian", T) @ V[at.left], p / mass, 1e-9)
    momentum = np.r_[p, l - np.cross(centre, p)]
    assert_close(value(name, "centroidal_momentum", T, V), momentum, 1e-9)
    assert_close(value(name, "centroidal_momentum_matrix", T) @ V[at.left], momentum, 1e-9)


@pytest.mark.long
@ROBOTS
def test_coriolis_matrix(name: str) -> None:
    """C v are the Coriolis torques, and Ȧ − 2C is skew-symmetric along the motion."""
    at = state(name)
    M, h = at.platform.equations(at.u)
    friction = np.r_[at.joint_forces("friction"), np.zeros(6)]
    torques = at.G.T @ (h - weight(at) - friction + M @ at.coasting)
    C = value(name, "coriolis", at.platform.T, at.V)
    assert_close(value(name, "coriolis_torques", at.platform.T, at.V), torques, 1e-8)
    assert_close(C @ at.V[at.left], torques, 1e-8)
    change = along(at, lambda T, _: value(name, "inertia_matrix", T))
    skew = change - 2 * C
    assert np.abs(skew + skew.T).max() <= 1e-6 * (1 + np.abs(change).max())


@ROBOTS
def test_friction_and_motor_torques(name: str) -> None:
    at = state(name)
    T, V, VP = at.platform.T, at.V, at.VP
    rubbing = np.r_[at.joint_forces("friction"), np.zeros(6)]
    assert_close(value(name, "friction", T, V), at.at_motors(rubbing), 1e-8)
    assert_close(value(name, "motor_torques", T, V, VP), value(name, "inverse_dynamics", T, V, VP), 1e-12)


def parameters(name: str, row: str, at: Links, **options: Any) -> Array:
    return np.array([at.platform.numbers[column] for column in make(row, name, optimize=False, **options).columns])


@ROBOTS
def test_filtered_regressor(name: str) -> None:
    """d(D1 K)/dt + D2 K is what the coordinates need: the torques of the motors, carried over to them."""
    at = state(name)
    K = parameters(name, "filtered_regressor", at)
    rate = along(at, lambda T, V: value(name, "filtered_regressor", T, V).D1 @ K)
    D2 = value(name, "filtered_regressor", at.platform.T, at.V).D2
    GAM = value(name, "inverse_dynamics", at.platform.T, at.V, at.VP)
    assert_close(rate + D2 @ K, at.G.T @ at.platform.motors() @ GAM, 1e-6)


@ROBOTS
def test_energy_and_power_regressors(name: str) -> None:
    """h K is the energy, its rate and the power of friction are the power of the motors, as is dh K."""
    at = state(name)
    T, V, VP = at.platform.T, at.V, at.VP
    power = value(name, "inverse_dynamics", T, V, VP) @ at.motors
    assert_close(value(name, "power_regressor", T, V, VP) @ parameters(name, "power_regressor", at), power, 1e-9)
    columns = make("energy_regressor", name, optimize=False).columns
    found = value(name, "energy_regressor", T, V)
    count = found.h.shape[-1] if hasattr(found, "h") else len(found)
    h, lost = (found.h, found.hf) if hasattr(found, "h") else (found, np.zeros(0))
    K = np.array([at.platform.numbers[column] for column in columns])
    energies = value(name, "energies", T, V)
    assert_close(h @ K[:count], energies.E + energies.U, 1e-9)
    assert_close(lost @ K[count:], at.joint_forces("friction") @ at.u[: at.n], 1e-9)
    other = moved(T, 0.01 * V)
    row = value(name, "energy_difference_regressor", T, V, other, 2 * V)
    later = function(name, "energies")(other, 2 * V, values=at.platform.numbers)
    difference = later.E + later.U - energies.E - energies.U
    assert_close(row @ parameters(name, "energy_difference_regressor", at), difference, 1e-8)


@ROBOTS
def test_reactions(name: str) -> None:
    """Along the joints reactions are the torques, nothing holds the platform but the legs, and together they carry it.

    The wrenches on the first links of the legs are the change of the momentum of all links, less their weight.
    """
    at = state(name)
    T, V, VP = at.platform.T, at.V, at.VP
    if name in OVERDETERMINED:
        for row in ("reactions", "direct_reactions", "cut_wrenches"):
            with pytest.raises(NotApplicable, match="not determined by rigid bodies"):
                make(row, name, optimize=False)
            assert "not determined by rigid bodies" in str(find(row).reason(at.robot))
        return
    R = value(name, "reactions", T, V, VP)
    scale = 1 + np.abs(R).max()
    assert np.abs(R[-1]).max() < 1e-8 * scale
    GAM = value(name, "inverse_dynamics", T, V, VP)
    needed = at.platform.motors()[: at.n] @ GAM - at.joint_forces("rotors") - at.joint_forces("friction")
    joints = [joint for joint in at.robot.joints[: at.robot.link_count] if joint.movable]
    axial = np.array([R[joint.index - 1][2 if joint.prismatic else 5] for joint in joints])
    assert np.abs(axial - needed).max() < 1e-8 * scale
    total = np.zeros(6)
    for joint in at.robot.joints[: at.robot.link_count - 1]:
        if joint.parent == 0:
            pose = at.frame(joint.index)[0]
            f, m = pose[:3, :3] @ R[joint.index - 1][:3], pose[:3, :3] @ R[joint.index - 1][3:]
            total += np.r_[f, m + np.cross(pose[:3, 3], f)]
    assert np.abs(total - momentum_change(at)).max() < 1e-6 * scale
    again = value(name, "direct_reactions", T, V, GAM)
    assert np.abs(again.R - R).max() < 1e-6 * scale
    assert_close(again.VP, VP, 1e-7)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["spatial coupler", "spatial forearm"])
def test_reactions_of_legs_with_loops(kind: str) -> None:
    """With the wrenches in the cut joints of the legs' loops, joints without motors carry nothing along their axes."""
    rng = np.random.default_rng(1)
    robot = with_random_inertias(random_robot(kind, 1), rng)
    T = pose_near_home(robot, rng)
    platform = Platform(robot, T, joint_positions(robot, T))
    V, VP, u, ud = random_motion(platform, rng)
    at = Links(platform, u, ud)
    R = make("reactions", robot, optimize=False).compile("numpy")(T, V, VP)
    GAM = make("inverse_dynamics", robot, optimize=False).compile("numpy")(T, V, VP)
    needed = platform.motors()[: at.n] @ GAM - at.joint_forces("rotors") - at.joint_forces("friction")
    joints = [joint for joint in robot.joints[: robot.link_count] if joint.movable]
    axial = np.array([R[joint.index - 1][2 if joint.prismatic else 5] for joint in joints])
    assert np.abs(axial - needed).max() < 1e-8 * (1 + np.abs(R).max())


def gravity(at: Links) -> Array:
    return np.array([evaluate(x, at.platform.numbers) for x in at.robot.gravity])


def momentum_change(at: Links) -> Array:
    """d[p; l]/dt about the origin of frame 0, less the wrench of the weights, by hand."""
    g, total = gravity(at), np.zeros(6)
    for link in range(1, at.robot.link_count + 1):
        pose, v, a, _ = at.frame(link)
        M, MS, J = at.inertia(link)
        w, wd = v[3:], a[3:]
        f = M * (a[:3] - g) + np.cross(wd, MS) + np.cross(w, np.cross(w, MS))
        m = J @ wd + np.cross(w, J @ w) + np.cross(MS, a[:3] - g)
        total += np.r_[f, m + np.cross(pose[:3, 3], f)]
    return total


@ROBOTS
def test_velocities_of_joints_for_those_of_the_motors(name: str) -> None:
    at = state(name)
    found = value(name, "loop_kinematics", at.platform.T)
    driven = at.platform.motors()[: at.n].any(axis=1)
    assert_close(found.G @ at.motors, at.u[: at.n], 1e-8)
    if driven.all():
        assert found.W.size == 0
    else:
        assert_close(found.W @ at.motors, at.u[: at.n][~driven], 1e-8)


@ROBOTS
def test_derivatives_by_the_pose_are_along_motions_of_the_platform(name: str) -> None:
    """∂U/∂T has a column for each coordinate that is left: they are the torques against gravity."""
    at = state(name)
    slope = make("energies", name, optimize=False).derivative("T").compile("numpy")
    found = slope(at.platform.T, at.V, values=at.platform.numbers)
    assert_close(found.dU_dT, value(name, "gravity", at.platform.T), 1e-9)
    still = Links(at.platform, at.u, 0 * at.ud)
    assert_close(found.dE_dT @ at.V[at.left], along(still, lambda T, V: value(name, "energies", T, V).E), 1e-6)
