"""Closed loops against Lagrange multipliers on Pinocchio's tree, and against Pinocchio's own constrained dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.free_robots import Array, State, Tree, close, driven, movable
from support.loops import Loops, closed_configuration, gap, random_loop
from support.pinocchio_robot import placement
from symoro.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value

LIBRARY = ["four-bar", "five-bar", "slider-crank", "sr400", "akr3000", "test-loop", "two-loops", "orthoglide"]


def assert_agrees(robot: Robot, q: Array, seed: int, **options: object) -> None:
    """Lagrange's multipliers: M q̈ + h = τ + Jᵀ λ, J q̈ = −J̇ q̇."""
    numbers = robot_numbers(robot)
    direct = validate(symoro.direct_dynamics(robot, **options).program)
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in direct.inputs} | {"q": q}
    active = driven(robot)
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(active, state["qd"])
    tree = Tree(robot, state, qd)
    loops = Loops(tree)
    n, m = len(q), len(loops.J)
    system = np.block([[tree.M, -loops.J.T], [loops.J, np.zeros((m, m))]])
    right = np.r_[tree.torques(state["tau"]) - tree.h, -loops.gamma]
    x = np.linalg.lstsq(system, right, rcond=1e-13)[0][:n]
    G = _project(loops.J, active)
    condition = float(np.linalg.cond(G.T @ tree.M @ G) * np.linalg.cond(G))
    found = evaluate(direct, state, numbers)["QDP"]
    assert close(found, x[active], 1e-9, condition)
    given = {**{k: v for k, v in state.items() if k != "tau"}, "qdd": found}
    inverse = validate(symoro.inverse_dynamics(robot, **options).program)
    assert close(evaluate(inverse, given, numbers)["GAM"], state["tau"], 1e-9, condition)
    A = evaluate(symoro.inertia_matrix(robot, **options).program, {"q": q}, numbers)["A"]
    assert close(A, G.T @ tree.M @ G, 1e-9, float(np.linalg.cond(G)))


def _project(J: Array, active: list[int]) -> Array:
    """∂q_tr/∂q_a."""
    passive = [k for k in range(J.shape[1]) if k not in active]
    G = np.zeros((J.shape[1], len(active)))
    G[active] = np.eye(len(active))
    G[passive] = -np.linalg.pinv(J[:, passive], rcond=1e-10) @ J[:, active]
    return G


@pytest.mark.parametrize("seed", range(50))
def test_random_loops(seed: int) -> None:
    robot, q = random_loop(seed)
    assert np.abs(gap(robot, q)).max() < 1e-9
    assert_agrees(robot, q, seed, optimize=False)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_robots(name: str) -> None:
    robot = symoro.load(name)
    for seed in range(3):
        assert_agrees(robot, closed_configuration(robot, seed), seed)


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "sr400"])
def test_base_parameters_of_the_tree(name: str) -> None:
    robot = symoro.load(name)
    assert_agrees(robot, closed_configuration(robot, 1), 1, params="base", optimize=False)


def test_springs_in_loops() -> None:
    robot, q = random_loop(1)
    last = max(j for j in movable(robot) if not robot.joint(j).actuated)
    joints = tuple(
        replace(j, elastic=True, stiffness=Symbol("KS"), rest=as_value("0.1")) if j.index == last else j
        for j in robot.joints
    )
    springy = replace(robot, joints=joints, values={**robot.values, "KS": as_value(20)})  # type: ignore[arg-type]
    assert_agrees(springy, q, 0)


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "sr400"])
def test_against_pinocchio_constrained_dynamics(name: str) -> None:
    """Planar loops of revolute joints: the origins of the two frames of a cut stay together."""
    robot = symoro.load(name)
    q = closed_configuration(robot, 0)
    numbers = robot_numbers(robot)
    program = symoro.direct_dynamics(robot).program
    rng = np.random.default_rng(0)
    state: State = {array.name: 0.3 * rng.normal(size=array.shape) for array in program.inputs} | {"q": q}
    state = {k: np.zeros_like(x) if k == "wrench" else x for k, x in state.items()}
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(driven(robot), state["qd"])
    tree = Tree(robot, state, qd)
    o = tree.o
    o.model.armature = np.zeros(o.model.nv)
    for k in range(len(q)):
        o.model.armature[o.velocity_index[k]] = (
            tree.M[k, k] - _crba(o, tree.q)[o.velocity_index[k], o.velocity_index[k]]
        )
    models = pin.StdVec_RigidConstraintModel()
    for cut in robot.cuts:
        joint, mate = robot.joint(cut.joint), robot.joint(cut.mate)
        places = [o.pose_in[f.parent] * placement(f, numbers) for f in (joint, mate)]
        models.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, o.model,
                o.joint_of[joint.parent], places[0], o.joint_of[mate.parent], places[1], pin.LOCAL,
            )
        )  # fmt: skip
    data = pin.StdVec_RigidConstraintData()
    data.extend([c.createData() for c in models])
    fresh = o.model.createData()
    pin.initConstraintDynamics(o.model, fresh, models, data)
    settings = pin.ProximalSettings(1e-14, 1e-10, 1000)
    torques = np.zeros(o.model.nv)
    torques[o.velocity_index] = tree.torques(state["tau"]) - (tree.h - _rnea(o, tree))
    a = pin.constraintDynamics(o.model, fresh, tree.q, tree.v, torques, models, data, settings)
    found = evaluate(program, state, numbers)["QDP"]
    assert close(found, a[o.velocity_index][driven(robot)], 1e-9)


def _crba(o: object, q: Array) -> Array:
    return np.array(pin.crba(o.model, o.model.createData(), q))  # type: ignore[attr-defined]


def _rnea(o: object, tree: Tree) -> Array:
    """What Pinocchio knows of h; the rest is friction."""
    return np.array(pin.nle(o.model, o.model.createData(), tree.q, tree.v))[o.velocity_index]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_wrenches_in_cut_joints(seed: int) -> None:
    """With these wrenches as external ones on the open tree, the passive joints need no torque."""
    robot, q = random_loop(seed)
    numbers = robot_numbers(robot)
    program = symoro.cut_wrenches(robot, optimize=False).program
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in program.inputs} | {"q": q}
    FC = evaluate(program, state, numbers)["FC"]
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(driven(robot), state["qd"])
    tree = Tree(robot, state, qd)
    loops = Loops(tree)
    qdd = np.zeros(len(q))
    passive = [k for k in range(len(q)) if k not in driven(robot)]
    qdd[driven(robot)] = state["qdd"]
    qdd[passive] = np.linalg.pinv(loops.J[:, passive], rcond=1e-10) @ (
        -loops.gamma - loops.J[:, driven(robot)] @ state["qdd"]
    )
    needed = tree.M @ qdd + tree.h - loops.J.T @ np.hstack([row[:5] for row in FC])
    assert np.abs(needed[passive]).max() <= 1e-8 * (1 + np.abs(FC).max())
    given = evaluate(symoro.inverse_dynamics(robot, optimize=False).program, state, numbers)["GAM"]
    assert close(given, needed[driven(robot)], 1e-8)


def test_derivatives_follow_the_loops() -> None:
    robot, q = random_loop(3)
    model = symoro.inverse_dynamics(robot)
    rng = np.random.default_rng(0)
    state: State = {array.name: rng.normal(size=array.shape) for array in model.program.inputs} | {"q": q}
    f, df = model.compile(), model.derivative("q").compile()
    found = df(**state)
    loops = Loops(Tree(robot, state, np.zeros(len(q))))
    G = _project(loops.J, driven(robot))
    assert found.shape == (G.shape[1], G.shape[1])
    for k in range(G.shape[1]):
        h = 1e-5 * G[:, k]
        change = (f(**{**state, "q": q + h}) - f(**{**state, "q": q - h})) / 2e-5
        np.testing.assert_allclose(found[:, k], change, atol=1e-4 * (1 + np.abs(change).max()))
