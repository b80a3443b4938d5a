"""Laws that inverse dynamics obeys for every robot."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from support.close import assert_close
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.robot.link import Drive, Inertia

ROBOTS = st.builds(
    random_robot,
    st.integers(0, 10_000),
    joints=st.integers(1, 5),
    structure=st.sampled_from(["serial", "tree"]),
)
SEEDS = st.integers(0, 10_000)


def torques(robot: symoro.Robot, optimize: bool = True):  # type: ignore[no-untyped-def]
    """The program, and the torques as a function of state and parameters."""
    program = symoro.inverse_dynamics(robot, optimize=optimize).program
    return program, lambda state, numbers: evaluate(program, state, numbers)["GAM"]


def random_state(program, rng):  # type: ignore[no-untyped-def]
    return {array.name: rng.normal(size=array.shape) for array in program.inputs}


@settings(max_examples=30, deadline=None)
@given(ROBOTS, SEEDS)
def test_torques_are_affine_in_the_inertial_and_drive_parameters(robot: symoro.Robot, seed: int) -> None:
    program, gam = torques(robot)
    rng, numbers = np.random.default_rng(seed), robot_numbers(robot)
    state = random_state(program, rng)
    linear = [f"{n}{j}" for j in range(1, robot.link_count + 1) for n in (*Inertia.names(), *Drive.names())]
    one, two = ({n: rng.normal() for n in linear} for _ in range(2))
    mixed = {n: 0.25 * one[n] + 0.75 * two[n] for n in linear}
    left = gam(state, numbers | mixed)
    right = 0.25 * gam(state, numbers | one) + 0.75 * gam(state, numbers | two)
    assert_close(left, right, 1e-9)


@settings(max_examples=30, deadline=None)
@given(ROBOTS, SEEDS)
def test_passes_keep_the_meaning(robot: symoro.Robot, seed: int) -> None:
    program, optimised = torques(robot, optimize=True)
    _, plain = torques(robot, optimize=False)
    state, numbers = random_state(program, np.random.default_rng(seed)), robot_numbers(robot)
    expected = plain(state, numbers)
    assert_close(optimised(state, numbers), expected, 1e-12)


@settings(max_examples=30, deadline=None)
@given(ROBOTS, SEEDS)
def test_the_torques_of_a_wrench_do_not_depend_on_the_motion(robot: symoro.Robot, seed: int) -> None:
    """Γ(w) − Γ(0) is Jᵀ w with the Jacobian matrices of the links: it does not depend on q̇ and q̈."""
    program, gam = torques(robot)
    rng, numbers = np.random.default_rng(seed), robot_numbers(robot)
    state = random_state(program, rng)
    if "wrench" not in state:
        return
    nothing = state | {"wrench": 0 * state["wrench"]}
    other = {"qdd": rng.normal(size=state["qdd"].shape), "qd": rng.normal(size=state["qd"].shape)}
    here = gam(state, numbers) - gam(nothing, numbers)
    there = gam(state | other, numbers) - gam(nothing | other, numbers)
    assert np.allclose(here, there, rtol=1e-9, atol=1e-9 * (1 + np.abs(gam(state, numbers)).max()))


@settings(max_examples=20, deadline=None)
@given(st.builds(random_robot, st.integers(0, 10_000), joints=st.integers(1, 4), moving_base=st.just(0.0)), SEEDS)
def test_the_power_of_the_torques_is_the_change_of_the_energy(robot: symoro.Robot, seed: int) -> None:
    """Without friction, the power of the torques is the derivative of the energy ½ q̇ᵀ A q̇ + U.

    A q̇ is Γ(q, 0, q̇) − Γ(q, 0, 0), so that the kinetic energy comes from the torques themselves. Its derivative along
    the motion comes from finite differences.
    """
    program, gam = torques(robot)
    rng = np.random.default_rng(seed)
    frictionless = {f"{n}{j}": 0.0 for j in range(1, robot.link_count + 1) for n in ("FV", "FS")}
    numbers = robot_numbers(robot) | frictionless
    state = random_state(program, rng)
    state = {k: (0 * v if k == "wrench" else v) for k, v in state.items()}
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    zero = 0 * q

    def run(q, qd, qdd):  # type: ignore[no-untyped-def]
        return gam(state | {"q": q, "qd": qd, "qdd": qdd}, numbers)

    def momentum(q, qd):  # type: ignore[no-untyped-def]
        return run(q, zero, qd) - run(q, zero, zero)

    def kinetic(t):  # type: ignore[no-untyped-def]
        velocity = qd + t * qdd
        return 0.5 * velocity @ momentum(q + t * qd + t * t / 2 * qdd, velocity)

    h = 1e-4
    rate = (8 * (kinetic(h) - kinetic(-h)) - (kinetic(2 * h) - kinetic(-2 * h))) / (12 * h)
    power = qd @ run(q, qd, qdd)
    gravity = qd @ run(q, zero, zero)
    assert abs(power - gravity - rate) <= 1e-7 * (1 + abs(power) + abs(rate) + abs(gravity))
