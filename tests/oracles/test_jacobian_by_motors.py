"""The Jacobian matrix of closed loops with respect to the motors against differences of closed configurations."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.constrained import closed_near
from support.free_robots import Array, driven, movable
from support.library_robots import loop_names
from support.loops import closed_configuration, gap
from support.pinocchio_robot import oracle
from support.random_loops import random_closed_robot
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.model import Model
from symoro.robot.robot import Robot

STEP = 1e-5


def one(model: Model, q: Array) -> Array:
    (found,) = evaluate(model.program, {"q": q}, robot_numbers(model.robot)).values()
    return np.asarray(found)


def pose(robot: Robot, link: int, q: Array) -> pin.SE3:
    o = oracle(robot, robot_numbers(robot))
    pin.forwardKinematics(o.model, o.data, o.q(q, None))
    return o.data.oMi[o.joint_of[link]] * o.pose_in[link]


def differences(robot: Robot, link: int, q: Array) -> Array:
    """[v; ω] in frame 0 when a motor moves and the loops stay closed."""
    here, columns = pose(robot, link, q), []
    for k in driven(robot):
        ends = [assembled(robot, q, k, h) for h in (STEP, -STEP)]
        ahead, back = (pose(robot, link, end) for end in ends)
        v = (ahead.translation - back.translation) / (2 * STEP)
        w = (pin.log3(ahead.rotation @ here.rotation.T) - pin.log3(back.rotation @ here.rotation.T)) / (2 * STEP)
        columns.append(np.r_[v, w])
    return np.array(columns).T


def assembled(robot: Robot, q: Array, k: int, h: float) -> Array:
    """The closed configuration near q with motor k moved by h and the others where they are."""
    q = q.copy()
    q[k] += h
    rest = [n for n in range(len(q)) if n not in driven(robot)]
    for _ in range(6):
        here = gap(robot, q)
        slope = np.array([(gap(robot, q + 1e-7 * e) - gap(robot, q - 1e-7 * e)) / 2e-7 for e in np.eye(len(q))[rest]]).T
        q[rest] -= np.linalg.pinv(slope, rcond=1e-6) @ here
    assert np.abs(gap(robot, q)).max() < 1e-10
    return q


def assert_agrees(robot: Robot, q: Array, link: int, **options: object) -> None:
    expected = differences(robot, link, q)
    J = one(symoro.jacobian(robot, link, **options), q)  # type: ignore[arg-type]
    assert_close(J, expected, 1e-6)
    acting = [n for n in range(J.shape[1]) if np.abs(expected[:, n]).max() > 1e-6]
    if not acting:
        return
    core = J[:, acting]
    rank = int(np.linalg.matrix_rank(core, tol=1e-6 * np.linalg.norm(core)))
    if rank == min(core.shape) and np.linalg.cond(core) < 1e4:
        if robot.name == "two-loops":  # a motor of its has no effect on the link, for these lengths
            with pytest.raises(symoro.SymoroError, match="rank 2 everywhere"):
                symoro.jacobian_inverse(robot, link)
            return
        inverse = one(symoro.jacobian_inverse(robot, link, **options), q)  # type: ignore[arg-type]
        assert_close(inverse @ J @ inverse, inverse, 1e-6, float(np.linalg.cond(core)))
        assert_close(J @ inverse @ J, J, 1e-6, float(np.linalg.cond(core)))


@pytest.mark.parametrize("seed", some(2, of=30))
def test_random_robots(seed: int) -> None:
    robot, q = random_closed_robot(seed)
    assert_agrees(robot, q, max(movable(robot)), optimize=seed % 4 == 3)


@pytest.mark.parametrize("name", named(loop_names(), ("orthoglide",)))
def test_library_robots(name: str) -> None:
    robot = symoro.load(name)
    q = closed_near(robot, closed_configuration(robot, 0))
    for link in {robot.link_count, 7 if name == "sr400" else robot.link_count}:
        assert_agrees(robot, q, link)


@pytest.mark.parametrize(("name", "link"), [("sr400", 7), ("akr3000", 10)])
def test_determinants(name: str, link: int) -> None:
    """Of six motors and six directions, det J; the sign depends on the order of the rows, not on the frame."""
    robot = symoro.load(name)
    for seed in range(3):
        q = closed_configuration(robot, seed)
        J = one(symoro.jacobian(robot, link), q)
        found = float(one(symoro.jacobian_determinant(robot, link), q))
        assert_close(np.array(abs(found)), np.array(abs(np.linalg.det(J))), 1e-9)


def test_determinants_of_matrices_that_are_not_square() -> None:
    robot = symoro.load("four-bar")
    q = closed_configuration(robot, 0)
    v = one(symoro.jacobian(robot, 2), q)[:3]
    found = one(symoro.jacobian_determinant(robot, 2), q)
    assert_close(found, np.linalg.det(v.T @ v), 1e-9)


def test_all_joints_of_the_tree_on_request() -> None:
    robot = symoro.load("sr400")
    q = closed_configuration(robot, 0)
    tree, motors = (symoro.jacobian(robot, 8, by=by) for by in ("joints", "motors"))
    assert tree.outputs == {"J": (6, 8)}
    assert motors.outputs == {"J": (6, 6)}
    loops = symoro.loop_kinematics(robot)
    qd = np.zeros(6)
    G = evaluate(loops.program, {"q": q, "qd": qd}, robot_numbers(robot))["G"]
    assert_close(one(motors, q), one(tree, q) @ G, 1e-12)


def test_it_gives_the_velocity_of_the_link() -> None:
    robot = symoro.load("five-bar")
    q, qd = closed_configuration(robot, 0), np.array([0.3, -0.7])
    V = evaluate(symoro.velocities(robot, 4, 0).program, {"q": q, "qd": qd}, robot_numbers(robot))["V"]
    assert_close(one(symoro.jacobian(robot, 4), q) @ qd, V, 1e-12)
