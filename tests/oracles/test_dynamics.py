"""The dynamic models of trees against Pinocchio, and the methods of each against one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.library_robots import solid_tree_names
from support.pinocchio_robot import oracle
from support.random_robots import random_robot
from support.reference import Reference, State
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.models.catalogue import find
from symoro.solve.given import model

TOLERANCE = 1e-9
STRUCTURES: dict[str, dict[str, Any]] = {
    "serial": {"structure": "serial", "kinds": "revolute"},
    "tree": {"structure": "tree", "kinds": "mixed"},
    "prismatic": {"structure": "serial", "kinds": "prismatic"},
    "fixed": {"structure": "serial", "kinds": "mixed"},
}
FEW, MANY = range(2), some(2, of=100)[2:]


def random_state(robot: symoro.Robot, seed: int) -> State:
    program = symoro.inverse_dynamics(robot, optimize=False).program
    rng = np.random.default_rng(seed)
    return {array.name: rng.normal(size=array.shape) for array in program.inputs}


def run(robot: symoro.Robot, name: str, state: State, **options: Any) -> dict[str, np.ndarray]:
    program = validate(model(name, robot, **options).program)
    given = {array.name: state[array.name] for array in program.inputs}
    return evaluate(program, given, robot_numbers(robot))


def methods(robot: symoro.Robot, name: str, state: State, **options: Any) -> Any:
    """The outputs of each method of a model; methods that do not exist for the robot are left out."""
    for method in (m for m in find(name).of(robot).choices if m != "auto"):
        try:
            yield run(robot, name, state, **({"method": method} if method else {}), **options)
        except NotApplicable:
            assert "V0" in state


def check_all(robot: symoro.Robot, seed: int, **options: Any) -> None:
    """Compare every model, by every method, with Pinocchio."""
    state = random_state(robot, seed)
    reference = Reference(robot, state)
    qd, qdd = state["qd"], state["qdd"]
    state["tau"] = reference.torques(qdd)
    for out in methods(robot, "inverse_dynamics", state, **options):
        assert_close(out["GAM"], state["tau"], TOLERANCE)
    for out in methods(robot, "inertia_matrix", state, **options):
        assert_close(out["A"], reference.inertia, TOLERANCE)
    for out in methods(robot, "bias", state, **options):
        assert_close(out["H"], reference.bias, TOLERANCE)
    for out in methods(robot, "gravity", state, **options):
        assert_close(out["Q"], reference.gravity, TOLERANCE)
    for out in methods(robot, "coriolis_torques", state, **options):
        assert_close(out["CQP"], reference.coriolis, TOLERANCE)
    symbols = [out["C"] for out in methods(robot, "coriolis", state, **options)]
    for C in symbols:
        assert_close(C @ qd, reference.coriolis, TOLERANCE)
        assert_close(C, symbols[0], TOLERANCE)
    check_lagrange(robot, state, reference, options)
    check_direct(robot, state, reference, options)


def check_lagrange(robot: symoro.Robot, state: State, reference: Reference, options: dict[str, Any]) -> None:
    qd = state["qd"]
    products = np.array([qd[j] * qd[k] for j in range(len(qd)) for k in range(j, len(qd))])
    sets = list(methods(robot, "lagrange_coefficients", state, **options))
    for out in sets:
        assert_close(out["A"], reference.inertia, TOLERANCE)
        assert_close(out["B"] @ products, reference.coriolis, TOLERANCE)
        assert_close(out["B"], sets[0]["B"], TOLERANCE)
        assert_close(out["Q"], reference.gravity, TOLERANCE)
    E, U = reference.energies()
    optimize = {k: v for k, v in options.items() if k == "optimize"}
    energies = run(robot, "energies", state, **optimize)
    assert_close(np.array([energies["E"], energies["U"]]), np.array([E, U]), TOLERANCE)


def check_direct(robot: symoro.Robot, state: State, reference: Reference, options: dict[str, Any]) -> None:
    """Compare accelerations and reactions; cond(A) multiplies the tolerance of what is solved for."""
    qdd, condition = state["qdd"], np.linalg.cond(reference.inertia)
    if "V0" not in state:
        assert_close(reference.accelerations(state["tau"]), qdd, TOLERANCE, condition)
    for out in methods(robot, "direct_dynamics", state, **options):
        assert_close(out["QDP"], qdd, TOLERANCE, condition)
    forces = reference.reactions(qdd)
    expected = np.array([forces[j] for j in reference.movable])
    rows = [j - 1 for j in reference.movable]
    optimize = {k: v for k, v in options.items() if k == "optimize"}
    assert_close(run(robot, "reactions", state, **optimize)["R"][rows], expected, TOLERANCE)
    for out in methods(robot, "direct_reactions", state, **optimize):
        assert_close(out["R"][rows], expected, TOLERANCE, condition)
        assert_close(out["QDP"], qdd, TOLERANCE, condition)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", FEW)
def test_every_method(seed: int, structure: str) -> None:
    check_all(random_robot(seed, **STRUCTURES[structure]), seed, optimize=False)


@pytest.mark.long
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", MANY)
def test_every_method_on_many_robots(seed: int, structure: str) -> None:
    check_all(random_robot(seed, **STRUCTURES[structure]), seed, optimize=False)


SMALL = [name for name in solid_tree_names() if symoro.load(name).link_count <= 7]


@pytest.mark.parametrize("name", ["planar2r", "scara", "tx40"])
def test_library_robots(name: str) -> None:
    check_all(symoro.load(name), 0, optimize=False)


@pytest.mark.long
@pytest.mark.parametrize("name", solid_tree_names())
def test_every_library_robot(name: str) -> None:
    check_all(symoro.load(name), 0, optimize=False)


@pytest.mark.long
@pytest.mark.parametrize("params", ["standard", "base"])
@pytest.mark.parametrize("name", SMALL)
def test_library_robots_optimised(name: str, params: str) -> None:
    robot = symoro.load(name)
    state = random_state(robot, 1)
    reference = Reference(robot, state)
    state["tau"] = reference.torques(state["qdd"])
    options = {"params": params}
    assert_close(run(robot, "inverse_dynamics", state, **options)["GAM"], state["tau"], TOLERANCE)
    assert_close(run(robot, "inertia_matrix", state, **options)["A"], reference.inertia, TOLERANCE)
    assert_close(run(robot, "bias", state, **options)["H"], reference.bias, TOLERANCE)
    assert_close(run(robot, "gravity", state, **options)["Q"], reference.gravity, TOLERANCE)
    assert_close(run(robot, "coriolis", state, **options)["C"] @ state["qd"], reference.coriolis, TOLERANCE)
    condition = np.linalg.cond(reference.inertia)
    assert_close(run(robot, "direct_dynamics", state, **options)["QDP"], state["qdd"], TOLERANCE, condition)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", FEW)
def test_base_parameters_give_the_same_torques(seed: int, structure: str) -> None:
    robot = random_robot(seed, **STRUCTURES[structure], moving_base=0.0)
    state = random_state(robot, seed)
    state["tau"] = state["qdd"]
    for name in ("inertia_matrix", "bias", "gravity", "coriolis", "direct_dynamics"):
        expected = run(robot, name, state, optimize=False)
        condition = np.linalg.cond(Reference(robot, state).inertia) if name == "direct_dynamics" else 1
        for out in methods(robot, name, state, params="base", optimize=False):
            for key, value in out.items():
                assert_close(value, expected[key], TOLERANCE, condition)


# derivatives


def derivative(robot: symoro.Robot, name: str, by: str, state: State, **options: Any) -> np.ndarray:
    program = validate(model(name, robot, optimize=False, **options).derivative(by).program)
    given = {array.name: state[array.name] for array in program.inputs}
    (value,) = evaluate(program, given, robot_numbers(robot)).values()
    return value


def check_derivatives(robot: symoro.Robot, seed: int) -> None:
    state = random_state(robot, seed)
    reference = Reference(robot, state)
    state["tau"] = reference.torques(state["qdd"])
    o = oracle(robot, reference.numbers)
    reference.armed(o)
    q, v, a = o.q(state["q"]), o.v(state["qd"]), o.v(state["qdd"])
    pin.computeRNEADerivatives(o.model, o.data, q, v, a, reference.forces)
    index = np.ix_(o.velocity_index, o.velocity_index)
    by_q, by_v = o.data.dtau_dq[index], o.data.dtau_dv[index] + np.diag(reference.drive("FV"))
    assert_close(derivative(robot, "inverse_dynamics", "q", state), by_q, TOLERANCE)
    assert_close(derivative(robot, "inverse_dynamics", "qd", state), by_v, TOLERANCE)
    assert_close(derivative(robot, "inverse_dynamics", "qdd", state), reference.inertia, TOLERANCE)
    tau = o.v(state["tau"] - reference.friction)
    pin.computeABADerivatives(o.model, o.data, q, v, tau, reference.forces)
    inverse = np.linalg.inv(reference.inertia)
    expected = {"q": o.data.ddq_dq[index], "qd": o.data.ddq_dv[index] - inverse @ np.diag(reference.drive("FV"))}
    condition = np.linalg.cond(reference.inertia)
    for method in ("recursive", "inertia-matrix"):
        for by, wanted in (*expected.items(), ("tau", inverse)):
            found = derivative(robot, "direct_dynamics", by, state, method=method)
            assert_close(found, wanted, TOLERANCE, condition)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", FEW)
def test_derivatives(seed: int, structure: str) -> None:
    check_derivatives(random_robot(seed, **STRUCTURES[structure], joints=4, moving_base=0.0), seed)


@pytest.mark.long
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("seed", MANY)
def test_derivatives_on_many_robots(seed: int, structure: str) -> None:
    check_derivatives(random_robot(seed, **STRUCTURES[structure], moving_base=0.0), seed)
