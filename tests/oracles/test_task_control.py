"""Control in task space: the error of a frame, by Pinocchio's poses, obeys K13:9.36."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import expm

import symoro
from support.close import assert_close
from support.families import without_drives
from support.pinocchio_robot import oracle
from support.raised import raised
from symoro.robot.robot import Robot

EXACT = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-12, "period": 0.01}
Q0 = np.array([0.3, 0.4, 1.2, 0.3, 0.8, 0.1])


def poses(robot: Robot, q: Any, link: int) -> Any:
    o, found = oracle(robot, robot.values.numbers()), []
    for row in q:
        pin.forwardKinematics(o.model, o.data, o.q(row))
        found.append((o.data.oMi[o.joint_of[link]] * o.pose_in[link]).homogeneous)
    return np.array(found)


def damped(t: Any, e0: Any, ed0: Any, frequency: float) -> Any:
    """e(t) of ë + 2 ω ė + ω² e = 0 (K13:9.36)."""
    A = np.array([[0.0, 1.0], [-(frequency**2), -2 * frequency]])
    both = [expm(A * x)[0] for x in t]
    return np.array([a * np.asarray(e0) + b * np.asarray(ed0) for a, b in both])


@pytest.mark.long
def test_the_error_of_a_position_is_that_of_a_double_integrator() -> None:
    robot = symoro.load("rx90")
    t = symoro.trajectory(Q0, Q0 + 0.2, duration=1.0)
    s = symoro.simulate(robot, symoro.task_computed_torque(robot, 10.0), t, q0=Q0 - 0.02, **EXACT)
    wanted, reached = poses(robot, s.reference.q, 6), poses(robot, s.q, 6)
    e = (wanted - reached)[:, :3, 3]
    assert np.abs(e[0]).max() > 1e-3
    assert_close(e, damped(s.t, e[0], [0, 0, 0], 10.0), 1e-8)


@pytest.mark.parametrize("angle", [1e-6, 0.5, 3.0])
def test_a_turn_about_one_axis_decays_whatever_its_angle(angle: float) -> None:
    robot = symoro.load("rx90")
    goal = symoro.trajectory(Q0, Q0, velocity=1.0)
    start = Q0 + angle * np.eye(6)[5]
    s = symoro.simulate(robot, symoro.task_computed_torque(robot, 8.0), goal, q0=start, duration=1.0, **EXACT)
    turned = s.q[:, 5] - Q0[5]
    assert_close(turned / angle, damped(s.t, 1.0, 0.0, 8.0), 1e-7)
    assert_close(s.q[:, :5], np.broadcast_to(Q0[:5], (len(s.t), 5)), 1e-7)


@pytest.mark.long
def test_a_redundant_arm_obeys_the_same_equation_and_comes_to_rest() -> None:
    robot = symoro.load("kuka-iiwa")
    q0 = np.array([0.2, 0.5, 0.3, -1.2, 0.2, 0.8, 0.1])
    goal = symoro.trajectory(q0 + 0.05, q0 + 0.05, velocity=1.0)
    control = symoro.task_computed_torque(robot, 10.0, task="position")
    rates = np.array([0.1, -0.2, 0.3, 0.1, 0.2, -0.1, 0.3])
    s = symoro.simulate(robot, control, goal, q0=q0, qd0=rates, duration=3.0, **EXACT)
    e = poses(robot, goal(s.t).q, 7)[:, :3, 3] - poses(robot, s.q, 7)[:, :3, 3]
    J = symoro.jacobian(robot, 7).compile()(q0)[:3]
    assert_close(e, damped(s.t, e[0], -J @ rates, 10.0), 1e-7)
    assert np.abs(s.qd[-1]).max() < 1e-4


def test_pid_of_a_position_takes_the_frame_to_its_goal() -> None:
    robot = without_drives(symoro.load("planar3r"))
    q0 = np.array([0.3, 0.6, 0.5])
    goal = symoro.trajectory(q0 + 0.1, q0 + 0.1, velocity=1.0)
    options: dict[str, Any] = {"task": "position", "damping": 2.0}
    control = symoro.task_pid(robot, 400.0, 40.0, 300.0, **options)
    s = symoro.simulate(robot, control, goal, q0=q0, duration=25.0, period=1e-3)
    e = (poses(robot, s.reference.q[-1:], 3) - poses(robot, s.q[-1:], 3))[0, :3, 3]
    assert not s.stopped
    assert np.abs(e).max() < 1e-4


def test_limited_torques_do_not_wind_the_integral_of_a_frame_up() -> None:
    """A weak arm takes long to a far goal: with the integral tracking what is reached, it overshoots less."""
    robot = without_drives(symoro.load("planar3r")).with_values({"G2": 0.0})
    q0 = np.array([0.2, 0.5, 0.4])
    end = q0 + np.array([0.7, 0.0, 0.0])
    goal = symoro.trajectory(end, end, velocity=1.0)
    turns = []
    for tracking_time in (None, 1e9):
        control = symoro.task_pid(
            robot, 60.0, 12.0, 60.0, task="position", damping=1.0, effort=2.0, tracking_time=tracking_time
        )
        s = symoro.simulate(robot, control, goal, q0=q0, duration=6.0, period=2e-3)
        assert not s.stopped
        assert np.abs(s.tau).max() <= 2.0
        wanted = poses(robot, s.reference.q[:1], 3)[0, :3, 3]
        away = np.linalg.norm(poses(robot, s.q[::50], 3)[:, :3, 3] - wanted, axis=1)
        turns.append(away[len(away) // 3 :].max())
    assert turns[0] < turns[1]


@pytest.mark.parametrize(
    ("control", "code"),
    [
        (lambda: symoro.task_computed_torque("planar2r"), "controllers.few_joints"),
        (lambda: symoro.task_computed_torque("five-bar"), "controllers.not_a_tree"),
        (lambda: symoro.task_computed_torque("satellite", task="position"), "controllers.not_a_tree"),
        (lambda: symoro.task_computed_torque("rx90", task="pose"), "options.value"),
        (lambda: symoro.task_computed_torque("rx90", [1.0, 2.0]), "motion.shape_of_limit"),
        (lambda: symoro.task_computed_torque("two-arm", task="position"), "controllers.several_tips"),
    ],
)
def test_what_is_refused(control: Any, code: str) -> None:
    with raised(code):
        control()
