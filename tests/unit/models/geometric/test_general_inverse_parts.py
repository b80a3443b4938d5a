"""The parts of the general inverse geometric model, each against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.close import assert_close
from support.serial_arms import Peer, random_arm, random_displacement, random_positions
from symoro.errors import InputError, ShapeError
from symoro.solve.general.arrangement import Loop, arrangements, inverse, moved
from symoro.solve.general.chain import loop_of, scaled, six_joints
from symoro.solve.general.elimination import adjacent_polynomial, equations, polynomial
from symoro.solve.general.pencil import pencil, roots
from symoro.solve.general.polish import Chain, errors, forward, jacobian, motion, newton
from symoro.solve.general.representation import BACK, JOINT, gamma, monomials
from symoro.solve.general.solve import solve

Array = np.ndarray[Any, Any]
KINDS = ("RRRRRR", "PRRRRR", "RRRPRR", "RPRRPR", "RRPPRR", "PRRRRP")


def vector(p: Array, l: Array) -> Array:
    return np.concatenate([[1.0], p, l, [p @ p, p @ l], np.cross(p, l), (p @ p) * l - 2 * (p @ l) * p])


@pytest.mark.parametrize("seed", range(5))
def test_a_displacement_acts_linearly_on_the_vector_of_a_point_and_a_direction(seed: int) -> None:
    rng = np.random.default_rng(seed)
    T, p, l = random_displacement(rng, 3.0, 1.0), rng.normal(size=3), rng.normal(size=3)
    moved_point = T[:3, :3] @ p + T[:3, 3]
    assert_close(gamma(T) @ vector(p, l), vector(moved_point, T[:3, :3] @ l), 1e-14)


@pytest.mark.parametrize("kind", ["R", "P"])
def test_the_motion_of_a_joint_is_a_polynomial_in_its_monomials(kind: str) -> None:
    q = np.array([0.7])
    m, Z = monomials(kind, q)[0], motion(kind, q)[0]
    assert_close(np.tensordot(m, JOINT[kind], 1), gamma(Z), 1e-15)
    assert_close(np.tensordot(m, BACK[kind], 1), gamma(inverse(Z)), 1e-15)


def loop_at(kinds: str, seed: int) -> tuple[Loop, Array]:
    """A loop of random displacements and its positions: the last displacement closes it."""
    rng = np.random.default_rng(seed)
    arm = random_arm(kinds, rng)
    q = random_positions(arm, rng)
    chain, reach = scaled(kinds, arm.links, Peer(arm).pose(q))
    return loop_of(chain), np.where([kind == "P" for kind in kinds], q / reach, q)


def product(loop: Loop, q: Array) -> Array:
    T = np.eye(4)
    for k, kind in enumerate(loop.kinds):
        T = T @ motion(kind, q[[loop.joints[k]]])[0] @ loop.F[k]
    return T


@pytest.mark.parametrize("kinds", KINDS)
def test_every_arrangement_closes_at_the_same_positions(kinds: str) -> None:
    loop, q = loop_at(kinds, 3)
    found = list(arrangements(loop))
    assert len(found) == {0: 12, 1: 8}.get(kinds.count("P"), len(found)) >= 1
    for arrangement in found:
        assert_close(product(arrangement, q), np.eye(4), 1e-14)
        assert arrangement.kinds == "".join(kinds[j] for j in arrangement.joints)


def test_a_loop_that_is_moved_stays_near() -> None:
    loop, q = loop_at("RRRRRR", 0)
    error = np.abs(product(moved(loop, 1e-5), q) - np.eye(4)).max()
    assert 1e-6 < error < 1e-4


@pytest.mark.parametrize("kinds", KINDS)
def test_the_polynomial_is_singular_at_a_solution_and_the_pencil_has_no_more_roots(kinds: str) -> None:
    loop, q = loop_at(kinds, 1)
    for arrangement in arrangements(loop):
        adjacent = arrangement.kinds.startswith("PP")
        found = (adjacent_polynomial if adjacent else polynomial)(equations(arrangement), 0.3)
        x = np.tan((q[arrangement.joints[3 if adjacent else 2]] - 0.3) / 2)
        s = np.linalg.svd(found.at(np.array([x]))[0], compute_uv=False)
        assert s[-1] < 1e-13 * s[0]
        assert len(pencil(found)[0]) == (16 if kinds.count("P") < 2 else 8)
        assert np.abs(roots(found) - x).min() < 1e-5 * (1 + abs(x))


@pytest.mark.parametrize("kinds", ["RRRRRR", "RPRRPR", "PRP"])
def test_forward_geometry_and_jacobian_are_pinocchios(kinds: str) -> None:
    rng = np.random.default_rng(2)
    arm = random_arm(kinds, rng)
    peer, q, h = Peer(arm), random_positions(arm, rng), 1e-6
    chain = Chain(kinds, arm.links, peer.pose(q))
    assert errors(chain, q[None])[0] < 1e-14
    J = jacobian(chain, *forward(chain, q[None]))[0]
    for k, step in enumerate(h * np.eye(len(q))):
        D = (peer.pose(q + step) - peer.pose(q - step)) / (2 * h)
        assert_close(J[:3, k], D[:3, 3], 1e-8)
        assert_close(np.cross(J[3:, k], chain.pose[:3, :3], axisb=0, axisc=0), D[:3, :3], 1e-8)


def test_newton_reaches_a_branch_nearby_and_says_how_exact_it_is() -> None:
    rng = np.random.default_rng(4)
    arm = random_arm("RRPRRR", rng)
    q = random_positions(arm, rng)
    chain = Chain(arm.kinds, arm.links, Peer(arm).pose(q))
    found, error = newton(chain, (q + 1e-2)[None], 25)
    assert_close(found[0], q, 1e-11)
    assert error[0] == errors(chain, found)[0] < 1e-13


def test_virtual_joints_do_not_move_the_end_while_they_are_at_zero() -> None:
    rng = np.random.default_rng(5)
    for kinds in ("R", "RP", "PPP", "RRRR", "RRRRR"):
        arm = random_arm(kinds, rng)
        q = random_positions(arm, rng)
        six = six_joints(Chain(kinds, arm.links, Peer(arm).pose(q)))
        assert len(six.kinds) == 6
        assert errors(six, np.concatenate([q, np.zeros(6 - len(q))])[None])[0] < 1e-14


@pytest.mark.parametrize("kinds", ["", "RRRRRRR", "RXR", "PPPPRR"])
def test_kinds_that_are_not_allowed(kinds: str) -> None:
    with pytest.raises(InputError, match="one to six letters R or P, of which at most three are P"):
        solve(kinds, np.stack([np.eye(4)] * (len(kinds) + 1)), np.eye(4))


def test_shapes_and_numbers_that_are_not_allowed() -> None:
    links = np.stack([np.eye(4)] * 2)
    with pytest.raises(ShapeError, match=r"links: the shape is \(2, 4, 4\), expected is \(3, 4, 4\)"):
        solve("RR", links, np.eye(4))
    with pytest.raises(ShapeError, match=r"pose: the shape is \(3, 4\), expected is \(4, 4\)"):
        solve("R", links, np.eye(4)[:3])
    with pytest.raises(InputError, match="pose: there are elements that are not finite"):
        solve("R", links, np.full((4, 4), np.nan))
    with pytest.raises(InputError, match="links: there are elements that are not finite"):
        solve("R", np.full((2, 4, 4), np.inf), np.eye(4))


def test_the_unit_of_length_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    arm = random_arm("RRPRRR", rng)
    pose = Peer(arm).pose(random_positions(arm, rng))
    unit = np.ones((4, 4))
    unit[:3, 3] = 1000.0
    metres, millimetres = solve(*arm, pose), solve(arm.kinds, arm.links * unit, pose * unit)
    assert_close(millimetres.q, metres.q * np.array([1, 1, 1000, 1, 1, 1]), 1e-9)


def test_a_rotation_about_the_last_axis_alone() -> None:
    """One joint: the pose is in its reach for one angle, or not at all."""
    links = np.stack([np.eye(4)] * 2)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("z", 0.4).as_matrix()
    assert_close(solve("R", links, pose).q, [[0.4]], 1e-14)
    pose[0, 3] = 1e-6
    assert not len(solve("R", links, pose).q)
