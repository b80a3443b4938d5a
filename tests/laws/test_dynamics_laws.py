"""Laws that the dynamic models obey for every robot."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.solve.given import model

ROBOTS = st.builds(
    random_robot,
    st.integers(0, 10_000),
    joints=st.integers(1, 5),
    structure=st.sampled_from(["serial", "tree"]),
    kinds=st.sampled_from(["mixed", "revolute", "prismatic"]),
)
STILL = st.builds(
    random_robot,
    st.integers(0, 10_000),
    joints=st.integers(1, 4),
    structure=st.sampled_from(["serial", "tree"]),
    moving_base=st.just(0.0),
)
SEEDS = st.integers(0, 10_000)
PARAMS = st.sampled_from(["standard", "base"])
State = dict[str, np.ndarray]


def run(robot: symoro.Robot, name: str, state: State, **options: Any) -> dict[str, np.ndarray]:
    program = model(name, robot, optimize=False, **options).program
    return evaluate(program, {a.name: state[a.name] for a in program.inputs}, robot_numbers(robot))


def random_state(robot: symoro.Robot, seed: int) -> State:
    rng = np.random.default_rng(seed)
    program = symoro.inverse_dynamics(robot, optimize=False).program
    return {a.name: rng.normal(size=a.shape) for a in program.inputs}


@settings(max_examples=25, deadline=None)
@given(ROBOTS, SEEDS, st.sampled_from(["recursive", "inertia-matrix"]), PARAMS)
def test_inverse_and_direct_dynamics_undo_each_other(robot: symoro.Robot, seed: int, method: str, params: str) -> None:
    state = random_state(robot, seed)
    tau = run(robot, "inverse_dynamics", state)["GAM"]
    qdd = run(robot, "direct_dynamics", state | {"tau": tau}, method=method, params=params)["QDP"]
    condition = np.linalg.cond(run(robot, "inertia_matrix", state)["A"])
    assert_close(qdd, state["qdd"], 1e-11, condition)


@settings(max_examples=25, deadline=None)
@given(ROBOTS, SEEDS, st.sampled_from(["composite-links", "renaud", "lin", "walker-orin"]), PARAMS)
def test_the_inertia_matrix_is_symmetric_and_positive(robot: symoro.Robot, seed: int, method: str, params: str) -> None:
    A = run(robot, "inertia_matrix", random_state(robot, seed), method=method, params=params)["A"]
    assert np.array_equal(A, A.T)
    assert np.linalg.eigvalsh(A).min() > 0


@settings(max_examples=25, deadline=None)
@given(ROBOTS, SEEDS, PARAMS)
def test_torques_are_linear_in_the_accelerations(robot: symoro.Robot, seed: int, params: str) -> None:
    """Γ = A q̈ + H."""
    state = random_state(robot, seed)
    A, H = run(robot, "inertia_matrix", state, params=params)["A"], run(robot, "bias", state, params=params)["H"]
    tau = run(robot, "inverse_dynamics", state)["GAM"]
    assert_close(A @ state["qdd"] + H, tau, 1e-11)


@settings(max_examples=20, deadline=None)
@given(ROBOTS, SEEDS, st.sampled_from(["christoffel", "lin"]), PARAMS)
def test_the_rate_of_a_minus_twice_c_is_skew(robot: symoro.Robot, seed: int, method: str, params: str) -> None:
    state = random_state(robot, seed)
    slopes = model("inertia_matrix", robot, optimize=False).derivative("q").program
    (slope,) = evaluate(slopes, {"q": state["q"]}, robot_numbers(robot)).values()
    rate = slope @ state["qd"]
    skew = rate - 2 * run(robot, "coriolis", state, method=method, params=params)["C"]
    assert np.abs(skew + skew.T).max() <= 1e-11 * (1 + np.abs(rate).max())


@settings(max_examples=20, deadline=None)
@given(STILL, SEEDS)
def test_energies_are_those_of_the_other_models(robot: symoro.Robot, seed: int) -> None:
    """E = ½ q̇ᵀ A q̇, ∂E/∂q̇ = A q̇ and ∂U/∂q = Q."""
    state = random_state(robot, seed)
    A = run(robot, "inertia_matrix", state)["A"]
    assert_close(run(robot, "energies", state)["E"], 0.5 * state["qd"] @ A @ state["qd"], 1e-11)
    for by, name, expected in (
        ("qd", "dE_dqd", A @ state["qd"]),
        ("q", "dU_dq", run(robot, "gravity", state)["Q"]),
    ):
        program = model("energies", robot, optimize=False).derivative(by).program
        got = evaluate(program, {"q": state["q"], "qd": state["qd"]}, robot_numbers(robot))[name]
        assert_close(got, expected, 1e-10)


@settings(max_examples=10, deadline=None)
@given(STILL, SEEDS)
def test_the_work_of_the_torques_is_the_change_of_the_energy(robot: symoro.Robot, seed: int) -> None:
    """The work of the torques, less friction, is the change of the energy, to 1e-8. There are no wrenches."""
    state, rng = random_state(robot, seed), np.random.default_rng(seed)
    n = len(state["q"])
    fv = {f"{name}{j}": x for j in range(1, robot.link_count + 1) for name, x in (("FV", 0.5), ("FS", 0.0))}
    direct, energies = symoro.direct_dynamics(robot).compile(), model("energies", robot).compile()
    friction = model("friction", robot).compile()
    tau, no_wrench = rng.normal(size=n), {"wrench": 0 * state["wrench"]} if "wrench" in state else {}

    def known(names: dict[str, Any], function: Any) -> dict[str, float]:
        return {k: v for k, v in names.items() if k in {p.name for p in function.program.parameters}}

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, qd = y[:n], y[n : 2 * n]
        qdd = direct(q, qd, tau, values=known(fv, direct), **no_wrench)
        return np.concatenate([qd, qdd, [qd @ (tau - friction(qd, values=known(fv, friction)))]])

    def total(y: np.ndarray) -> float:
        return float(sum(energies(y[:n], y[n : 2 * n])))

    start = np.concatenate([state["q"], 0.5 * state["qd"], [0.0]])
    way = solve_ivp(rate, (0, 0.3), start, method="DOP853", rtol=1e-11, atol=1e-12)
    gained, work = total(way.y[:, -1]) - total(start), way.y[-1, -1]
    largest = max(abs(total(y)) for y in way.y.T)
    assert abs(gained - work) <= 1e-8 * (1 + largest + abs(work))
