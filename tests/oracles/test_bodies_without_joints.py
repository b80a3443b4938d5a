"""Robots without movable joints or without motors, on every base."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.families import (
    body_afloat,
    columns_of,
    value,
    without_wrenches,
)
from support.free_robots import Tree
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind


@pytest.mark.parametrize("seed", some(3, of=20))
def test_a_floating_body_without_joints(seed: int) -> None:
    robot = body_afloat(seed)
    rng = np.random.default_rng(seed)
    none = np.zeros(0)
    quat = rng.normal(size=4)
    state = {"quat": quat / np.linalg.norm(quat), "V0": rng.normal(size=6), "q": none, "qd": none, "qdd": none}
    robot = without_wrenches(robot)
    tree = Tree(robot, state)
    expected = tree.accelerations(none)
    models = {name: getattr(symoro, name)(robot, optimize=False) for name in ("inverse_dynamics", "direct_dynamics")}
    for model in models.values():
        assert list(model.inputs) == ["quat", "V0", "q", "qd"]
        assert_close(value(model, state)["VP0"], expected, 1e-9, tree.condition)
    A = value(symoro.inertia_matrix(robot, optimize=False), state)["A"]
    assert_close(A, tree.M, 1e-9)
    assert_close(value(symoro.bias(robot, optimize=False), state)["H"], tree.h, 1e-9)
    energies = value(symoro.energies(robot, optimize=False), state)
    assert_close(energies["E"], state["V0"] @ tree.M @ state["V0"] / 2, 1e-9)
    assert_close(energies["U"], pin.computePotentialEnergy(tree.o.model, tree.o.data, tree.q), 1e-9)
    D = symoro.dynamic_regressor(robot, optimize=False)
    K = np.array([robot_numbers(robot).get(name, 0.0) for name in columns_of(D, "D")])
    assert np.abs(value(D, state | {"VP0": expected})["D"] @ K).max() < 1e-9 * (1 + np.abs(tree.h).max())


@pytest.mark.parametrize("base", [Base(), Base(BaseKind.MOVING)], ids=["fixed", "moving"])
def test_a_body_without_joints_on_a_known_base(base: Base) -> None:
    robot = replace(body_afloat(0), base=base)
    shapes = {"inverse_dynamics": "GAM", "direct_dynamics": "QDP", "bias": "H", "gravity": "Q", "friction": "GAMF"}
    for name, output in shapes.items():
        model = getattr(symoro, name)(robot)
        assert model.outputs == {output: (0,)}
        assert not {"qdd", "tau"} & set(model.inputs)
        given = [np.zeros(0) for array in model.program.inputs if not array.optional]
        assert model.compile()(*given).shape == (0,)
    assert symoro.inertia_matrix(robot).outputs == {"A": (0, 0)}
    assert symoro.jacobian(robot, 2).outputs == {"J": (6, 0)}


def test_inputs_of_motors_are_left_out_where_there_are_none() -> None:
    """Joints without motors, and no movable joints: in both cases there is neither qdd nor tau."""
    for robot in (symoro.load("spring-mass"), body_afloat(0)):
        assert "tau" not in symoro.direct_dynamics(robot).inputs
        assert "qdd" not in symoro.inverse_dynamics(robot).inputs
