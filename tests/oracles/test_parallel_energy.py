"""Parallel robots without friction keep their energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions, reachable_pose
from support.samples import named
from symoro.models.parallel.platform import home
from symoro.robot import library
from symoro.robot.robot import Robot
from symoro.solve.given import model

Array = np.ndarray


def without_friction(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot.with_values({n: 0 for n in robot.values if n[:2] in ("FV", "FS")})


def energy(robot: Robot, T: Array, V: Array) -> float:
    """Kinetic and potential energy of all bodies, by Pinocchio."""
    platform = Platform(robot, T, joint_positions(robot, T))
    u = platform.velocities(V)
    found = platform.energies(u)
    return found["E"] + found["U"]


#: The stiffness of springs on the motors, and the velocity of the platform at the start.
STARTS = {
    "gough-stewart": (2000.0, [0.1, -0.05, 0.1, 0.1, 0.1, -0.1]),
    "delta": (60.0, [0.1, -0.05, 0.1, 0, 0, 0]),
    "planar-3rrr": (40.0, [0.1, -0.05, 0, 0, 0, 0.3]),
    "orthoglide-legs": (500.0, [0.1, -0.05, 0.1, 0, 0, 0]),
}


@pytest.mark.long
@pytest.mark.parametrize("name", STARTS)
def test_energy_is_kept_over_ten_seconds(name: str) -> None:
    """Springs on the motors keep the platform near home; their energy is counted."""
    robot = without_friction(name)
    if name == "delta":  # the motion stays away from singularities with folded cranks
        robot = robot.in_branch(0)
    f = model("direct_dynamics", robot).compile()
    rest = model("gravity", robot, space="motors").compile()(home(robot))
    inverse = symoro.inverse_geometry(robot).compile("llvm")
    at, (stiffness, V0) = home(robot), STARTS[name]
    q0 = inverse(at).q[(robot.branch or (0,))[0]]  # of its working mode

    def pose(x: Array) -> Array:
        T = np.eye(4)
        a, b, c, d = x[3:7] / np.linalg.norm(x[3:7])
        T[:3, :3] = [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
        T[:3, 3] = x[:3]
        return T

    def slope(_: float, x: Array) -> Array:
        T, V = pose(x), x[7:]
        tau = rest - stiffness * (inverse(T).q[0] - q0)
        a, (p, q, r) = x[3], x[4:7]
        w = V[3:]
        turned = 0.5 * np.r_[-w @ x[4:7], a * w + np.cross(w, [p, q, r])]
        return np.r_[V[:3], turned, f(T, V, tau)]

    start = np.r_[at[:3, 3], 1, 0, 0, 0, V0]
    run = solve_ivp(slope, (0, 10), start, method="DOP853", rtol=1e-11, atol=1e-12)

    def total(x: Array) -> float:
        q = inverse(pose(x)).q[0]
        springs = 0.5 * stiffness * ((q - q0) ** 2).sum() - rest @ (q - q0)
        return energy(robot, pose(x), x[7:]) + springs

    first, last = total(run.y[:, 0]), total(run.y[:, -1])
    assert run.success
    assert abs(last - first) <= 1e-6 * (1 + abs(first))


@pytest.mark.parametrize("name", named(list(library.parallel_names()), set(library.parallel_names()) - {"3rps"}))
def test_energies_are_those_of_all_bodies(name: str) -> None:
    robot = symoro.load(name)
    assert robot.platforms
    f = model("energies", robot, optimize=False).compile("numpy")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        T = reachable_pose(robot, rng)
        platform = Platform(robot, T, joint_positions(robot, T))
        S = platform.freedoms()
        V = S @ rng.normal(size=S.shape[1])
        found = f(T, V)
        assert_close(found.E + found.U, energy(robot, T, V), 1e-10)
        assert_close(found.U, energy(robot, T, np.zeros(6)), 1e-10)
