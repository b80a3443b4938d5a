"""Controllers of K13 chapter 9: the equations of their errors, Lyapunov's function, SciPy's step responses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

import symoro
from support.close import assert_close
from support.families import without_friction
from support.raised import raised
from symoro.errors import SamplingWarning
from symoro.robot.robot import Robot

EXACT = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-12, "period": 0.01}


def damped(t: Any, e0: Any, frequency: float, damping: float) -> Any:
    """e(t) of ë + 2 ξ ω ė + ω² e = 0 from rest (K13:9.25), by the exponential of its matrix."""
    A = np.array([[0.0, 1.0], [-(frequency**2), -2 * damping * frequency]])
    return np.array([expm(A * x)[0, 0] * np.asarray(e0) for x in t])


@pytest.mark.parametrize("name", ["planar2r", "rx90"])
@pytest.mark.parametrize("damping", [1.0, 0.4])
def test_errors_of_computed_torque_obey_their_equation(name: str, damping: float) -> None:
    robot = symoro.load(name)
    n = len(robot.joints)
    t = symoro.trajectory(np.zeros(n), np.linspace(1.0, 0.5, n), duration=1.0)
    e0 = np.linspace(0.05, -0.05, n)
    s = symoro.simulate(robot, symoro.computed_torque(robot, 10.0, damping), t, q0=-e0, **EXACT)
    assert_close(s.error, damped(s.t, e0, 10.0, damping), 1e-8)


@pytest.mark.long
@pytest.mark.parametrize("name", ["satellite", "five-bar", "diff-drive-2r", "flexible-joints"])
def test_motors_of_every_family_follow_the_equation(name: str) -> None:
    robot = symoro.load(name)
    q0 = np.array([2.0, 1.0]) if name == "five-bar" else np.zeros(symoro.computed_torque(robot).motors)
    t = symoro.trajectory(q0, q0 + 0.3, duration=0.5)
    s = symoro.simulate(robot, symoro.computed_torque(robot, 20.0), t, **EXACT)
    assert_close(s.error, np.zeros_like(s.error), 1e-8)
    assert np.ptp(s.motor_q, axis=0).min() > 0.29


def test_position_control_needs_the_position_alone() -> None:
    """q̈ + K_d q̇ + K_p q = K_p q^d (K13:9.30): a step is reached as a damped system does."""
    robot = symoro.load("planar2r")
    goal = symoro.trajectory([0.4, -0.3], [0.4, -0.3], velocity=1.0)
    control = symoro.computed_torque(robot, 8.0, scheme="position")
    s = symoro.simulate(robot, control, goal, q0=[0.0, 0.0], duration=1.0, **EXACT)
    assert_close(s.error, damped(s.t, [0.4, -0.3], 8.0, 1.0), 1e-8)


def test_predictive_control_follows_a_motion_from_its_start() -> None:
    robot = without_friction(symoro.load("rx90"))
    t = symoro.trajectory(np.zeros(6), np.full(6, 0.5), duration=1.0)
    s = symoro.simulate(robot, symoro.computed_torque(robot, scheme="predictive"), t, **EXACT)
    assert_close(s.error, np.zeros_like(s.error), 1e-8)


def test_torques_that_are_held_deviate_in_proportion_to_the_period() -> None:
    robot = symoro.load("rx90")
    t = symoro.trajectory(np.zeros(6), np.linspace(1.0, 0.5, 6), duration=1.0)
    control, e0 = symoro.computed_torque(robot), np.full(6, 0.05)
    deviations = []
    for period in (1e-3, 5e-4):
        s = symoro.simulate(robot, control, t, q0=-e0, period=period)
        law = 0.05 * (1 + 10 * s.t) * np.exp(-10 * s.t)
        deviations.append(np.abs(s.error - law[:, None]).max())
    assert 1e-5 < deviations[0] < 1e-3
    assert_close(deviations[0] / deviations[1], 2.0, 0.05)


def test_an_error_of_the_model_leaves_a_bounded_error() -> None:
    robot = symoro.load("rx90")
    wrong = {name: 1.1 * x for name, x in robot.values.numbers().items() if name[:2] in ("MX", "MY", "ZZ", "XX", "YY")}
    t = symoro.trajectory(np.zeros(6), np.linspace(1.0, 0.5, 6), duration=1.0)
    s = symoro.simulate(robot, symoro.computed_torque(robot, 20.0), t, values=wrong)
    assert not s.stopped
    assert 1e-3 < np.abs(s.error).max() < 0.05


@pytest.mark.parametrize("name", ["planar2r", "rx90"])
def test_pd_with_gravity_decreases_its_lyapunov_function(name: str) -> None:
    robot = without_friction(symoro.load(name))
    n = len(robot.joints)
    KP, KD = np.linspace(200.0, 40.0, n), np.linspace(40.0, 4.0, n)
    goal = symoro.trajectory(np.full(n, 0.5), np.full(n, 0.5), velocity=1.0)
    s = symoro.simulate(robot, symoro.pd_gravity(robot, KP, KD), goal, q0=np.zeros(n), duration=4.0, **EXACT)
    A = symoro.inertia_matrix(robot).compile()(s.q)
    V = np.einsum("ti,tij,tj->t", s.qd, A, s.qd) / 2 + (KP * s.error**2).sum(axis=1) / 2  # (K13:9.11)
    assert (np.diff(V) <= 1e-9 * V[0]).all()
    assert V[-1] < 1e-3 * V[0]


def slider(mass: float = 2.0) -> Robot:
    """One prismatic joint without gravity: a linear system."""
    row = {"kind": "prismatic", "inertia": {"M": mass}}
    return symoro.Robot.from_mdh([row], gravity=(symoro.load("satellite").gravity))


STEP = {"q0": [0.0], "duration": 2.0, "method": "DOP853", "rtol": 1e-10, "period": 0.01}


@pytest.mark.parametrize("form", ["pid", "i-pd", "prefilter"])
def test_steps_of_pid_control_are_those_of_its_transfer_function(form: str) -> None:
    """K13:9.7 with q̇^d = 0 overshoots by 24.9 %; where only the integral sees the wanted position, by nothing."""
    mass, w = 2.0, 6.0
    control = symoro.pid(slider(mass), w, form=form)
    KP, KD, KI = (control.gains[f"{name}1"] for name in ("KP", "KD", "KI"))
    assert_close([KP, KD, KI], [3 * mass * w**2, 3 * mass * w, mass * w**3], 1e-12)
    goal = symoro.trajectory([1.0], [1.0], velocity=1.0)
    s = symoro.simulate(slider(mass), control, goal, **STEP)
    numerator = [KP, KI] if form == "pid" else [KI]
    _, expected = signal.step((numerator, [mass, KD, KP, KI]), T=s.t)
    assert_close(s.q[:, 0], expected, 1e-6)
    assert_close(s.q.max(), 1.249 if form == "pid" else 1.0, 1e-3)


@pytest.mark.parametrize("form", ["i-pd", "prefilter"])
@pytest.mark.parametrize("method", ["DOP853", "rk4"])
def test_forms_without_overshoot_begin_anywhere_without_a_jump(form: str, method: str) -> None:
    """The step from 2 to 3 is the step from 0 to 1; held torques differ from it by the period."""
    w, mass = 6.0, 2.0
    goal = symoro.trajectory([3.0], [3.0], velocity=1.0)
    given = {"q0": [2.0], "duration": 2.0, "method": method, "period": 0.01 if method == "DOP853" else 1e-4}
    s = symoro.simulate(slider(mass), symoro.pid(slider(mass), w, form=form), goal, **given)
    _, expected = signal.step(([w**3], np.poly([-w] * 3)), T=s.t)
    assert_close(s.q[:, 0] - 2, expected, 1e-6 if method == "DOP853" else 1e-3)
    assert s.q.max() < 3 + 1e-9


def test_gains_and_frequencies_tell_how_fast_a_controller_must_act() -> None:
    """A frequency is known of each law but PD; with ω T up to 0.1 there is no warning."""
    gains = {"KP": 3 * 2 * 36.0, "KD": 3 * 2 * 6.0, "KI": 2 * 216.0}
    assert_close(symoro.pid(slider(), **gains).frequency, 6.0, 1e-12)
    assert symoro.pid(slider(), 6.0).frequency == pytest.approx(6.0)
    assert symoro.pd_gravity(slider(), 10.0, 1.0).frequency == 0
    control = symoro.computed_torque(slider(), 10.0)
    symoro.simulate(slider(), control, duration=0.1, period=0.01)
    with pytest.warns(SamplingWarning, match="a period of 0.02 s is long for errors of 10 rad/s"):
        symoro.simulate(slider(), control, duration=0.1, period=0.02)


def test_a_limited_torque_does_not_wind_the_integral_up() -> None:
    goal = symoro.trajectory([1.0], [1.0], velocity=1.0)
    overshoots = []
    for tracking_time in (None, 1e9):
        control = symoro.pid(slider(), 6.0, form="i-pd", effort=8.0, tracking_time=tracking_time)
        s = symoro.simulate(slider(), control, goal, **{**STEP, "duration": 4.0})
        assert np.abs(s.tau).max() <= 8.0
        assert np.abs(s.tau).max() > 7.999
        overshoots.append(s.q.max() - 1)
    assert overshoots[0] < 0.05
    assert overshoots[1] > overshoots[0] + 0.05


def test_viscous_friction_is_part_of_the_damping() -> None:
    """With F_v the poles stay triple (K13:9.10)."""
    row = {"kind": "prismatic", "inertia": {"M": 2.0}, "drive": {"FV": 5.0}}
    robot = symoro.Robot.from_mdh([row], gravity=symoro.load("satellite").gravity)
    gains = symoro.pid(robot, 6.0).gains
    assert_close(np.roots([2.0, gains["KD1"] + 5.0, gains["KP1"], gains["KI1"]]).real, [-6.0] * 3, 1e-4)
    with raised("controllers.damped"):
        symoro.pid(robot, 0.5)


@pytest.mark.parametrize(
    ("control", "code"),
    [
        (
            lambda: symoro.computed_torque("planar2r", [1.0, 2.0, 3.0]),
            "motion.shape_of_limit",
        ),
        (lambda: symoro.computed_torque("planar2r", -1.0), "motion.not_positive"),
        (lambda: symoro.computed_torque("planar2r", scheme="perfect"), "options.value"),
        (lambda: symoro.computed_torque("five-bar", scheme="predictive"), "controllers.not_all_joints"),
        (lambda: symoro.pid("planar2r"), "controllers.gains"),
        (lambda: symoro.pid("planar2r", 1.0, KP=1.0, KD=1.0, KI=1.0), "controllers.gains"),
        (lambda: symoro.pid("planar2r", 1.0, form="pdi"), "options.value"),
        (lambda: symoro.pid("satellite", 1.0), "controllers.inertia_unknown"),
        (lambda: symoro.pd_gravity("planar2r", 1.0, 0.0), "motion.not_positive"),
        (lambda: symoro.computed_torque("spring-mass"), "controllers.no_motors"),
    ],
)
def test_controllers_that_are_refused(control: Any, code: str) -> None:
    with raised(code):
        control()


def sampled(ratio: float, delay: int, steps: int) -> Any:
    """Positions of a double integrator under K13:9.29 with held and delayed torques, by powers of its exact matrix.

    The period is 1, ω is `ratio`, the damping 1; the states are position, velocity and the torques on their way.
    """
    n = 2 + delay
    A = np.zeros((n, n))
    law = np.array([-(ratio**2), -2 * ratio])
    A[:2, :2] = [[1.0, 1.0], [0.0, 1.0]]
    acting = np.array([0.5, 1.0])
    if delay:
        A[:2, 2] = acting
        A[2:-1, 3:] = np.eye(delay - 1)
        A[-1, :2] = law
    else:
        A[:2, :2] += np.outer(acting, law)
    rows = [np.eye(n)[0]]
    for _ in range(steps):
        rows.append(A @ rows[-1])
    return np.array(rows)[:, 0]


@pytest.mark.parametrize(("delay", "limit"), [(0, 1.0), (1, 0.43), (2, 0.26)])
def test_held_and_delayed_torques_are_those_of_the_sampled_system(delay: int, limit: float) -> None:
    """The largest ω T that is stable is known for each delay."""
    goal = symoro.trajectory([0.0], [0.0], velocity=1.0)
    for ratio, stable in ((0.9 * limit, True), (1.1 * limit, False)):
        control = symoro.computed_torque(slider(), 100 * ratio, scheme="position")
        with pytest.warns(SamplingWarning, match=f"the frequency times the period is {ratio:.2g}"):
            s = symoro.simulate(slider(), control, goal, q0=[1.0], duration=1.2, period=0.01, delay=delay)
        expected = sampled(ratio, delay, len(s.t) - 1)
        assert_close(s.q[:, 0], expected, 1e-9)
        assert (np.abs(s.q[-20:]).max() < 0.5) == stable


def test_noise_is_that_of_its_seed_and_size() -> None:
    robot = symoro.load("planar2r")
    t = symoro.trajectory([0.0, 0.0], [1.0, 0.5], duration=1.0)
    control = symoro.computed_torque(robot, 20.0)
    exact, first, again, other = (
        symoro.simulate(robot, control, t, **given)
        for given in ({}, {"noise": [1e-4, 1e-3]}, {"noise": [1e-4, 1e-3]}, {"noise": [1e-4, 1e-3], "seed": 1})
    )
    assert (first.q == again.q).all()
    assert (first.q != other.q).any()
    assert 1e-7 < np.abs(first.q - exact.q).max() < 1e-2
    none = symoro.simulate(robot, control, t, noise=[0.0, 0.0])
    assert_close(none.q, exact.q, 1e-13)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"delay": -1}, "options.value"),
        ({"noise": [1.0]}, "options.value"),
        ({"quantum": [-1.0, 0.0]}, "options.value"),
        ({"quantum": "fine"}, "options.value"),
        ({"delay": 1, "method": "DOP853"}, "simulation.sampled_only"),
    ],
)
def test_delays_and_noise_that_are_refused(given: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.simulate(slider(), symoro.computed_torque(slider()), duration=0.1, **given)


def test_a_condition_stops_other_methods_too() -> None:
    for method in ("DOP853", "sticking"):
        s = symoro.simulate(slider(), duration=1.0, qd0=[1.0], method=method, stop=lambda t, q, qd: q[..., 0] > 0.5005)
        assert "the condition to stop was met" in s.stopped
        assert_close(s.q[-1, 0], 0.501, 1e-9)


def test_pd_with_gravity_holds_motors_behind_springs() -> None:
    """The springs are bent by the weight; at rest the motors carry it, and their error is the weight's over K_p."""
    robot = symoro.load("flexible-joints")
    goal = symoro.trajectory([0.4, 0.3], [0.4, 0.3], velocity=1.0)
    s = symoro.simulate(robot, symoro.pd_gravity(robot, 300.0, 30.0), goal, q0=[0.4, 0, 0.3, 0], duration=6.0)
    weight = symoro.gravity(s.robot).compile()(s.q[-1])
    assert_close(s.q[-1, [1, 3]] * [500.0, 200.0], -weight[[1, 3]], 2e-2)
    assert np.abs(s.error[-1]).max() < 1e-2


@pytest.mark.filterwarnings("ignore::symoro.errors.SamplingWarning")
def test_a_measured_position_is_a_multiple_of_its_quantum() -> None:
    """A slider under K13:9.29 whose controller measures in steps, against the same loop with NumPy's rounding."""
    step, period, ratio = np.array([1e-3, 5e-3]), 0.01, 0.2
    control = symoro.computed_torque(slider(), ratio / period, scheme="position")
    goal = symoro.trajectory([0.0], [0.0], velocity=1.0)
    given: dict[str, Any] = {"q0": [0.7], "duration": 1.0, "period": period}
    s = symoro.simulate(slider(), control, goal, quantum=step, **given)
    q, v, w = 0.7, 0.0, ratio / period
    for k in range(len(s.t)):
        assert_close(s.q[k, 0], q, 1e-10)
        measured = np.rint(np.array([q, v]) / step) * step
        a = -(w**2) * measured[0] - 2 * w * measured[1]
        q, v = q + period * v + period**2 / 2 * a, v + period * a
    exact = symoro.simulate(slider(), control, goal, **given)
    assert 1e-4 < np.abs(exact.q - s.q).max() < 1e-2
    many = symoro.simulate(slider(), control, goal, quantum=step, **{**given, "q0": [[0.7], [0.6]]})
    assert_close(many.q[0], s.q, 1e-12)


def test_wrenches_that_change_with_time_act_at_every_instant() -> None:
    """The fixed and the adaptive method agree on a force that grows with time."""
    robot = without_friction(symoro.load("scara"))

    def push(t: Any) -> Any:
        return np.outer(t, [0.0, 0.0, 5.0, 0.0, 0.0, 0.0])[:, None, :]

    fixed = symoro.simulate(robot, duration=0.2, wrench=push, period=1e-4)
    adaptive = symoro.simulate(robot, duration=0.2, wrench=push, period=0.1, method="DOP853")
    assert_close(fixed.q[-1], adaptive.q[-1], 1e-5)  # rk4 holds the force during a period
