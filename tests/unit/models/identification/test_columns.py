"""The columns of identification models: which there are, what they are called, what they mean."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter, lsim

import symoro
from symoro.errors import NotApplicable
from symoro.models.identification.filters import filters
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive
from symoro.robot.values import Bindings, as_value


def test_columns_are_named_by_parameters() -> None:
    base = symoro.base_parameters("rx90")
    assert symoro.dynamic_regressor("rx90", params="base").columns == base.parameters
    assert symoro.dynamic_regressor("rx90").columns == base.standard
    assert symoro.inverse_dynamics("rx90").columns == ()


def test_elements_carry_names_and_meanings() -> None:
    D = symoro.dynamic_regressor("rx90", params="base").program.outputs[0]
    assert D.shape == (6, 40)
    assert D.names[:2] == ("D1_ZZR1", "D1_XXR2")
    assert D.meanings[0].text.startswith("row of joint 1, column ZZR1: inertia of link 1")
    assert D.meanings[0].equation == "K97:39"


def test_columns_that_are_asked_for() -> None:
    assert "FV1" not in symoro.dynamic_regressor("rx90").columns
    full = symoro.dynamic_regressor("rx90", rotors=True, friction=True, offset=True, params="base").columns
    assert len(full) == 40 + 12 + 6
    assert full[-1] == "FO6"
    bare = symoro.dynamic_regressor("scara", rotors=False, friction=False, params="base").columns
    assert bare == symoro.base_parameters("scara").inertial
    arm = symoro.dynamic_regressor("kuka-lwr", rotors=True, params="base").columns
    assert len(arm) == 48


FRICTION = {"FV": 0.4, "FS": 0.7, "FA": 0.2, "FO": 0.1, "FST": 1.1, "BST": 5.0}


def test_all_of_friction_is_linear_but_its_shape() -> None:
    """BST, by which static friction fades, stays a parameter of the model."""
    robot = symoro.load("planar2r")
    drives = [Drive(as_value(f"IA{j}"), *map(as_value, FRICTION.values())) for j in (1, 2)]
    robot = replace(robot, drives=tuple(drives), values=Bindings({**robot.values, "IA1": 1, "IA2": 2}))
    model = symoro.dynamic_regressor(robot)
    state = np.random.default_rng(0).normal(size=(3, 2))
    known = robot.values.numbers() | {f"{name}{j}": x for name, x in FRICTION.items() for j in (1, 2)}
    torque = symoro.inverse_dynamics(robot).compile("numpy")(*state)
    K = np.array([known[name] for name in model.columns])
    assert model.columns[-2:] == ("FO1", "FO2")
    np.testing.assert_allclose(model.compile("numpy")(*state) @ K, torque, rtol=1e-12)


def test_energy_needs_a_base_that_stands_still() -> None:
    robot = replace(symoro.load("rx90"), base=Base(BaseKind.MOVING))
    with pytest.raises(NotApplicable, match="fixed base"):
        symoro.energy_regressor(robot)


def test_energy_and_its_loss_are_apart() -> None:
    model = symoro.energy_regressor("scara", params="base")
    assert model.outputs == {"h": (11,), "hf": (8,)}
    assert model.columns == symoro.base_parameters("scara", friction=True).parameters
    assert symoro.energy_regressor("rx90").outputs == {"h": (66,)}


def test_filters() -> None:
    F, derived = filters(10.0)
    assert (F.numerator, F.denominator) == ((100.0,), (1.0, 20.0, 100.0))
    assert derived.numerator == (100.0, 0.0)
    assert filters(2.0, order=3)[0].denominator == (1.0, 6.0, 12.0, 8.0)
    with pytest.raises(ValueError, match="order 2"):
        filters(1.0, order=1)


def test_a_digital_filter_follows_the_analog_one() -> None:
    t = np.linspace(0, 2, 2001)
    u = np.sin(3 * t)
    for f in filters(10.0):
        b, a = f.digital(1000.0)
        expected = lsim((f.numerator, f.denominator), u, t)[1]
        np.testing.assert_allclose(lfilter(b, a, u), expected, atol=2e-2)
