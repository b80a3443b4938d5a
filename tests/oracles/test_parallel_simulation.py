"""Simulated parallel robots against Pinocchio's legs with Lagrange multipliers, and against laws of mechanics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.platforms import Platform
from support.raised import raised
from support.samples import named
from symoro.ir.graph import Graph
from symoro.models.parallel.mechanism import bound_legs, structure
from symoro.models.parallel.platform import PoseSymbols, function_of, home
from symoro.robot.robot import Robot
from symoro.solve.given import model

Array = Any
SHIFTED = np.eye(4) + 0.3 * np.eye(4, k=3)
Law = Callable[[float, Array, Array], Array]
#: The stiffness of springs on the motors, and the velocity of the platform at the start.
STIFFNESS = {
    "gough-stewart": 2000.0,
    "gough-stewart-63": 2000.0,
    "hexa": 60.0,
    "3rps": 400.0,
    "delta": 60.0,
    "orthoglide-legs": 500.0,
    "planar-3rrr": 40.0,
    "five-bar-legs": 40.0,
    "agile-eye": 1.0,
}
START = {
    "gough-stewart": [0.1, -0.05, 0.1, 0.1, 0.1, -0.1],
    "gough-stewart-63": [0.1, -0.05, 0.1, 0.1, 0.1, -0.1],
    "hexa": [0.1, -0.05, 0.1, 0.3, 0.3, -0.3],
    "3rps": [0.0, 0.0, 0.2, 0.1, -0.2, 0.0],
    "delta": [0.1, -0.05, 0.1, 0.0, 0.0, 0.0],
    "orthoglide-legs": [0.1, -0.05, 0.1, 0.0, 0.0, 0.0],
    "planar-3rrr": [0.1, -0.05, 0.0, 0.0, 0.0, 0.3],
    "five-bar-legs": [0.3, -0.2, 0.0, 0.0, 0.0, 0.0],
    "agile-eye": [0.0, 0.0, 0.0, 3.0, -2.0, 2.0],
}


@cache
def smooth(name: str) -> Robot:
    """The robot without friction."""
    robot = symoro.load(name)
    assert robot.platforms
    return robot.with_values({n: 0 for n in robot.values if n[:2] in ("FV", "FS")})


@cache
def at_home(name: str) -> tuple[Array, Array]:
    """Positions of the motors at home, and the torques that hold the platform there."""
    robot = smooth(name)
    q = symoro.inverse_geometry(robot).compile()(home(robot)).q[(robot.branch or (0,))[0]]  # of its working mode
    return q, model("gravity", robot, space="motors").compile()(home(robot))


def springs(name: str) -> Law:
    """Springs on the motors that keep the platform near home."""
    q0, rest = at_home(name)
    return lambda t, q, qd: rest - STIFFNESS[name] * (q - q0)


def first_velocity(name: str) -> Array:
    """A velocity that the legs allow at home, near the given one."""
    robot = smooth(name)
    J = model("jacobian", robot).compile()(home(robot))
    return J @ np.linalg.pinv(J) @ START[name]


@pytest.mark.long
@pytest.mark.parametrize("name", named(list(START), set(START) - {"3rps"}))
def test_energy_is_kept_and_legs_stay_closed_over_ten_seconds(name: str) -> None:
    given = {"method": "DOP853", "rtol": 1e-10, "period": 0.02}
    s = symoro.simulate(smooth(name), springs(name), duration=10.0, V0=first_velocity(name), **given)
    assert not s.stopped
    q0, rest = at_home(name)
    in_springs = 0.5 * STIFFNESS[name] * ((s.q - q0) ** 2).sum(axis=1) - (s.q - q0) @ rest
    total = s.energy.kinetic + s.energy.potential + in_springs
    assert s.energy.kinetic.max() > 2 * s.energy.kinetic.min() + 0.01
    assert_close(total, np.full_like(total, total[0]), 1e-6)
    assert s.plant.gap(s.states, {}).max() < 1e-9
    assert_close(np.linalg.norm(s.part("platform_quat"), axis=1), np.ones(len(s.t)), 1e-14)
    if name not in ("gough-stewart", "gough-stewart-63", "hexa"):  # their platforms have no constraints
        closed = model("loop_closure", s.robot).compile()(s.T, s.part("V"), np.zeros(6))
        assert np.abs(closed.E).max() < 1e-9
        assert np.abs(closed.EV).max() < 1e-9


def by_multipliers(robot: Robot, law: Law) -> Callable[[float, Array], Array]:
    """The rates of position, quaternion x y z w and V, by the accelerations of Pinocchio and multipliers."""
    letters = PoseSymbols(robot, Graph())
    legs = bound_legs(letters, structure(robot))
    joints = function_of(letters, [leg.s.q[j] for leg in legs for j in leg.s.variables])

    def rates(t: float, y: Array) -> Array:
        T, V = np.eye(4), y[7:]
        T[:3, :3], T[:3, 3] = Rotation.from_quat(y[3:7]).as_matrix(), y[:3]
        platform = Platform(robot, T, joints(T))
        S = platform.freedoms()
        V = S @ (S.T @ V)  # what an integration leaves of the constraints
        u, motors = platform.velocities(V), platform.motors()
        tau = law(t, motors.T @ np.r_[platform.q, np.zeros(6)], motors.T @ u)
        turned = _times([*V[3:] / 2, 0.0], y[3:7])
        return np.r_[V[:3], turned, platform.acceleration(u, tau)]

    return rates


def _times(a: Array, b: Array) -> Array:
    """The product of two quaternions x y z w."""
    v, w = np.asarray(a[:3]), a[3]
    return np.r_[w * b[:3] + b[3] * v + np.cross(v, b[:3]), w * b[3] - v @ b[:3]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "duration"),
    [("3rps", 0.1), *(pytest.param(name, 2.0, marks=pytest.mark.long) for name in ("3rps", "gough-stewart"))],
)
def test_a_motion_under_torques_is_that_of_multipliers(name: str, duration: float) -> None:
    robot, held = symoro.load(name), springs(name)
    assert robot.platforms
    smoothed = robot.with_values({n: 0 for n in robot.values if n[:2] == "FS"})  # viscous friction stays

    def law(t: float, q: Array, qd: Array) -> Array:
        return held(t, q, qd) + 5 * np.sin(3 * t + np.arange(len(q)))

    given = {"duration": duration, "V0": first_velocity(name), "period": duration / 4}
    s = symoro.simulate(smoothed, law, method="DOP853", rtol=1e-11, **given)
    start = np.concatenate([s.part(part)[0] for part in ("platform_position", "platform_quat", "V")])
    peer = solve_ivp(by_multipliers(smoothed, law), (0, duration), start, method="DOP853", rtol=1e-8, atol=1e-10)
    assert peer.success
    found = np.concatenate([s.part(part)[-1] for part in ("platform_position", "platform_quat", "V")])
    assert np.abs(found - start).max() > 0.05 * duration
    assert_close(found, peer.y[:, -1], 1e-6)


@pytest.mark.long
def test_errors_of_computed_torque_obey_their_equation() -> None:
    """ë + 2 ω ė + ω² e = 0 of each motor (K13:9.25), while the platform follows a line."""
    robot = symoro.load("3rps")
    goal = home(robot)[:3, 3] + [0.0, 0.0, 0.1]
    t = symoro.task_trajectory(robot, home(robot), goal, duration=0.3)
    e0 = np.array([0.01, -0.02, 0.01])
    control = symoro.computed_torque(robot, 20.0)
    s = symoro.simulate(robot, control, t, q0=t(0.0).q - e0, method="DOP853", period=0.01, rtol=1e-10)
    assert_close(s.error, e0 * ((1 + 20 * s.t) * np.exp(-20 * s.t))[:, None], 1e-8)


@pytest.mark.long
def test_runs_of_a_batch_are_those_alone() -> None:
    robot = symoro.load("3rps")
    t = symoro.task_trajectory(robot, home(robot), home(robot)[:3, 3] + [0.0, 0.0, 0.1], duration=0.3)
    e0, control = np.array([0.01, -0.02, 0.01]), symoro.computed_torque(robot, 20.0)
    many = symoro.simulate(robot, control, t, q0=t(0.0).q - np.outer([1.0, 0.0, 2.0], e0), duration=0.05)
    one = symoro.simulate(robot, control, t, q0=t(0.0).q - e0, duration=0.05)
    assert many.T.shape == (3, len(one.t), 4, 4)
    assert_close(many.states[0], one.states, 1e-11)
    assert np.abs(many.error[1]).max() < 1e-3 < np.abs(many.error[2]).max()


@pytest.mark.parametrize("name", named(["3rps", "delta", "gough-stewart"], ("delta", "gough-stewart")))
def test_a_path_of_the_platform_is_that_of_inverse_geometry(name: str) -> None:
    """Positions by all branches of the legs, rates by differences of them."""
    robot = symoro.load(name)
    target = home(robot)
    target[:3, 3] += [0.0, 0.0, 0.04] if name == "3rps" else [0.05, 0.02, 0.04]
    if name == "gough-stewart":
        target[:3, :3] = Rotation.from_rotvec([0.1, -0.2, 0.3]).as_matrix()
    t = symoro.task_trajectory(robot, home(robot), target, duration=1.0)
    inverse = symoro.inverse_geometry(robot).compile()
    nearest = np.abs(inverse(target).q - t(1.0).q).max(axis=-1)
    assert np.nanmin(nearest) < 1e-12
    time, h = np.linspace(0.1, 0.9, 9), 1e-5
    before, now, after = (t(time + k * h) for k in (-1, 0, 1))
    assert_close(now.qd, (after.q - before.q) / (2 * h), 1e-8)
    assert_close(now.qdd, (after.qd - before.qd) / (2 * h), 1e-7)


@pytest.mark.long
def test_joints_of_legs_stick() -> None:
    """A platform that friction can hold does not move at all; one that slides comes to rest as by events."""
    robot = symoro.load("3rps")
    rough = robot.with_values({n: 500.0 for n in robot.values if n.startswith("FS")})
    held = symoro.simulate(rough, duration=0.05, method="sticking")
    assert (held.q == held.q[0]).all()
    assert not held.qd.any()


@pytest.mark.long
def test_sliding_joints_come_to_rest_alike_by_steps_and_by_events() -> None:
    robot = symoro.load("3rps")
    rough = robot.with_values({n: 60.0 for n in robot.values if n.startswith("FS")})
    start = {"V0": [0.0, 0.0, 0.2, 0.0, 0.0, 0.0], "duration": 0.03}
    events = symoro.simulate(rough, method="stick-slip", **start)
    steps = symoro.simulate(rough, method="sticking", period=1e-4, **start)
    assert np.abs(events.qd[0]).min() > 0.1
    assert np.abs(events.qd[-1]).max() < 1e-12
    assert_close(steps.q[::10], events.q, 1e-5)
    sliding = symoro.simulate(rough, method="DOP853", duration=3e-3, V0=start["V0"])
    assert_close(sliding.states, events.states[:4], 1e-9)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"T0": np.eye(4) * 2}, "simulation.no_pose"),
        ({"T0": SHIFTED}, "simulation.legs_open"),
        ({"V0": [1.0, 0, 0, 0, 0, 0]}, "simulation.velocity_not_allowed"),
        ({"q0": [0.1, 0.1, 5.0]}, "simulation.no_pose_of_motors"),
        ({"position0": [0.0] * 3}, "simulation.no_free_base"),
        ({"controller": symoro.computed_torque("planar3r")}, "simulation.other_robot"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ({"T0": np.eye(3)}, "simulation.pose_shape"),
                ({"V0": [1.0]}, "simulation.twist_shape"),
                ({"q0": [1.0, 1.0]}, "simulation.shape_for_each"),
                ({"q0": [1.0] * 3, "T0": np.eye(4)}, "simulation.two_starts"),
                ({"qd0": [1.0] * 3, "V0": np.zeros(6)}, "simulation.two_velocities"),
                ({"method": "Radau"}, "simulation.drifts"),
                ({"values": {"M9": 1.0}}, "simulation.no_parameter"),
                ({"wrench": np.zeros((1, 6))}, "simulation.no_wrench"),
            )
        ),
    ],
)
def test_what_is_refused(given: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.simulate("3rps", duration=0.1, **given)


def test_motors_of_another_working_mode_are_refused_with_its_branches() -> None:
    """A pose in their place would begin elsewhere: the pose is the same in both modes."""
    robot = symoro.load("delta")
    every = symoro.inverse_geometry(robot).compile()(home(robot)).q
    inward = every[0]
    assert np.abs(inward - every[robot.branch[0]]).max() > 1  # type: ignore[index]
    with raised("positions.other_mode") as refused:
        symoro.simulate(robot, duration=0.01, q0=inward)
    found = refused.value.finding.fields  # type: ignore[attr-defined]
    assert (found["other"], found["own"]) == ((0, 0, 0), (1, 1, 1))
    s = symoro.simulate(robot.in_branch(*found["other"]), duration=0.01, q0=inward)
    assert_close(s.q[0], inward, 1e-9)


def test_controllers_and_poses_that_are_refused() -> None:
    with raised("controllers.pose_unknown"):
        symoro.computed_torque("3rps", scheme="predictive")
    with pytest.raises(symoro.SymoroError, match="the motion of 3rps is given by that of its platform"):
        symoro.task_computed_torque("3rps")
    with raised("simulation.pose_of_no_platform"):
        symoro.simulate("planar2r", duration=0.1, T0=np.eye(4))
    pose = home(symoro.load("3rps"))
    with pytest.raises(symoro.SymoroError, match=r"do not allow the pose at s = 0\.005 of the path \(0\.0828"):
        symoro.task_trajectory("3rps", pose, [0.1, 0.0, 0.9], duration=1.0)
    with raised("motion.shape"):
        symoro.task_trajectory("3rps", [0.0], [0.0, 0.0, 1.0], duration=1.0)


@pytest.mark.long
def test_a_leg_that_leaves_its_reach_ends_the_simulation() -> None:
    s = symoro.simulate("five-bar-legs", lambda t, q, qd: np.array([30.0, -30.0]), duration=2.0)
    assert "the simulation diverged at t = " in s.stopped
    assert "leg" in s.stopped
    assert np.isfinite(s.states).all()
