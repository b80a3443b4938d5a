"""Symbols for the numbers of a description: the models stay the same."""

from __future__ import annotations

import numpy as np

import symoro
from support.close import assert_close
from support.raised import raised
from support.written_urdf import PUMA
from symoro.errors import RobotError
from symoro.formats import urdf
from symoro.robot.symbolic import with_symbols
from symoro.robot.values import to_text

ARM = urdf.read_text(PUMA, "puma").robot


def test_the_torques_are_those_of_the_numbers() -> None:
    """The models with symbols, at their values, and those with numbers."""
    q, qd, qdd = (np.random.default_rng(k).uniform(-1, 1, 6) for k in range(3))
    expected = symoro.inverse_dynamics(ARM, optimize=False).compile()(q, qd, qdd)
    model = symoro.inverse_dynamics(with_symbols(ARM), optimize=False)
    assert_close(model.compile()(q, qd, qdd), expected, 1e-12)
    heavier = model.compile()(q, qd, qdd, values={"M3": 5.0})
    assert np.abs(heavier - expected).max() > 1


def test_names_that_are_taken_get_another_one() -> None:
    once = with_symbols(ARM, ["geometry"])
    lengths = [to_text(joint.d) for joint in once.joints]
    assert "D3" in lengths
    again = with_symbols(once.with_values({"D3": "M1"}), ["inertia"])
    assert to_text(again.inertia(1).M) == "M1_"


def test_groups_that_do_not_exist_are_refused() -> None:
    with raised("descriptions.groups", RobotError, group="masses"):
        with_symbols(ARM, ["masses"])
