"""Scenarios that are refused before anything runs, stop conditions, and what a result offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "duration = None is not a time"),
        ({"duration": 0.0}, "duration = 0.0 is not a time"),
        ({"duration": 1.0, "period": 2.0}, "period = 2.0 is not a time"),
        ({"duration": 1.0, "method": "euler"}, "no method 'euler' .allowed: rk4, sticking, stick-slip, DOP853"),
        ({"duration": 1.0, "substeps": 0}, "substeps = 0 is not allowed"),
        ({"duration": 1.0, "q0": [0.0]}, r"q0 must be finite numbers of shape \(2,\)"),
        ({"duration": 1.0, "q0": [0.0, float("nan")]}, "q0 must be finite numbers"),
        ({"duration": 1.0, "wrench": [[1.0]]}, "wrench must have shape"),
        ({"duration": 1.0, "values": {"M9": 1.0}}, "planar2r has no parameter 'M9'"),
        ({"duration": 1.0, "q0": np.zeros((3, 2)), "method": "DOP853"}, "DOP853 takes one run"),
        ({"duration": 1.0, "controller": symoro.computed_torque("planar3r")}, "the controller is for planar3r"),
        ({"trajectory": symoro.trajectory([0.0] * 3, [1.0] * 3, duration=1.0)}, "the trajectory has 3 joints"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(symoro.SymoroError, match=message):
        symoro.simulate("planar2r", **given)


@pytest.mark.parametrize(
    ("robot", "given", "message"),
    [
        ("five-bar", {"q0": [0.0, 1.0, 2.0, 3.0]}, "q0 does not close the loops of five-bar"),
        ("five-bar", {"q0": [0.0, 1.0, 2.0]}, "q0 must have the 2 motors or all 4 joints"),
        ("sr400", {"q0": [0.0] * 6}, "q0 is at a dead point of the loops of sr400"),
        ("satellite", {"method": "Radau"}, "Radau cannot keep loops closed or quaternions unit"),
        ("satellite", {"wrench": None, "V0": [1.0]}, "V00 must be|V0 must be"),
    ],
)
def test_starts_that_are_refused(robot: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(symoro.SymoroError, match=message):
        symoro.simulate(robot, duration=0.1, **given)


def test_a_simulation_that_diverges_keeps_its_rows() -> None:
    law = symoro.pd_gravity("planar2r", 1e6, 1e5)
    goal = symoro.trajectory([1.0, 1.0], [1.0, 1.0], velocity=1.0)
    s = symoro.simulate("planar2r", law, goal, q0=[0.0, 0.0], duration=1.0, period=0.01)
    assert "the simulation diverged at t = " in s.stopped
    assert 0 < len(s.t) < 100
    assert np.isfinite(s.q).all()
    assert len(s.t) == len(s.q) == len(s.tau) == len(s.error)


def test_a_condition_stops_the_simulation() -> None:
    s = symoro.simulate("planar2r", duration=2.0, q0=[1.0, 0.0], stop=lambda t, q, qd: q[..., 0] < 0)
    assert "the condition to stop was met" in s.stopped
    assert s.q[-1, 0] < 0 <= s.q[-2, 0]


def test_columns_tables_and_plots(tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    t = symoro.trajectory([0.0, 0.0], [1.0, 0.5], duration=0.1)
    s = symoro.simulate(robot, symoro.computed_torque(robot), t)
    names = list(s.columns())
    assert names[:5] == ["t", "q1", "q2", "qd_1", "qd_2"]
    back = np.genfromtxt(s.to_csv(tmp_path / "run.csv"), delimiter=",", names=True)
    assert (back["q1"] == s.q[:, 0]).all()
    assert list(back.dtype.names or ()) == [name.replace(" ", "_") for name in names]
    figure = s.plot(tmp_path / "run.svg")
    assert [axes.get_ylabel() for axes in figure.axes] == ["position", "error", "torque"]
    assert (tmp_path / "run.svg").exists()


def test_without_a_reference_there_is_no_error() -> None:
    s = symoro.simulate("planar2r", duration=0.01)
    with pytest.raises(symoro.SymoroError, match="nothing was wanted"):
        _ = s.error
    with pytest.raises(symoro.SymoroError, match=r"has no part 'quat' .allowed: q, qd"):
        s.part("quat")
