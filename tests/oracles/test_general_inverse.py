"""The general inverse geometric model finds every branch: published cases, and Pinocchio from many starts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from support.close import assert_close
from support.samples import some
from support.serial_arms import (
    OFFSET_WRIST,
    PUMA,
    SPECIAL,
    UR5,
    Arm,
    Peer,
    arm_dh,
    arm_mdh,
    disturbed,
    nearest_rotation,
    random_arm,
    random_positions,
)
from symoro.solve.general.solve import GeneralBranches, solve

Array = np.ndarray[Any, Any]


def pose(*rows: tuple[float, ...]) -> Array:
    return nearest_rotation(np.array([*rows, (0.0, 0.0, 0.0, 1.0)]))


MANOCHA_CANNY = pose(
    (-0.760117, -0.641689, 0.102262, -1.140175), (0.133333, 0.0, 0.991071, 0.0), (-0.635959, 0.766965, 0.085558, 0.0)
)
TSAI_MORGAN = pose(
    (-0.71511545, -0.69899036, 0.00473084, 0.22441776),
    (0.65150320, -0.66895464, -0.35783135, 0.71549788),
    (0.25328538, -0.25280857, 0.93377425, 0.79551628),
)
RAGHAVAN_ROTH = pose(
    (-0.4435, -0.6171, 0.65, -1.443), (-0.1837, 0.7724, 0.608, 0.4665), (-0.8773, 0.1502, -0.4559, -2.0579)
)
SIXTEEN = ((0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0))

PUBLISHED = {
    "Manocha-Canny": (arm_dh(*SIXTEEN, (90, 1, 90, 1, 90, 1)), MANOCHA_CANNY, 16),
    "Manseur-Doty": (arm_dh(*SIXTEEN, (90, 0, 90, 0, 90, 0)), MANOCHA_CANNY, 16),
    "Tsai-Morgan a": (
        arm_dh((0, 1, -0.047, 0, 0, 0), (0, 0.345, 0, 1, 0, 0.13), (-90, 0, 90, -90, 90, 0)),
        TSAI_MORGAN,
        8,
    ),
    "Tsai-Morgan b": (
        arm_dh((0.45, 0.55, 0.75, 0.75, 0.55, 0.45), (0.5, 0.6, 0.4, 1, 0.4, 0.6), (80, 93, 120, 120, 93, 80)),
        TSAI_MORGAN,
        6,
    ),
    "Tsai-Morgan c": (
        arm_dh(
            (0.5, 1, 0.125, 0.625, 0.3125, 0.25), (0.1875, 0.375, 0.25, 0.875, 0.5, 0.125), (80, 15, 120, 75, 100, 60)
        ),
        TSAI_MORGAN,
        12,
    ),
    "Raghavan-Roth": (
        arm_dh(
            (1.46, 0.56, 0.38, 0.56, 1.08, 0.67),
            (0.21, 0, 0.29, -0.54, 0, 0.48),
            (135, 78, 23, 46, 35, 47),
            "RPRRPR",
            (0, 65, 0, 0, 54, 0),
        ),
        RAGHAVAN_ROTH,
        2,
    ),
}


def certified(arm: Arm, wanted: Array, found: GeneralBranches, tolerance: float = 1e-12) -> Peer:
    """Assert that every branch has the pose, says Pinocchio, and that no two are alike."""
    peer = Peer(arm)
    for k, q in enumerate(found.q):
        assert_close(peer.pose(q), wanted, tolerance)
        assert all(peer.apart(q, other) > 1e-6 for other in found.q[:k])
    return peer


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers_of_branches(name: str) -> None:
    arm, wanted, count = PUBLISHED[name]
    found = solve(*arm, wanted)
    certified(arm, wanted, found)
    assert len(found.q) == count
    assert not found.continuum


def generating_is_found(arm: Arm, rng: np.random.Generator) -> tuple[Peer, Array, GeneralBranches]:
    peer, q = Peer(arm), random_positions(arm, rng)
    found = solve(*arm, peer.pose(q))
    certified(arm, peer.pose(q), found)
    assert min(peer.apart(q, branch) for branch in found.q) < 1e-8
    return peer, peer.pose(q), found


ALL_KINDS = ["".join(kinds) for n in range(1, 7) for kinds in product("RP", repeat=n) if kinds.count("P") <= 3]


@pytest.mark.parametrize("kinds", ALL_KINDS)
def test_the_generating_configuration_is_found_for_all_kinds_of_arms(kinds: str) -> None:
    rng = np.random.default_rng(len(kinds))
    _, _, found = generating_is_found(random_arm(kinds, rng), rng)
    assert not found.continuum


@pytest.mark.parametrize("seed", some(5, 200))
def test_the_generating_configuration_of_a_random_arm_with_six_revolute_joints_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, _, found = generating_is_found(random_arm("RRRRRR", rng), rng)
    assert len(found.q) % 2 == 0


def no_more_are_found(arm: Arm, seed: int, starts: int = 120) -> None:
    """A search that shares nothing with symoro finds no other branch."""
    rng = np.random.default_rng(seed)
    peer, wanted, found = generating_is_found(arm, rng)
    for q in peer.branches(wanted, starts, rng):
        assert min(peer.apart(q, branch) for branch in found.q) < 1e-6


SOME_KINDS = ("RRRRRR", "RRPRRR", "PRRRRR", "RPRRPR", "RRPPRR", "PRPRRP", "RRRRR", "RPRRR", "RRRR", "RRP")


@pytest.mark.parametrize("seed", some(1, 20))
@pytest.mark.parametrize("kinds", SOME_KINDS)
def test_many_starts_find_no_other_branch_of_a_random_arm(kinds: str, seed: int) -> None:
    no_more_are_found(random_arm(kinds, np.random.default_rng(seed)), seed)


@pytest.mark.parametrize("seed", some(1, 20))
@pytest.mark.parametrize("name", SPECIAL)
def test_many_starts_find_no_other_branch_of_an_arm_with_special_geometry(name: str, seed: int) -> None:
    no_more_are_found(SPECIAL[name], seed)


@pytest.mark.parametrize("seed", some(1, 10))
@pytest.mark.parametrize("size", [4e-6, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("name", ["puma", "ur5", "kr6", "offset-wrist", "60-degree"])
def test_many_starts_find_no_other_branch_of_a_calibrated_arm(name: str, size: float, seed: int) -> None:
    no_more_are_found(disturbed(SPECIAL[name], size, np.random.default_rng(seed)), seed)


FEWER = {
    "youbot": (arm_mdh([0, -90, 0, 0, -90], [0, 0.033, 0.155, 0.135, 0], [0.147, 0, 0, 0, 0.2], "RRRRR"), (2, 4)),
    "scara": (arm_mdh([0, 0, 0, 180], [0, 0.325, 0.275, 0], [0, 0, 0, 0], "RRRP"), (2,)),
    "planar": (arm_mdh([0, 0, 0], [0, 0.5, 0.4], [0, 0, 0], "RRR"), (2,)),
    "cylinder": (arm_mdh([0, 0, 90], [0, 0.1, 0], [0, 0, 0], "RPP"), (1,)),
    "gantry": (arm_mdh([0, 90, 90], [0, 0, 0], [0, 0, 0], "PPP", (0, 90, 90)), (1,)),
    "spherical": (arm_mdh([0, -90, 90], [0, 0, 0], [0.2, 0, 0], "RRR"), (2,)),
}


@pytest.mark.parametrize("seed", some(2, 20))
@pytest.mark.parametrize("name", FEWER)
def test_arms_with_fewer_joints_and_special_geometry(name: str, seed: int) -> None:
    arm, counts = FEWER[name]
    no_more_are_found(arm, seed, 30)
    assert len(generating_is_found(arm, np.random.default_rng(seed))[2].q) in counts


@pytest.mark.parametrize("name", ["youbot", "scara", "planar"])
def test_a_pose_outside_of_what_fewer_joints_reach_has_no_branch(name: str) -> None:
    arm, _ = FEWER[name]
    wanted = Peer(arm).pose(np.full(len(arm.kinds), 0.5)) @ np.diag([1.0, -1.0, -1.0, 1.0])
    wanted[:3, :3] = wanted[:3, :3] @ Peer(OFFSET_WRIST).pose(np.full(6, 0.3))[:3, :3]
    assert not len(solve(*arm, wanted).q)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_pose_out_of_reach_has_no_branch(name: str) -> None:
    wanted = Peer(SPECIAL[name]).pose(np.full(6, 0.5))
    wanted[:3, 3] *= 20
    assert not len(solve(*SPECIAL[name], wanted).q)


# singular poses


@pytest.mark.parametrize("seed", some(3, 40))
@pytest.mark.parametrize("name", SPECIAL)
def test_singular_poses_have_certified_branches(name: str, seed: int) -> None:
    arm, rng = SPECIAL[name], np.random.default_rng(seed)
    peer, q = Peer(arm), rng.integers(-3, 5, 6) * np.pi / 4
    found = solve(*arm, peer.pose(q))
    assert len(found.q)
    certified(arm, peer.pose(q), found, 1e-9)
    assert found.continuum or min(peer.apart(q, branch) for branch in found.q) < 1e-4


def test_the_wrist_of_a_puma_is_free_where_its_axes_are_in_line() -> None:
    wanted = Peer(PUMA).pose(np.array([0.3, -0.8, 0.4, 0.7, 0.0, 0.2]))
    found = solve(*PUMA, wanted)
    assert found.continuum
    free = found.free[found.free.any(axis=1)]
    assert len(free) == 1
    assert_close(np.abs(free[0]), np.array([0, 0, 0, 1, 0, 1]) / np.sqrt(2), 1e-9)
    assert free[0, 3] * free[0, 5] < 0


@pytest.mark.parametrize("arm", [PUMA, UR5])
def test_a_self_motion_keeps_the_pose(arm: Arm) -> None:
    """Pinocchio: along the direction the pose changes with the square of the way at most."""
    peer = Peer(arm)
    wanted = peer.pose(np.array([0.3, -0.8, 0.9, 0.7, 0.0, 0.2]))
    found = solve(*arm, wanted)
    assert found.continuum
    for branch, free in zip(found.q, found.free, strict=True):
        if free.any():
            assert np.abs(peer.pose(branch + 1e-5 * free) - wanted).max() < 1e-9


def test_a_stretched_elbow_is_an_isolated_double_branch() -> None:
    arm = arm_mdh([0, -90, 0, -90, 90, -90], [0, 0.1, 0.45, 0, 0, 0], [0.3, 0, 0, 0.4, 0, 0.08])
    q = np.array([0.3, -0.8, -np.pi / 2, 0.7, 0.9, 0.2])
    peer = Peer(arm)
    found = solve(*arm, peer.pose(q))
    certified(arm, peer.pose(q), found, 1e-12)
    assert not found.continuum
    assert min(peer.apart(q, branch) for branch in found.q) < 1e-6
    assert sum(peer.apart(q, branch) < 1e-2 for branch in found.q) == 1


def test_two_joints_on_one_axis_are_a_continuum() -> None:
    arm = arm_mdh([0, 0, 90, 0, 90, -90], [0, 0, 0.1, 0.4, 0.1, 0], [0.1, 0.1, 0, 0.2, 0.1, 0.1])
    found = solve(*arm, Peer(arm).pose(np.full(6, 0.4)))
    assert found.continuum
    assert_close(np.abs(found.free[0]), np.array([1, 1, 0, 0, 0, 0]) / np.sqrt(2), 1e-9)
