"""Parallel robots without friction keep their energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.platforms import Platform, joint_positions
from symoro.model import model
from symoro.models.parallel.numbers import home
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import evaluate

Array = np.ndarray


def without_friction(name: str) -> ParallelRobot:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
    return robot.with_values({n: 0 for n in robot.values if n[:2] in ("FV", "FS")})


def energy(robot: ParallelRobot, T: Array, V: Array) -> float:
    """Kinetic energy by the multiplier model's matrix, potential energy of all bodies by hand."""
    platform = Platform(robot, T, joint_positions(robot, T))
    u = platform.velocities(V)
    M, _ = platform.equations(np.zeros_like(u))
    o, numbers = platform.legs, platform.numbers
    g = np.array([evaluate(x, numbers) for x in robot.gravity])
    total = 0.5 * u @ M @ u
    for j in range(1, robot.link_count + 1):
        body = {n: evaluate(x, numbers) for n, x in robot.inertia(j).items()}
        at = o.data.oMi[o.joint_of[j]] * o.pose_in[j]
        total -= g @ (body["M"] * at.translation + at.rotation @ [body["MX"], body["MY"], body["MZ"]])
    own = {n: evaluate(x, numbers) for n, x in robot.platform.items()}
    return float(total - g @ (own["M"] * T[:3, 3] + T[:3, :3] @ [own["MX"], own["MY"], own["MZ"]]))


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
    f = model("direct_dynamics", robot).compile()
    rest = model("gravity", robot, space="motors").compile()(home(robot))
    inverse = symoro.inverse_geometry(robot).compile("llvm")
    at, (stiffness, V0) = home(robot), STARTS[name]
    q0 = inverse(at).q[0]

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
