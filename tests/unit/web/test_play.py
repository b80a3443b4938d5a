"""Quick motions of the page: rows of a motion that is followed exactly, or simulated under a controller."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.polynomial import Polynomial
from pydantic import ValidationError

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle
from symoro.bind.interface import robot_numbers
from symoro.errors import MotionError
from symoro.web.document import document_of
from symoro.web.motion import played
from symoro.web.requests import Play


def rows(name: str, end: dict[str, float], **more: Any) -> dict[str, Any]:
    robot = symoro.load(name)
    return played(robot, Play(robot=document_of(robot), **{"start": {}, "end": end, **more}))


def test_exact_torques_are_pinocchios_along_the_quintic() -> None:
    robot, D, T = symoro.load("planar2r"), np.array([0.8, -0.5]), 1.5
    found = rows("planar2r", {"q1": D[0], "q2": D[1]}, duration=T)
    r = Polynomial([0, 0, 0, 10 / T**3, -15 / T**4, 6 / T**5])  # (K13:8.11)
    numbers = robot_numbers(robot)
    o = oracle(robot, numbers)
    t = np.array(found["t"])
    q, qd, qdd = (np.outer(part(t), D) for part in (r, r.deriv(), r.deriv(2)))
    wanted = [
        pin.rnea(o.model, o.data, o.q(a), o.v(b), o.v(c))[o.velocity_index] for a, b, c in zip(q, qd, qdd, strict=True)
    ]
    IA, FV, FS = (np.array([numbers.get(f"{name}{j}", 0.0) for j in (1, 2)]) for name in ("IA", "FV", "FS"))
    assert_close(found["tau"], wanted + IA * qdd + FV * qd + FS * np.sign(qd), 1e-8)  # (K97:20)
    assert_close(found["q"], q, 1e-8)


@pytest.mark.parametrize("law", ["computed_torque", "pd_gravity", "pid"])
def test_a_controller_takes_away_the_error_of_the_start(law: str) -> None:
    found = rows("planar2r", {"q1": 0.8, "q2": -0.5}, law=law, offset=0.05)
    assert_close(found["q"][0], [0.05, 0.05], 1e-9)
    assert_close(found["error"][0], [-0.05, -0.05], 1e-9)
    assert np.abs(found["error"][-1]).max() < 0.02
    assert np.shape(found["tau"]) == np.shape(found["error"]) == (len(found["t"]), 2)


def test_a_floating_base_moves_against_its_arm() -> None:
    found = rows("satellite", {"q1": 1.0}, law="computed_torque")
    assert_close(np.linalg.norm(found["quat"], axis=1), np.ones(len(found["t"])), 1e-8)
    turned = 2 * np.arctan2(found["quat"][-1][2], found["quat"][-1][3])
    assert -1.0 < turned < -1e-3  # about z, against joint 1


def test_a_joint_with_a_spring_moves_by_motor_and_spring() -> None:
    found = rows("flexible-joints", {"q1": 0.3}, law="pd_gravity")
    assert found["names"] == ["q1", "q2"]
    assert np.shape(found["q"]) == (len(found["t"]), 2)


def test_loops_stay_closed() -> None:
    robot = symoro.load("four-bar")
    name = next(str(j.variable) for j in robot.joints if j.actuated)
    start = dict(zip(("q1", "q2", "q3"), symoro.loop_geometry(robot).compile()([0.5]), strict=True))
    found = rows("four-bar", {name: 1.0}, law="computed_torque", start=start)
    closure = symoro.loop_closure(robot).compile("numpy")
    gap = closure(np.array(found["q"]))
    assert np.abs(getattr(gap, "E", gap)).max() < 1e-7


def test_a_motion_that_goes_nowhere_is_refused_in_words() -> None:
    with pytest.raises(MotionError, match="same configuration"):
        rows("planar2r", {})


@pytest.mark.parametrize(
    "wrong",
    [
        {"end": {"q1": float("nan")}},
        {"duration": 0.0},
        {"duration": 1e9},
        {"law": "magic"},
        {"profile": "x"},
        {"frequency": -1},
    ],
)
def test_what_is_no_motion_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        rows("planar2r", **{"end": {"q1": 1.0}, **wrong})
