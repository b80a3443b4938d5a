"""Friction laws and coupled drives, against the formulas in NumPy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.bind.interface import robot_numbers
from symoro.errors import CheckError, NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.given import model

SPEEDS = np.array([-2.0, -0.3, -0.01, 0.0, 0.02, 0.4, 3.0])


def one_joint(**drive: float) -> Robot:
    table = Drive(**{name: as_value(x) for name, x in drive.items()})
    return Robot("one", (Joint(1, "joint1", 0),), (Inertia(ZZ=as_value(2)),), (table,), gravity=(as_value(0),) * 3)


def friction(robot: Robot, speeds: np.ndarray) -> np.ndarray:
    program = model("friction", robot).program
    return np.array([evaluate(program, {"qd": np.array([v])}, robot_numbers(robot))["GAMF"][0] for v in speeds])


def test_viscous_and_coulomb() -> None:
    assert_close(friction(one_joint(FV=0.5, FS=2), SPEEDS), 0.5 * SPEEDS + 2 * np.sign(SPEEDS), 1e-14)


def test_asymmetric_coulomb_and_offset() -> None:
    expected = np.where(SPEEDS > 0, 2.5, np.where(SPEEDS < 0, -1.5, 0.0)) + 0.1
    assert_close(friction(one_joint(FS=2, FA=0.5, FO=0.1), SPEEDS), expected, 1e-14)


def test_static_friction_fades_with_the_velocity() -> None:
    """K13:7.26."""
    sign, fading = np.sign(SPEEDS), np.exp(-7 * np.abs(SPEEDS))
    expected = 2 * sign + 0.5 * SPEEDS + (3 - 2) * sign * fading
    assert_close(friction(one_joint(FS=2, FV=0.5, FST=3, BST=7), SPEEDS), expected, 1e-14)


def test_smooth_friction_tends_to_the_sharp_one_and_has_derivatives() -> None:
    sharp = friction(one_joint(FS=2, FV=0.5, FST=3, BST=7), SPEEDS)
    smooth = friction(one_joint(FS=2, FV=0.5, FST=3, BST=7, VS=1e-6), SPEEDS)
    assert_close(smooth, sharp, 1e-7)
    program = model("friction", one_joint(FS=2, VS=0.1)).derivative("qd").program
    assert evaluate(program, {"qd": np.array([0.0])}, {})["dGAMF_dqd"] == pytest.approx(2 / 0.1)


def test_friction_is_in_every_model_of_torques() -> None:
    robot = one_joint(IA=1, FS=2, FV=0.5, FST=3, BST=7, FA=0.2, FO=0.1)
    state = {"q": np.array([0.3]), "qd": np.array([0.4]), "qdd": np.array([1.5])}
    resists = friction(robot, state["qd"])
    for method in ("newton-euler", "lagrange"):
        tau = evaluate(symoro.inverse_dynamics(robot, method=method).program, state, {})["GAM"]
        assert_close(tau, 3 * 1.5 + resists, 1e-14)
    for method in ("newton-euler", "lin"):
        given = {"q": state["q"], "qd": state["qd"]}
        assert_close(evaluate(symoro.bias(robot, method=method).program, given, {})["H"], resists, 1e-14)
    for method in ("recursive", "inertia-matrix"):
        program = symoro.direct_dynamics(robot, method=method).program
        given = {"q": state["q"], "qd": state["qd"], "tau": tau}
        assert_close(evaluate(program, given, {})["QDP"], [1.5], 1e-14)


# the TX40: motor 6 turns with joints 5 and 6


def coupled_wrist() -> Robot:
    """q̇m5 = q̇5 and q̇m6 = q̇5 + q̇6, so that q̇ = Jqm q̇m has −1 in row 6, column 5 (K13:7.31)."""
    rows = [[as_value(int(i == k)) for k in range(6)] for i in range(6)]
    rows[5][4] = as_value(-1)
    return replace(symoro.load("tx40"), coupling=tuple(tuple(row) for row in rows))


def numbers_of(robot: Robot) -> dict[str, float]:
    return robot_numbers(robot)


def random_state() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    state = {name: rng.normal(size=6) for name in ("q", "qd", "qdd")}
    return state | {"wrench": rng.normal(size=(1, 6))}


@cache
def program_of(robot: Robot, name: str, **options: str) -> Program:
    return model(name, robot, optimize=False, **options).program


def run(robot: Robot, name: str, state: dict[str, np.ndarray], **options: str) -> dict[str, np.ndarray]:
    program = program_of(robot, name, **options)
    return evaluate(program, {a.name: state[a.name] for a in program.inputs}, numbers_of(robot))


def expected_torques(state: dict[str, np.ndarray]) -> np.ndarray:
    """The torques of the links, with the drives of joints 5 and 6 written out."""
    robot = coupled_wrist()
    bare = replace(robot, drives=tuple(Drive() for _ in robot.joints), coupling=())
    n = numbers_of(robot)
    IA, FV, FS = (np.array([n[f"{name}{j}"] for j in range(1, 7)]) for name in ("IA", "FV", "FS"))
    speed, acceleration = state["qd"].copy(), state["qdd"].copy()
    speed[5] += speed[4]
    acceleration[5] += acceleration[4]
    motor = IA * acceleration + FV * speed + FS * np.sign(speed)
    joint = motor.copy()
    joint[4] += motor[5]
    return run(bare, "inverse_dynamics", state)["GAM"] + joint


@pytest.mark.parametrize("method", ["newton-euler", "lagrange"])
def test_coupled_torques(method: str) -> None:
    state = random_state()
    found = run(coupled_wrist(), "inverse_dynamics", state, method=method)["GAM"]
    assert_close(found, expected_torques(state), 1e-13)


def test_motor_torques_do_the_work_of_the_joint_torques() -> None:
    """K13:7.32."""
    state, robot = random_state(), coupled_wrist()
    tau, motors = run(robot, "inverse_dynamics", state)["GAM"], run(robot, "motor_torques", state)["TAUM"]
    speed = state["qd"].copy()
    speed[5] += speed[4]
    assert motors @ speed == pytest.approx(tau @ state["qd"])
    assert motors[4] == pytest.approx(tau[4] - tau[5])


@pytest.mark.parametrize("method", ["composite-links", "renaud", "lin", "walker-orin"])
def test_coupled_inertia(method: str) -> None:
    state, robot = random_state(), coupled_wrist()
    A = run(robot, "inertia_matrix", state, method=method)["A"]
    zero = {**state, "qd": 0 * state["qd"]}
    columns = [expected_torques(zero | {"qdd": e}) - expected_torques(zero | {"qdd": 0 * e}) for e in np.eye(6)]
    assert_close(A, np.array(columns).T, 1e-12)


def test_coupled_accelerations() -> None:
    state, robot = random_state(), coupled_wrist()
    state["tau"] = expected_torques(state)
    for method in ("auto", "inertia-matrix"):
        assert_close(run(robot, "direct_dynamics", state, method=method)["QDP"], state["qdd"], 1e-11)
    with raised("dynamics.coupled_rotors", NotApplicable):
        symoro.direct_dynamics(robot, method="recursive")


def test_a_gear_ratio_multiplies_the_rotor_by_its_square() -> None:
    """K13:7.29: the joint turns 1/50 of the motor."""
    geared = replace(one_joint(IA=2e-3), coupling=((as_value("1/50"),),))
    A = evaluate(symoro.inertia_matrix(geared).program, {"q": np.zeros(1)}, {})["A"]
    assert A[0, 0] == pytest.approx(2 + 50**2 * 2e-3)
    assert symoro.direct_dynamics(geared, method="recursive").ops.total > 0


def test_a_singular_coupling_is_refused() -> None:
    with raised("descriptions.singular_coupling", CheckError):
        symoro.inertia_matrix(replace(one_joint(IA=1), coupling=((as_value(0),),)))
