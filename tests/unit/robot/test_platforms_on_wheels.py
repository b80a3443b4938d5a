"""Platforms on bases that roll: what is read, written, checked and refused, and what models take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import FormatError, NotApplicable
from symoro.formats import toml
from symoro.identification.subject.subject import Subject
from symoro.models.build import known_parameters
from symoro.models.parallel.motions import random_states
from symoro.models.parallel.platform import home, moved
from symoro.models.problems import constraint_problems, platform_problems
from symoro.robot import library
from symoro.robot.base import Wheel
from symoro.robot.parallel import ParallelRobot, with_legs
from symoro.robot.robot import Robot
from symoro.solve.given import model

LEFT, RIGHT = '{joint = "left", radius = "R"}', '{joint = "right", radius = "R"}'
CAR = f"""
[base]
kind = "mobile"
inertia = "symbolic"
wheels = [{LEFT}, {RIGHT}]

[[joints]]
name = "left"
alpha = "-pi/2"
r = "W"
inertia = "symbolic"

[[joints]]
name = "right"
parent = 0
alpha = "-pi/2"
r = "-W"
inertia = "symbolic"
"""


def text(car: str = CAR) -> str:
    head, _, rest = library.text("3rps").partition("[leg]")
    return f"{head}{car}\n[leg]{rest}".replace("[values]", "[values]\nR = 0.1\nW = 0.3\n")


def on_wheels() -> Robot:
    return toml.read_text(text(), "x").robot


def with_numbers(car: str = CAR) -> Robot:
    robot = toml.read_text(text(car), "x").robot
    rng = np.random.default_rng(0)
    names = [name for name in known_parameters(robot) if name not in robot.values]
    return robot.with_values({name: float(rng.uniform(0.5, 1.5)) for name in names})


def test_wheels_have_the_numbers_of_the_joints_beside_legs_in_files_and_in_python() -> None:
    robot = on_wheels()
    assert [wheel.joint for wheel in robot.base.wheels] == [7, 8]
    assert [wheel.joint for wheel in robot.parts.tree.base.wheels] == [1, 2]
    assert toml.read_text(toml.write_text(robot), "x").robot == robot
    assert with_legs(robot) == robot
    tree = robot.parts.tree
    made = ParallelRobot(
        tree, robot.legs, robot.attachments, robot.name, home=robot.home, base=tree.base, gravity=robot.gravity,
        values=robot.values, title=robot.title, source=robot.source,
    )  # fmt: skip
    assert made == robot
    assert not symoro.check(robot)


@pytest.mark.parametrize(
    ("car", "said"),
    [
        (CAR.replace(f"wheels = [{LEFT}, {RIGHT}]", ""), "on a mobile base without wheels is not supported"),
        (CAR.replace('joint = "left"', "joint = 7"), r"a wheel is at joint 7 \(allowed, the revolute ones: 1, 2\)"),
        (CAR.replace('joint = "left"', "joint = 3"), r"a wheel is at joint 3 \(allowed, the revolute ones: 1, 2\)"),
        (CAR.replace("parent = 0", 'parent = "platform"'), r"\(right\): the base does not roll on it"),
        (CAR.replace("parent = 0", "parent = 99"), r"its antecedent is 99 \(allowed: 0, the base, to 3"),
        (CAR.replace("mobile", "floating"), "only a base of the kind mobile has wheels"),
    ],
)
def test_what_a_file_may_not_say(car: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        toml.read_text(text(car), "x")


def test_legs_do_not_roll() -> None:
    robot = on_wheels()
    rolling = replace(robot, base=replace(robot.base, wheels=(Wheel(1, robot.base.wheels[0].radius),)))
    (problem,) = (str(problem) for problem in symoro.check(rolling) if "unused" not in str(problem))
    assert "joint 1 (leg 1 hinge): the base does not roll on it" in problem


def test_wheels_that_do_not_determine_the_base_are_a_warning() -> None:
    few = toml.read_text(text(CAR.replace(f", {RIGHT}", "")), "x").robot
    warnings = [str(problem) for problem in platform_problems(few) if problem.severity == "warning"]
    assert len(warnings) == 1
    assert "its wheels give 2 independent equations" in warnings[0]
    with raised("dynamics.too_few_wheel_equations", NotApplicable):
        model("inverse_dynamics", few)


def test_what_holds_a_platform_is_looked_at_once() -> None:
    for robot in (on_wheels(), symoro.load("delta-parallelogram")):
        assert not constraint_problems(robot)
        assert [problem.severity for problem in platform_problems(robot)] == ["note"]


def test_the_motion_of_the_base_is_a_result() -> None:
    robot = on_wheels()
    inverse, direct = (model(name, robot, optimize=False) for name in ("inverse_dynamics", "direct_dynamics"))
    assert list(inverse.inputs) == ["T", "V", "VP", "q", "qd", "qdd"]
    assert inverse.outputs == {"V0": (6,), "VP0": (6,), "GAM": (5,)}
    assert list(direct.inputs) == ["T", "V", "q", "qd", "tau"]
    assert direct.outputs == {"V0": (6,), "VP0": (6,), "QDP": (2,), "VP": (6,)}


def test_the_search_finds_cheaper_models_with_the_same_results() -> None:
    robot = with_numbers()
    state = random_states(robot, 4)
    plain, best = (model("inverse_dynamics", robot, optimize=x) for x in (False, True))
    assert best.ops.total < 0.9 * plain.ops.total
    given = {array.name: state[array.name] for array in plain.program.inputs}
    for x, y in zip(plain.compile("numpy")(**given), best.compile("numpy")(**given), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


LOOSE = """
[[joints]]
name = "pendulum"
parent = 0
alpha = "pi/2"
d = 0.2
actuated = false
inertia = "symbolic"

[[joints]]
name = "spring"
parent = "platform"
alpha = "pi/2"
actuated = false
elastic = true
stiffness = 3
inertia = "symbolic"
"""


def test_joints_without_motors_beside_wheels_find_their_motion() -> None:
    robot = with_numbers(CAR + LOOSE)
    state = {name: x[0] for name, x in random_states(robot, 1).items()}
    state["qdd"] = state["qdd"][:2]  # of the motors
    inverse, direct = (model(name, robot, optimize=False) for name in ("inverse_dynamics", "direct_dynamics"))
    found = inverse.compile("numpy")(**{name: state[name] for name in inverse.inputs})
    again = direct.compile("numpy")(**{name: (state | {"tau": found.GAM})[name] for name in direct.inputs})
    np.testing.assert_allclose(again.QDP, np.r_[state["qdd"], found.QDP], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.VP, state["VP"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.VP0, found.VP0, rtol=1e-9, atol=1e-9)


def test_coriolis_and_inertia_matrix_are_of_one_energy() -> None:
    """C v are the Coriolis torques, and Ȧ − 2C is skew-symmetric along the motion of platform and wheels."""
    robot = with_numbers()
    state = {name: x[0] for name, x in random_states(robot, 1).items()}
    given = {name: state[name] for name in ("T", "V", "q", "qd")}
    C = model("coriolis", robot, optimize=False).compile("numpy")(**given)
    v = np.r_[state["qd"], state["V"][2:5]]
    torques = model("coriolis_torques", robot, optimize=False).compile("numpy")(**given)
    np.testing.assert_allclose(C @ v, torques, rtol=1e-9, atol=1e-9)
    A = model("inertia_matrix", robot, optimize=False).compile("numpy")
    after, before = (A(moved(state["T"], h * state["V"]), state["q"] + h * state["qd"]) for h in (1e-5, -1e-5))
    S = (after - before) / 2e-5 - 2 * C
    assert np.abs(S + S.T).max() < 1e-7 * np.abs(S).max()


def test_derivatives_by_the_pose_and_by_the_joints_beside_legs() -> None:
    """Along the motions of the platform, and by each joint of the wheels: a weight turns with its wheel."""
    robot = with_numbers()
    state = {name: x[0] for name, x in random_states(robot, 1).items()}
    energies = model("energies", robot, optimize=False)
    given = {array.name: state[array.name] for array in energies.program.inputs}
    Q = model("gravity", robot, optimize=False).compile("numpy")(state["T"], state["q"])
    for name, part in (("q", Q[:2]), ("T", Q[2:])):
        found = energies.derivative(name).compile("numpy")(**given)
        np.testing.assert_allclose(getattr(found, f"dU_d{name}"), part, rtol=1e-9, atol=1e-9)


@pytest.mark.long
def test_models_with_base_parameters_have_no_column_too_many() -> None:
    """As many columns as the regressor of all parameters has independent ones."""
    robot = with_numbers()
    state = random_states(robot, 60)
    found = {}
    for params in ("standard", "base"):
        regressor = model("dynamic_regressor", robot, params=params)
        D = regressor.compile("numpy")(**{array.name: state[array.name] for array in regressor.program.inputs})
        found[params] = np.reshape(D, (-1, np.shape(D)[-1]))
    used = found["standard"][:, np.abs(found["standard"]).max(axis=0) > 0]
    values = np.linalg.svd(used / np.linalg.norm(used, axis=0), compute_uv=False)
    rank = int((values > 1e-8).sum())
    assert values[rank - 1] > 1e6 * values[rank]
    assert found["base"].shape[1] == rank == np.linalg.matrix_rank(found["base"])


def test_base_parameters_name_their_cause() -> None:
    said = symoro.base_parameters(on_wheels()).eliminated.values()
    assert any(text.startswith("by the constraints of the platform and of the wheels") for text in said)


def test_what_does_not_take_wheels_says_so() -> None:
    robot = on_wheels()
    for use in (symoro.excite, Subject.of):
        with raised("coordinates.moving_platform", NotApplicable, kind="mobile"):
            use(robot)
    for name in ("reactions", "direct_reactions"):
        with raised("models.forces_of_wheels", NotApplicable):
            model(name, robot)
    with raised("models.base_velocities", NotApplicable):
        model("filtered_regressor", robot)


HEAVY = CAR.replace('inertia = "symbolic"', "inertia = {XX = 0.2, YY = 0.3, ZZ = 0.4, M = 2}")


def frictionless() -> Robot:
    robot = toml.read_text(text(HEAVY), "x").robot
    return robot.with_values({name: 0 for name in robot.values if name[:2] in ("FV", "FS")})


@pytest.mark.long
def test_it_keeps_its_energy_and_rolls() -> None:
    robot = frictionless()
    s = symoro.simulate(robot, duration=0.2, T0=home(robot), q0=[0.0, 0.0], qd0=[0.05, -0.02, 0.03, 2.0, -1.0])
    total = s.energy.kinetic + s.energy.potential
    assert not s.stopped
    assert np.ptp(s.energy.kinetic) > 1
    assert np.ptp(total) < 1e-10 * np.abs(total).max()
    x, y, z = s.part("position").T
    turned = 0.1 / 0.6 * (s.q[:, 4] - s.q[:, 3])  # R (q_right − q_left) / 2W, as the wheels do not slip
    heading = 2 * np.arctan2(s.part("quat")[:, 2], s.part("quat")[:, 3])
    assert_close(np.abs(heading), np.abs(turned), 1e-9)
    assert_close(np.gradient(y, s.t)[5:-5], (np.tan(heading) * np.gradient(x, s.t))[5:-5], 1e-5)
    assert not z.any()


@pytest.mark.long
def test_computed_torque_gives_the_error_its_frequency() -> None:
    """ë + 2 ω ė + ω² e = 0, from rest: e = e₀ (1 + ω t) exp(−ω t)."""
    robot, w = frictionless(), 20.0
    motors = symoro.simulate(robot, duration=0.001, T0=home(robot), q0=[0.0, 0.0]).q[0]
    start = motors + np.array([0.01, -0.02, 0.015, 0.3, -0.2])
    stay = symoro.trajectory(motors, motors + 1e-12, duration=0.2)
    law = symoro.computed_torque(robot, frequency=w)
    s = symoro.simulate(robot, law, stay, q0=start, method="DOP853", period=0.02)
    assert_close(s.error, ((1 + w * s.t) * np.exp(-w * s.t))[:, None] * (motors - start), 1e-7)


def test_a_robot_without_numbers_rolls_too() -> None:
    head, _, _ = text().partition("[values]")
    robot = toml.read_text(head, "x").robot
    assert model("inverse_dynamics", robot, optimize=False).outputs["V0"] == (6,)


@pytest.mark.parametrize("radius", ["0", "-0.1"])
def test_a_wheel_has_a_radius(radius: str) -> None:
    with pytest.raises(FormatError, match=r"has the radius -?0.* \(allowed: more than 0\)"):
        toml.read_text(text(CAR.replace('"R"', radius)), "x")


def test_the_velocity_of_the_platform_is_given_and_wheels_tell_that_of_the_base() -> None:
    robot = frictionless()
    V = np.r_[0, 0, 0.1, 0.1, -0.2, 0] @ _allowed(robot)
    s = symoro.simulate(robot, duration=0.001, T0=home(robot), V0=V, q0=[0.0, 0.0], qd0=[1.0, 2.0])
    assert_close(s.part("V")[0], V, 1e-9)
    assert_close(s.qd[0, 3:], [1.0, 2.0], 1e-12)


def _allowed(robot: Robot) -> Any:
    """What projects velocities of the platform on those that its legs allow at home."""
    J = model("jacobian", robot).compile()(home(robot), np.zeros(2))[:, :3]
    return (J @ np.linalg.pinv(J)).T
