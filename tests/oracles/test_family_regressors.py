"""Energy, power and filtered identification models of loops, wheels and floating bases."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.families import (
    columns_of,
    drawn,
    projected,
    value,
    without_wrenches,
)
from support.free_robots import Array
from support.samples import some
from symoro.bind.interface import robot_numbers

SOME = pytest.mark.parametrize("seed", some(2, of=30))
CONSTRAINED = pytest.mark.parametrize("family", ["loops", "wheels", "loops-wheels"])


@CONSTRAINED
@SOME
def test_energy_and_power_regressors(family: str, seed: int) -> None:
    """h K is the energy, dh K the power of the motors, DH the difference of h at two states."""
    robot, state = drawn(family, seed)
    state = {name: x for name, x in state.items() if name != "wrench"}
    robot = without_wrenches(robot)
    energies = value(symoro.energies(robot, optimize=False), state)
    energy = symoro.energy_regressor(robot, optimize=False, friction=True)
    K = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(energy, "h")])
    assert_close(value(energy, state)["h"] @ K, energies["E"] + energies["U"], 1e-9)
    lost = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(energy, "hf")])
    friction = value(symoro.friction(robot, optimize=False), state)["GAMF"]
    assert_close(value(energy, state)["hf"] @ lost, friction @ state["qd"], 1e-9)
    power = symoro.power_regressor(robot, optimize=False, friction=True)
    K = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(power, "dh")])
    GAM = value(symoro.inverse_dynamics(robot, optimize=False), state)["GAM"]
    assert_close(value(power, state)["dh"] @ K, GAM @ state["qd"], 1e-9)
    both = state | {"q_end": state["q"], "qd_end": 2 * state["qd"]}
    difference = value(symoro.energy_difference_regressor(robot, optimize=False), both)["DH"]
    faster = value(energy, state | {"qd": 2 * state["qd"]})["h"]
    assert_close(difference, faster - value(energy, state)["h"], 1e-9)


@pytest.mark.parametrize("family", ["floating", "loops-floating"])
@SOME
def test_power_regressors_of_floating_robots(family: str, seed: int) -> None:
    """Nothing works on a floating base: dh K is the power of the motors."""
    robot, state = drawn(family, seed)
    robot = without_wrenches(robot)
    state = {name: x for name, x in state.items() if name != "wrench"}
    inverse = value(symoro.inverse_dynamics(robot, optimize=False), state)
    power = symoro.power_regressor(robot, optimize=False, friction=True)
    K = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(power, "dh")])
    assert_close(value(power, state | inverse)["dh"] @ K, inverse["GAM"] @ state["qd"], 1e-8)


@SOME
def test_filtered_regressors_of_loops(seed: int) -> None:
    """d(D1 K)/dt + D2 K along a motion are the torques of the motors."""
    robot, state = drawn("loops", seed)
    robot = without_wrenches(robot)
    model = symoro.filtered_regressor(robot, optimize=False, friction=True)
    K = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(model, "D1")])
    at = projected(robot, {name: x for name, x in state.items() if name != "wrench"})

    def momenta(h: float) -> Array:
        moved = state | {"q": state["q"] + h * at.motion.u, "qd": state["qd"] + h * state["qdd"]}
        return np.asarray(value(model, moved)["D1"] @ K)

    change = (momenta(1e-5) - momenta(-1e-5)) / 2e-5
    GAM = value(symoro.inverse_dynamics(robot, optimize=False), state)["GAM"]
    assert_close(change + value(model, state)["D2"] @ K, GAM, 1e-6)
