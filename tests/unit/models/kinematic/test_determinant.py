"""Determinants as products, and what they say about singular configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.wrist_arms import regular_wrist_arms
from symoro.errors import NotApplicable
from symoro.robot.robot import Robot

FACTORS = {
    "rx90": {"C3", "D3*C2 - RL4*S23", "S5"},
    "puma560": {"D3*C2 + D4*C23 + RL4*S23", "D4*S3 - RL4*C3", "S5"},
    "stanford": {"S2", "q3", "S5"},
    "scara": {"S2"},
    "ur5": {"S3", "S5", "D3*C2 + D4*C23 + RL5*S234"},
    "th8": {"q3", "S5"},
    "planar3r": {"S2"},
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors(name: str) -> None:
    found = symoro.singularities(name)
    assert {f.factor for f in found} == FACTORS[name]
    assert found.factored
    assert not found.everywhere


@pytest.mark.parametrize("robot", regular_wrist_arms(20), ids=lambda robot: robot.name)
def test_a_spherical_wrist_gives_a_short_product(robot: Robot) -> None:
    found = symoro.singularities(robot)
    assert found.factored
    assert "S5" in {f.factor for f in found}
    assert all(set(f.joints) <= {1, 2, 3} for f in found if f.factor != "S5")
    assert symoro.jacobian_determinant(robot).ops.total <= 40


def test_joints_of_a_factor() -> None:
    factors = {f.factor: f for f in symoro.singularities("stanford")}
    assert factors["q3"].times == 2
    assert factors["S2"].joints == (2,)
    assert str(factors["S5"]) == "S5 = 0"


def test_the_position_of_a_planar_arm() -> None:
    found = symoro.singularities("planar2r", "tip")
    assert [f.factor for f in found] == ["S2"]
    everywhere = symoro.singularities("planar2r")
    assert (everywhere.everywhere, everywhere.frame, everywhere.task) == (True, 2, "position")
    assert str(everywhere) == "the position of frame 2 of planar2r is singular everywhere"


def test_loops_are_singular_everywhere_only_where_their_motors_are() -> None:
    for name in ("four-bar", "slider-crank"):
        assert not symoro.singularities(name, link=2).everywhere


@pytest.mark.parametrize("given", [{"branch": 0}, {"task": np.zeros(2)}, {"task": "foo"}])
def test_options_of_singularities_are_checked(given: dict[str, Any]) -> None:
    with raised("options.unknown" if "branch" in given else "options.value"):
        symoro.singularities("planar2r", **given)


def test_factors_have_no_conditions_at_a_pose() -> None:
    with raised("jacobians.at_poses"):
        symoro.singularities("puma560").at(np.eye(4))


def test_a_general_arm_is_a_program() -> None:
    found = symoro.singularities("general6r")
    assert not found.factored
    assert [f.factor for f in found] == ["det J"]
    assert symoro.jacobian_determinant("general6r").outputs == {"DET": ()}


def test_several_tips() -> None:
    with raised("jacobians.tips", NotApplicable):
        symoro.jacobian_determinant("two-arm")


def test_factors_of_a_closed_loop_are_said_to_be_incomplete() -> None:
    """Where the loop is at a dead point, no factor of the open tree says so."""
    found = symoro.singularities("five-bar", link=5, task="position")
    assert not found.complete
    assert str(found).endswith("as at dead points of its motors")
    assert symoro.singularities("planar2r", task="position").complete
