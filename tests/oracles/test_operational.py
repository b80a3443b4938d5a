"""Operational space, manipulability and payloads: NumPy with the matrices and torques of Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array, Tree, driven, random_state, with_floating_base
from support.kinematics import Reference, one, pose_table, run
from support.loops import Loops, random_loop, regularity
from support.random_robots import random_robot
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.errors import LoopWarning, NotApplicable
from symoro.robot.base import BaseKind, Frame
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as value_of

TOLERANCE = 1e-10
HEIGHT = {"all": 6, "position": 3}


def without_friction(robot: Robot) -> Robot:
    """Only rotors are left of the drives, and nothing acts on the environment."""
    return replace(robot, drives=tuple(Drive(IA=drive.IA) for drive in robot.drives), wrenches=())


def jacobian(robot: Robot, q: Array, link: int, at: pin.SE3 | None = None) -> Array:
    """[v; ω] in frame 0, the columns of a floating base first."""
    reference = Reference(robot, q)
    placed = at or pin.SE3.Identity()
    local = pin.getJointJacobian(reference.o.model, reference.o.data, reference.o.joint_of[link], pin.LOCAL)
    local = (reference.o.pose_in[link] * placed).inverse().action @ local
    J = np.kron(np.eye(2), (reference.pose(link) * placed).rotation) @ local
    base = [*range(6)] if robot.base.kind is BaseKind.FLOATING else []
    return J[:, [*base, *reference.o.velocity_index]]


def drift(robot: Robot, state: dict[str, Array], link: int) -> Array:
    """The acceleration [v̇; ω̇] of the link in frame 0 without accelerations of the coordinates."""
    given = {name: state[name] for name in ("V0", "VP0") if name in state}
    reference = Reference(robot, state["q"], state["qd"], **given)
    return np.kron(np.eye(2), reference.pose(link).rotation) @ reference.acceleration(link)


def check(robot: Robot, seed: int, task: str, **options: Any) -> bool:
    """Whether the model exists; where it does, it agrees. It must exist where J has full rank and a right size."""
    link, rows = robot.link_count, slice(HEIGHT[task])
    try:
        model = symoro.operational_dynamics(robot, link, task=task, **options)
    except NotApplicable:
        q = np.random.default_rng(seed).normal(size=(4, sum(j.movable for j in robot.joints)))
        J = np.array([jacobian(robot, x, link)[rows] for x in q])
        high, wide = (int((np.abs(J).max(axis=axes) > 1e-12).sum()) for axes in ((0, 2), (0, 1)))
        assert max(np.linalg.matrix_rank(x, tol=1e-9) for x in J) < min(high, wide) or not high
        return False
    state = random_state(model.program, seed)
    J = jacobian(robot, state["q"], link)[rows]
    moving = np.abs(J).max(axis=1) > 1e-12
    bare = without_friction(robot)
    A = Tree(bare, state).M
    weightless = replace(bare, gravity=tuple(symoro.load("planar2r").gravity[:1]) * 3)
    C = Tree(weightless, state).h
    at_rest = {name: x * (name in ("q", "quat")) for name, x in state.items()}
    Q = Tree(bare, at_rest).h
    Jm, Ai = J[moving], np.linalg.inv(A)
    mobility = Jm @ Ai @ Jm.T
    sizes = np.linalg.svd(mobility, compute_uv=False)
    condition = float(np.linalg.cond(A) * sizes[0] / sizes[sizes > 1e-9 * sizes[0]][-1])
    if condition > 1e8:
        return True
    Lambda = np.linalg.pinv(mobility, rcond=1e-9)
    MU = Lambda @ (Jm @ Ai @ C - drift(robot, state, link)[rows][moving])
    P = Lambda @ Jm @ Ai @ Q
    found = run(model, **state)
    full = np.zeros((len(moving), len(moving)))
    full[np.ix_(moving, moving)] = Lambda
    assert_close(found["LAMBDA"], full, TOLERANCE, condition)
    assert_close(found["MU"][moving], MU, TOLERANCE, condition)
    assert_close(found["P"][moving], P, TOLERANCE, condition)
    assert not found["MU"][~moving].any()
    inertia = one(symoro.operational_inertia(robot, link, task=task, **options), **state)
    assert_close(inertia, found["LAMBDA"], TOLERANCE, condition)
    return True


@pytest.mark.long
@pytest.mark.parametrize("seed", some(4, of=150))
@pytest.mark.parametrize("task", ["all", "position"])
def test_operational_space_of_random_robots(seed: int, task: str) -> None:
    kinds = ("mixed", "revolute", "prismatic")[seed % 3]
    structure = "tree" if seed % 4 == 3 else "serial"
    robot = random_robot(seed, joints=6 + seed % 3, structure=structure, kinds=kinds)
    check(robot, seed, task, optimize=seed % 5 == 1)


@pytest.mark.parametrize("seed", some(3, of=50))
@pytest.mark.parametrize("task", ["all", "position"])
def test_operational_space_on_a_floating_base(seed: int, task: str) -> None:
    robot = with_floating_base(random_robot(seed, joints=3, moving_base=0), seed)
    assert check(robot, seed, task, optimize=seed % 5 == 1)


def test_operational_space_of_a_tool_in_a_frame() -> None:
    table, pose = pose_table(np.random.default_rng(2))
    robot = replace(symoro.load("puma560"), frames=(Frame("tool", 6, table),))
    q = np.random.default_rng(1).normal(size=6)
    J, A = jacobian(robot, q, 6, pose), Tree(without_friction(robot), {"q": q}, 0 * q).M
    turn = np.kron(np.eye(2), (Reference(robot, q).pose(6) * pose).rotation)
    wanted = np.linalg.inv(turn.T @ J @ np.linalg.inv(A) @ J.T @ turn)
    condition = float(np.linalg.cond(A) * np.linalg.cond(wanted))
    assert_close(one(symoro.operational_inertia(robot, "tool", "tool"), q=q), wanted, TOLERANCE, condition)


def test_the_equation_of_operational_space_holds() -> None:
    """Λ ẍ + μ + p = F for the accelerations that Γ = Jᵀ F causes."""
    robot = without_friction(symoro.load("puma560"))
    rng = np.random.default_rng(0)
    q, qd, F = rng.normal(size=(3, 6))
    J = one(symoro.jacobian(robot, 6), q=q)
    qdd = one(symoro.direct_dynamics(robot), q=q, qd=qd, tau=J.T @ F)
    x = one(symoro.accelerations(robot, 6, 0), q=q, qd=qd, qdd=qdd)
    found = run(symoro.operational_dynamics(robot), q=q, qd=qd)
    assert_close(found["LAMBDA"] @ x + found["MU"] + found["P"], F, 1e-9)


def test_a_singular_configuration_gives_a_result_without_bound() -> None:
    f = symoro.operational_inertia("puma560").compile()
    with np.errstate(all="ignore"), pytest.warns(LoopWarning, match="is singular, or nearly so"):
        found = f([0.2, 0.3, 0.4, 0.5, 0.0, 0.7])
    assert not np.isfinite(found).all() or np.abs(found).max() > 1e10


@pytest.mark.parametrize("seed", some(4, of=150))
@pytest.mark.parametrize("task", ["all", "position"])
def test_manipulability_of_random_robots(seed: int, task: str) -> None:
    robot = random_robot(seed, joints=3 + seed % 6, structure="tree" if seed % 4 == 3 else "serial")
    if seed % 7 == 2:
        robot = with_floating_base(robot, seed)
    link = robot.link_count
    q = np.random.default_rng(seed).normal(size=(4, sum(j.movable for j in robot.joints)))
    samples = np.array([jacobian(robot, x, link)[: HEIGHT[task]] for x in q])
    ranks = [int(np.linalg.matrix_rank(x, tol=1e-9)) for x in samples]
    high, wide = (int((np.abs(samples).max(axis=axes) > 1e-12).sum()) for axes in ((0, 2), (0, 1)))
    try:
        found = one(symoro.manipulability(robot, link, task, optimize=seed % 5 == 1), q=q[0])
    except NotApplicable:
        assert max(ranks) < min(high, wide) or not high, "refused, though J has full rank"
        return
    wanted = np.prod(np.linalg.svd(samples[0], compute_uv=False)[: max(ranks)])
    assert_close(found, wanted, 1e-9)


def test_manipulability_is_zero_at_a_singular_configuration() -> None:
    for name in ("puma560", "kuka-iiwa"):
        n = len(symoro.load(name).joints)
        assert symoro.manipulability(name).compile()(np.zeros(n)) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("seed", some(3, of=60))
def test_payload_torques(seed: int) -> None:
    """J of the payload's centre, transposed, times its weight."""
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial")
    if seed % 3 == 1:
        robot = with_floating_base(robot, seed)
    rng = np.random.default_rng(seed)
    table, pose = pose_table(rng)
    link = int(rng.integers(1, robot.link_count + 1))
    robot = replace(robot, frames=(Frame("hand", link, table),))
    for target, at in ((link, pin.SE3.Identity()), ("hand", pose)):
        model = symoro.payload_torques(robot, target, optimize=seed % 2 == 0)
        state = random_state(model.program, seed)
        mass, *centre = state["payload"]
        g = np.array([value_of(x, robot_numbers(robot)) for x in robot.gravity])
        if "quat" in state:
            g = pin.Quaternion(state["quat"]).matrix().T @ g
        J = jacobian(robot, state["q"], link, at * pin.SE3(np.eye(3), np.array(centre)))
        assert_close(one(model, **state), -J[:3].T @ (mass * g), TOLERANCE)


@pytest.mark.parametrize("seed", some(2, of=20))
def test_closed_loops(seed: int) -> None:
    """The rows of the motors: those of the tree, times the velocities that the loops give to all joints."""
    robot, q = random_loop(seed)
    idle = {"q": q, "wrench": np.zeros((sum(not w.is_zero for w in robot.wrenches), 6))}
    loops, active = Loops(Tree(robot, idle, 0 * q)), driven(robot)
    G = np.column_stack([loops.consistent(active, unit) for unit in np.eye(len(active))])
    link, payload = robot.link_count, np.array([1.3, 0.1, -0.2, 0.3])
    J = jacobian(robot, q, link, pin.SE3(np.eye(3), payload[1:]))
    g = np.array([value_of(x, robot_numbers(robot)) for x in robot.gravity])
    found = one(symoro.payload_torques(robot, link, optimize=False), q=q, payload=payload)
    assert_close(found, -(J[:3] @ G).T @ (payload[0] * g), TOLERANCE, 1 / regularity(robot, q))
    J = jacobian(robot, q, link) @ G
    A = G.T @ Tree(without_friction(robot), {"q": q}, 0 * q).M @ G
    mobility = J @ np.linalg.inv(A) @ J.T
    sizes = np.linalg.svd(mobility, compute_uv=False)
    condition = float(np.linalg.cond(A) * sizes[0] / sizes[sizes > 1e-9 * sizes[0]][-1] / regularity(robot, q))
    wanted = np.linalg.pinv(mobility, rcond=1e-9)
    high, wide = (int((np.abs(J).max(axis=axis) > 1e-9).sum()) for axis in (1, 0))
    if np.linalg.matrix_rank(J, tol=1e-9) < min(high, wide):
        with pytest.raises(NotApplicable, match="rank"):
            symoro.operational_inertia(robot, link, optimize=False)
        return
    found = one(symoro.operational_inertia(robot, link, optimize=False), q=q)
    assert_close(found, wanted, TOLERANCE, condition)
