"""Torques against Pinocchio's recursive Newton-Euler algorithm."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.library_robots import solid_tree_names
from support.pinocchio_robot import external_forces, oracle
from support.random_robots import random_robot
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.robot.values import evaluate as value_of


def pinocchio_torques(robot: symoro.Robot, state: dict[str, np.ndarray]) -> np.ndarray:
    """Pinocchio's torques, with rotor inertias and friction added by hand (K97:20)."""
    numbers = robot_numbers(robot)
    moving = "V0" in state
    o = oracle(robot, numbers, free=moving)
    base = None
    if moving:  # Pinocchio takes the spatial acceleration, the papers the classical one
        base = state["VP0"].copy()
        base[:3] -= np.cross(state["V0"][3:], state["V0"][:3])
    links = [j for j in range(1, robot.link_count + 1) if not robot.wrench(j).is_zero]
    forces = external_forces(o, dict(zip(links, state.get("wrench", ()), strict=True)))
    q, v, a = o.q(state["q"]), o.v(state["qd"], state.get("V0")), o.v(state["qdd"], base)
    torques = pin.rnea(o.model, o.data, q, v, a, forces)[o.velocity_index]
    movable = [j.index for j in robot.joints[: robot.link_count] if j.movable]
    drives = {name: np.array([_drive(robot, name, j, numbers) for j in movable]) for name in ("IA", "FV", "FS")}
    return torques + drives["IA"] * state["qdd"] + drives["FV"] * state["qd"] + drives["FS"] * np.sign(state["qd"])


def _drive(robot: symoro.Robot, name: str, j: int, numbers: dict[str, float]) -> float:
    return value_of(getattr(robot.drive(j), name), numbers)


def assert_agrees(robot: symoro.Robot, optimize: bool, seed: int) -> None:
    program = validate(symoro.inverse_dynamics(robot, optimize=optimize).program)
    rng = np.random.default_rng(seed)
    state = {array.name: rng.normal(size=array.shape) for array in program.inputs}
    expected = pinocchio_torques(robot, state)
    torques = evaluate(program, state, robot_numbers(robot))["GAM"]
    assert_close(torques, expected, 1e-10)


@pytest.mark.parametrize("structure", ["serial", "tree"])
@pytest.mark.parametrize("seed", range(100))
def test_random_robots_in_the_plain_form(seed: int, structure: str) -> None:
    assert_agrees(random_robot(seed, structure=structure), False, seed)


@pytest.mark.parametrize("structure", ["serial", "tree"])
@pytest.mark.parametrize("seed", some(6, of=100, long=20))
def test_random_robots_optimised(seed: int, structure: str) -> None:
    assert_agrees(random_robot(seed, structure=structure), True, seed)


@pytest.mark.parametrize("name", solid_tree_names())
def test_library_robots(name: str) -> None:
    assert_agrees(symoro.load(name), True, 0)
