"""Parallel robots without motors' forces keep their energy; and they are what closed loops of the same bodies are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions, reachable_pose
from support.samples import named
from symoro.model import model
from symoro.models.parallel.numbers import home
from symoro.robot import library
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Cut, Robot
from symoro.robot.values import as_value, evaluate

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


@pytest.mark.long
@pytest.mark.parametrize("name", ["gough-stewart", "delta"])
def test_energy_is_kept_over_ten_seconds(name: str) -> None:
    """Springs on the motors keep the platform near home; their energy is counted."""
    robot = without_friction(name)
    f = model("direct_dynamics", robot).compile()
    rest = model("gravity", robot, space="motors").compile()(home(robot))
    inverse = symoro.inverse_geometry(robot).compile("llvm")
    at, stiffness = home(robot), 2000.0 if name == "gough-stewart" else 60.0
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

    start = np.r_[at[:3, 3], 1, 0, 0, 0, 0.1, -0.05, 0.1, *([0.1, 0.1, -0.1] if name == "gough-stewart" else [0] * 3)]
    run = solve_ivp(slope, (0, 10), start, method="DOP853", rtol=1e-11, atol=1e-12)

    def total(x: Array) -> float:
        q = inverse(pose(x)).q[0]
        springs = 0.5 * stiffness * ((q - q0) ** 2).sum() - rest @ (q - q0)
        return energy(robot, pose(x), x[7:]) + springs

    first, last = total(run.y[:, 0]), total(run.y[:, -1])
    assert run.success
    assert abs(last - first) <= 1e-6 * (1 + abs(first))


def as_loops(robot: ParallelRobot) -> Robot:
    """The planar robot of the library as a tree with cut joints: its platform is a link of the first leg."""
    legs, n = len(robot.legs), robot.link_count
    joints = list(robot.joints)
    length = {i: as_value(f"L2_{i}") for i in range(1, legs + 1)}
    last = [robot.first_joints[i] + robot.legs[i].link_count for i in range(legs)]
    joints.append(Joint(n + 1, "platform", last[0], JointKind.REVOLUTE, False, d=length[1]))
    count = n + 1
    for i in range(1, legs):
        joints.append(Joint(count + i, f"cut {i}", last[i], JointKind.REVOLUTE, False, d=length[i + 1]))
    angles = ["pi/2", "7*pi/6", "11*pi/6"]
    for i in range(1, legs):
        # seen from the platform's joint, whose frame is at the first attachment and turned as the platform
        x = f"0.15*cos({angles[i]}) - 0.15*cos({angles[0]})"
        y = f"0.15*sin({angles[i]}) - 0.15*sin({angles[0]})"
        joints.append(
            Joint(
                count + legs - 1 + i,
                f"mate {i}",
                count,
                JointKind.FIXED,
                gamma=as_value(f"atan2({y}, {x})"),
                d=as_value(f"sqrt(({x})^2 + ({y})^2)"),
            )
        )
    p = {name: as_value(f"{name}P") for name in Inertia.names()}
    a = 0.15  # the platform's origin is at (0, −a) from its first attachment
    numbers = robot.values.numbers()
    M, MX, MY = (numbers[f"{name}P"] for name in ("M", "MX", "MY"))
    moved = replace(
        Inertia(**p),
        MY=as_value(MY - a * M),
        ZZ=as_value(numbers["ZZP"] + M * a * a - 2 * a * MY),
        XY=as_value(numbers["XYP"] + a * MX),
        XX=as_value(numbers["XXP"] + M * a * a - 2 * a * MY),
        YZ=as_value(numbers["YZP"] + a * numbers["MZP"]),
    )
    return Robot(
        "loops",
        tuple(joints),
        (*robot.inertias, moved),
        (*robot.drives, *Robot("one", (Joint(1, "one", 0),)).drives),
        gravity=robot.gravity,
        cuts=tuple(Cut(count + i, count + legs - 1 + i) for i in range(1, legs)),
        values=robot.values,
    )


@pytest.mark.long
def test_the_planar_robot_is_that_of_closed_loops() -> None:
    robot = symoro.load("planar-3rrr")
    assert isinstance(robot, ParallelRobot)
    loops = as_loops(robot)
    f = model("inverse_dynamics", loops, optimize=False).compile("numpy")
    g = model("inverse_dynamics", robot, optimize=False).compile("numpy")
    J = model("jacobian_inverse", robot, optimize=False).compile("numpy")
    drift = model("jdot_qdot", robot, optimize=False).compile("numpy")
    for seed in range(50):
        rng = np.random.default_rng(seed)
        x, y, angle = rng.uniform(-0.05, 0.05, 3)
        T = np.eye(4)
        c, s = np.cos(angle), np.sin(angle)
        T[:2] = [[c, -s, 0, x], [s, c, 0, y]]
        V = np.r_[rng.normal(size=2), 0, 0, 0, rng.normal()]
        VP = np.r_[rng.normal(size=2), 0, 0, 0, rng.normal()]
        q = joint_positions(robot, T)
        turn = angle - (np.pi / 2 + q[0] + q[1])  # of the platform on the first leg
        every = np.r_[q, turn]
        qd = J(T) @ V
        qdd = J(T) @ (VP - drift(T, V))
        assert_close(g(T, V, VP), f(every, qd, qdd), 1e-9)


@pytest.mark.parametrize("name", named(list(library.parallel_names()), set(library.parallel_names()) - {"3rps"}))
def test_energies_are_those_of_all_bodies(name: str) -> None:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
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
