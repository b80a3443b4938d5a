"""Arms of which each coordinate moves with several variables, and poses that are mirrors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Robot, Status
from symoro.robot.joint import Limits
from symoro.robot.values import as_value

COUPLED: dict[str, list[dict[str, Any]]] = {
    "sum and difference": [{"theta": "q1 + q2"}, {"d": 0.4, "theta": "q2 - q1"}],
    "differential wrist": [{"theta": "(q1 + q2)/2"}, {"alpha": "pi/2", "theta": "(q1 - q2)/2"}],
    "behind another": [{"theta": "q1"}, {"d": 0.4, "theta": "q2 + q3 - q1"}, {"d": 0.3, "theta": "q2 - q3"}],
}


@pytest.mark.parametrize("name", COUPLED)
def test_coordinates_with_several_variables_have_closed_forms(name: str) -> None:
    arm = Robot.from_mdh(COUPLED[name], "arm")
    ik = symoro.inverse_geometry(arm)
    assert ik.method == "paul"
    forward, q = symoro.forward_geometry(arm).compile("numpy"), np.array([0.3, 0.5, -0.4])[: len(COUPLED[name])]
    s = ik.compile("numpy")(forward(q))
    assert s.status is Status.COMPLETE
    assert np.abs(forward(s.q[s.valid])[..., :2, 3] - forward(q)[:2, 3]).max() < 1e-9
    assert np.abs(s.q[s.valid] - q).max(-1).min() < 1e-9


def test_a_mirror_has_no_nearest_rotation() -> None:
    T = symoro.forward_geometry("puma560").compile("numpy")(np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8]))
    solver = symoro.inverse_geometry("puma560").compile("numpy")
    mirrored = T @ np.diag([1.0, 1.0, -1.0, 1.0])
    assert solver(mirrored, nearest_rotation=True).status is Status.INVALID
    assert solver(np.array([mirrored, T]), nearest_rotation=True).status.tolist() == [Status.INVALID, Status.COMPLETE]


def test_turns_of_coupled_variables_are_taken_together() -> None:
    limits = {1: Limits(as_value("2"), as_value("4")), 2: Limits(as_value("8"), as_value("10"))}
    arm = Robot.from_mdh([{"theta": "2*q1"}, {"d": 0.4, "theta": "q2 - q1"}, {"d": 0.3}], "arm")
    joints = (replace(j, limits=limits.get(j.index, j.limits)) for j in arm.joints)
    arm = replace(arm, joints=tuple(joints))
    solver, q = symoro.inverse_geometry(arm).compile("numpy"), np.array([3.3, 9.4, 0.5])
    T = symoro.forward_geometry(arm).compile("numpy")(q)
    inside, near = solver(T, limits=True), solver(T, nearest=q)
    assert inside.status is Status.COMPLETE
    assert np.abs(inside.q[inside.valid] - q).max(-1).min() < 1e-9
    assert np.abs(near.q[0] - q).max() < 1e-9
