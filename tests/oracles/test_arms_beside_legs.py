"""A tripod with an arm on its platform and a slider beside it, simulated and controlled, against multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import symoro
from support.arms_beside_legs import ARMS, driven, robot
from support.close import assert_close
from support.mechanisms import Array, Mechanism
from support.platforms import joint_positions
from symoro.errors import SymoroError
from symoro.formats import toml
from symoro.models.parallel.platform import home
from symoro.motion.law import largest_inertias
from symoro.motion.simulation import Simulation
from symoro.report.frames import frames
from symoro.report.skeleton import skeleton
from symoro.robot import library
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.given import model

Q0, QD0 = np.array([0.3, -0.4, 0.1]), np.array([0.5, -1.0, 0.2])
V0 = np.array([0.0, 0.0, 0.1, 0.1, -0.2, 0.0])


@cache
def velocity() -> Array:
    """One that the legs allow at home."""
    J = model("jacobian", robot()).compile()(home(robot()), np.zeros(3))
    return np.asarray(J @ np.linalg.pinv(J) @ V0)


def run(law: object, **how: object) -> Simulation:
    found = symoro.simulate(robot(), law, duration=0.2, T0=home(robot()), q0=Q0, qd0=QD0, V0=velocity(), **how)
    assert not found.stopped
    return found


@pytest.mark.long
def test_it_moves_as_multipliers_say() -> None:
    """All coordinates of the open tree are integrated: those of every joint and of the platform."""

    def torques(t: float) -> Array:
        return np.r_[60, 60, 60, 8, 5] + np.r_[10, 10, 10, 1, 1] * np.sin(3 * t + np.arange(5))

    s = run(lambda t, q, qd: torques(t), method="DOP853", rtol=1e-11, period=0.05)
    legs = joint_positions(robot(), home(robot()))
    n = len(legs)
    m = Mechanism(robot(), home(robot()), np.r_[legs, Q0])
    given = np.r_[QD0, velocity()]
    u = m.velocities_for(given, list(range(n, m.count)))
    assert_close(u[n:], given, 1e-9)

    def rates(t: float, y: Array) -> Array:
        q, position, quat, v = y[: n + 3], y[n + 3 : n + 6], y[n + 6 : n + 10], y[n + 10 :]
        R, T = Rotation.from_quat(quat), np.eye(4)
        T[:3, :3], T[:3, 3] = R.as_matrix(), position
        x, w, turn = quat[:3], quat[3], v[-3:] / 2
        turned = np.r_[w * turn + np.cross(turn, x), -turn @ x]
        return np.r_[v[: n + 3], v[-6:-3], turned, Mechanism(robot(), T, q).direct(v, torques(t))]

    first = np.r_[legs, Q0, s.part("platform_position")[0], s.part("platform_quat")[0], u]
    end = solve_ivp(rates, (0, 0.2), first, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    motors = [k for k, joint in enumerate(s.plant.coordinates.joints) if joint in s.plant.coordinates.driving]
    assert_close(s.q[-1], np.r_[end[motors], end[n : n + 3]], 1e-6)
    assert_close(s.part("platform_position")[-1], end[n + 3 : n + 6], 1e-6)
    assert_close(s.part("V")[-1], end[-6:], 1e-6)
    assert_close(s.qd[-1][3:], end[n + 10 :][n : n + 3], 1e-6)


@pytest.mark.long
def test_it_keeps_its_energy_without_torques() -> None:
    s = run(None)
    total = s.energy.kinetic + s.energy.potential
    assert np.ptp(s.energy.kinetic) > 1
    assert np.ptp(total) < 1e-8 * np.abs(total).max()


@pytest.mark.parametrize(("of", "places"), [(robot, {3: 0.63, 4: 3}), (driven, {3: 0.63, 4: 0.12, 5: 3})])
def test_largest_inertias_of_motors_beside_legs(of: Callable[[], Robot], places: dict[int, float]) -> None:
    """The shoulder sees the stretched arm, ZZ + IA + ZZ + M d² + 2 d MX, the elbow its ZZ, and the slider its mass."""
    found = largest_inertias(of())
    assert len(found) == 3 + len(places)
    assert_close(found[list(places)], list(places.values()), 0.005)
    assert (found[list(places)] <= np.array(list(places.values())) + 1e-9).all()


@pytest.mark.long
def test_computed_torque_gives_the_error_its_frequency() -> None:
    """ë + 2 ω ė + ω² e = 0, from rest: e = e₀ (1 + ω t) exp(−ω t)."""
    at, w = home(driven()), 20.0
    motors = symoro.simulate(driven(), duration=0.001, T0=at, q0=Q0).q[0]
    moved = motors + np.array([0.01, -0.02, 0.015, 0.3, -0.2, 0.1])
    stay = symoro.trajectory(motors, motors + 1e-12, duration=0.2)
    law = symoro.computed_torque(driven(), frequency=w)
    s = symoro.simulate(driven(), law, stay, q0=moved, method="DOP853", period=0.02)
    decay = (1 + w * s.t) * np.exp(-w * s.t)
    assert_close(s.error, decay[:, None] * (motors - moved), 1e-7)


@pytest.mark.long
def test_computed_torque_holds_the_motors_while_a_joint_without_one_falls() -> None:
    start = {"T0": home(robot()), "q0": Q0, "method": "DOP853", "period": 0.02}
    s = symoro.simulate(robot(), symoro.computed_torque(robot()), duration=0.2, **start)
    assert np.abs(s.error).max() < 1e-9
    assert abs(s.q[-1, 4] - Q0[1]) > 0.1


@pytest.mark.long
def test_joints_beside_legs_begin_where_the_trajectory_does() -> None:
    motors = symoro.simulate(driven(), duration=0.001, T0=home(driven()), q0=Q0).q[0]
    along = symoro.trajectory(motors, motors + 0.01, duration=0.1)
    for start in ({}, {"T0": home(driven())}):
        assert_close(symoro.simulate(driven(), None, along, duration=0.001, **start).q[0], motors, 1e-9)


@cache
def rough() -> Robot:
    """With dry friction: that of the elbow holds it, the other joints slide."""
    sizes = {"elbow": 200.0, "shoulder": 0.5, "slider": 3.0}
    pairs = [(j, sizes.get(j.name, 4.0 * j.name.startswith("leg"))) for j in robot().joints]
    drives = tuple(replace(robot().drive(j.index), FS=as_value(FS)) for j, FS in pairs)
    return replace(robot(), drives=drives)


@pytest.mark.long
def test_one_joint_sticks_while_others_slide_as_multipliers_say() -> None:
    """The joint that sticks is one more row of the constraints; friction of the others has their signs."""
    torques = np.array([70, 50, 60, 8, 5])
    start = {"T0": home(robot()), "q0": Q0, "qd0": QD0 * [1, 0, 1], "V0": velocity(), "duration": 0.02}
    s = symoro.simulate(rough(), lambda t, q, qd: torques, method="stick-slip", period=0.01, rtol=1e-10, **start)
    legs = joint_positions(robot(), home(robot()))
    n = len(legs)
    elbow = n + 1
    given = np.r_[QD0 * [1, 0, 1], velocity()]
    m = Mechanism(rough(), home(robot()), np.r_[legs, Q0])
    u = m.velocities_for(given, list(range(n, m.count)))

    def rates(t: float, y: Array) -> Array:
        q, position, quat, v = y[: n + 3], y[n + 3 : n + 6], y[n + 6 : n + 10], y[n + 10 :]
        R, T = Rotation.from_quat(quat), np.eye(4)
        T[:3, :3], T[:3, 3] = R.as_matrix(), position
        now = Mechanism(rough(), T, q)
        (M, h), (C, c) = now.equations(v), now.constraints(v)
        C, c = np.vstack([C, np.eye(now.count)[elbow]]), np.r_[c, 0.0]
        K = np.block([[M, C.T], [C, np.zeros((len(C), len(C)))]])
        accelerations = np.linalg.lstsq(K, np.r_[now.motors() @ torques - h, -c], rcond=1e-12)[0][: now.count]
        x, w, turn = quat[:3], quat[3], v[-3:] / 2
        return np.r_[v[: n + 3], v[-6:-3], w * turn + np.cross(turn, x), -turn @ x, accelerations]

    first = np.r_[legs, Q0, s.part("platform_position")[0], s.part("platform_quat")[0], u]
    end = solve_ivp(rates, (0, 0.02), first, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    assert np.abs(end[n + 10 :][:n]).min() > 1e-3  # no joint of a leg came to rest
    assert_close(s.q[-1, 3:], end[n : n + 3], 1e-9)
    assert_close(s.part("platform_position")[-1], end[n + 3 : n + 6], 1e-9)
    assert_close(s.part("V")[-1], end[-6:], 1e-7)
    assert_close(s.qd[-1, 3:], end[n + 10 :][n : n + 3], 1e-7)
    assert (s.qd[:, 4] == 0).all()
    steps = symoro.simulate(rough(), lambda t, q, qd: torques, method="sticking", period=1e-4, **start)
    assert_close(steps.q[-1], s.q[-1], 1e-6)


def test_what_is_not_for_it_says_so() -> None:
    for use, said in (
        (lambda: symoro.simulate(robot(), duration=0.1, q0=Q0), r"6\), one for each motor and joint that belongs to"),
        (lambda: symoro.simulate(robot(), duration=0.1, q0=Q0[:2], T0=home(robot())), r"3\), one for each joint"),
        (lambda: symoro.task_trajectory(robot(), home(robot()), home(robot()), link="shoulder"), "its platform moves"),
    ):
        with pytest.raises(SymoroError, match=said):
            use()


@pytest.mark.parametrize("name", ["3rps", pytest.param("orthoglide-legs", marks=pytest.mark.long)])
def test_models_of_the_motors_are_those_of_the_pose(name: str) -> None:
    """Closed by Newton's method, and by three spheres inside the program."""
    text = library.text(name).replace("[leg]", ARMS.replace("actuated = false\n", ""), 1)
    one = toml.read_text(text, "x").robot
    q = np.r_[joint_positions(one, home(one)), Q0]
    qa = q[[joint.actuated for joint in one.joints if joint.variable]]
    qd, qdd = np.random.default_rng(0).normal(size=(2, len(qa)))
    joints = model("inverse_dynamics", one, given="joints", optimize=False).compile()
    made = model("inverse_dynamics", one, given="motors", optimize=False)
    assert ("CLOSED" in made.outputs) == (name == "orthoglide-legs")
    found = made.compile()(qa, qd, qdd)
    assert_close(found, joints(q, qd, qdd), 1e-9)


def test_its_platform_moves_along_a_path_while_other_joints_stand_still() -> None:
    """At each pose of the path the legs close by Pinocchio with the positions of the motors."""
    start, end = home(driven()), home(driven())
    start[2, 3], end[2, 3] = start[2, 3] - 0.05, end[2, 3] + 0.1
    legs = [k for k, joint in enumerate(driven().joints) if joint.variable and joint.name.startswith("leg")]
    motors = [n for n, k in enumerate(legs) if driven().joints[k].actuated]
    first = np.r_[joint_positions(driven(), start)[motors], Q0]
    for q0, others in ((start, 0 * Q0), (first, Q0)):
        t = symoro.task_trajectory(driven(), q0, end, duration=0.5)
        assert_close(t([0.0, 0.2, 0.5]).q[:, 3:], np.tile(others, (3, 1)), 1e-12)
        assert not t(0.2).qd[3:].any()
        for time, pose in ((0.0, start), (0.5, end)):
            q = joint_positions(driven(), pose)
            q[motors] = t(time).q[:3]
            assert Mechanism(driven(), pose, np.r_[q, others]).closure() < 1e-9
        h = 1e-5
        assert_close(t(0.2).qd, (t(0.2 + h).q - t(0.2 - h).q) / (2 * h), 1e-8)


def test_pd_control_holds_it_against_gravity() -> None:
    start = {"T0": home(driven()), "q0": Q0}
    s = symoro.simulate(driven(), symoro.pd_gravity(driven(), KP=100.0, KD=20.0), duration=0.1, **start)
    assert not s.stopped
    assert np.abs(s.error).max() < 1e-9


def test_it_is_drawn_at_positions_of_motors_and_other_joints() -> None:
    """Its links are where Pinocchio has them."""
    legs = joint_positions(robot(), home(robot()))
    shape = skeleton(robot(), np.r_[legs[1::2], Q0])
    m = Mechanism(robot(), home(robot()), np.r_[legs, Q0])
    pin.forwardKinematics(m.o.model, m.o.data, m.at)
    for j in range(1, robot().link_count + 1):
        placed = m.o.data.oMi[m.o.joint_of[j]] * m.o.pose_in[j]
        assert_close(shape.poses[j], placed.homogeneous, 1e-9)
    with pytest.raises(SymoroError, match="position for each of q2_1, q2_2, q2_3"):
        skeleton(robot(), Q0)


def test_its_arm_is_drawn_where_it_is() -> None:
    s = run(None)
    shown, link = frames(s, rate=50.0), 8
    T = np.array(shown["poses"][str(link)]).reshape(-1, 4, 4)
    rows = np.searchsorted(s.t, np.array(shown["times"]) - 1e-9)
    wanted = model("forward_geometry", robot(), link=link).compile()(s.T[rows], s.q[rows, 3:])
    assert_close(T, wanted, 1e-12)
    assert np.ptp(T[:, 0, 0]) > 0.01
