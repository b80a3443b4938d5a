"""A wrong column, unit, sign or rate is found and named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.says import codes, says
from support.synthetic import fourier
from symoro.errors import DataError

ROBOT = "planar2r"
COUNT, PERIOD = 3000, 2e-3


def channels() -> dict[str, Any]:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    noise = np.random.default_rng(0).normal(size=(COUNT, 2)) * 0.02
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd) + noise
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau}


def test_a_wrong_rate_is_named() -> None:
    q, qd, qdd = fourier(4000, 6, PERIOD, 3)
    data = {"q": q, "tau": symoro.inverse_dynamics("puma560").compile()(q, qd, qdd)}
    found = symoro.identify("puma560", data, rate=0.5 / PERIOD)
    assert says(found.warnings, "estimates.rate", rate=500.0, recorded=250.0), found.warnings
    right = symoro.identify("puma560", data, rate=1 / PERIOD)
    assert not {"estimates.misread", "estimates.inertias"} & set(codes(right.warnings))


def test_the_delay_of_each_torque_is_estimated_named_and_taken_off() -> None:
    given = channels()
    given["tau"][:-3, 1] = given["tau"][3:, 1]
    found = symoro.identify(ROBOT, given)
    assert found.delays["joint1"].value == pytest.approx(0.0, abs=4 * found.delays["joint1"].sigma)
    assert found.delays["joint2"].value == pytest.approx(3 * PERIOD, abs=4 * found.delays["joint2"].sigma)
    assert found.delays["joint2"].sigma < PERIOD
    assert says(found.warnings, "estimates.torque_earlier", joint="joint2", samples=pytest.approx(3.0, abs=0.05))
    assert "torques earlier than motion by" in str(found)
    right = symoro.identify(ROBOT, given, delay=[0.0, 3 * PERIOD])
    assert right.warnings == ()
    assert right.error.total < 0.5 * found.error.total
    true = symoro.base_parameters(ROBOT, friction=True).numbers
    assert all(abs(p.value - true[p.name]) < 5 * p.sigma for p in right)


def test_good_data_give_no_warning_and_the_true_parameters() -> None:
    found = symoro.identify(ROBOT, channels())
    true = symoro.base_parameters(ROBOT, friction=True).numbers
    assert found.warnings == ()
    assert all(abs(p.value - true[p.name]) < 5 * p.sigma for p in found)


def test_columns_are_found_by_names_and_by_a_mapping(tmp_path: Path) -> None:
    given = channels()
    table = np.column_stack([given["t"], given["q"], given["tau"]])
    for header, columns in (
        ("time,q1,q2,tau1,tau2", None),
        ("t,joint1.position,joint2.position,joint1.effort,joint2.effort", None),
        ("zeit,a,b,c,d", {"t": "zeit", "q": ["a", "b"], "tau": ["c", "d"]}),
    ):
        np.savetxt(tmp_path / "log.csv", table, delimiter=",", header=header, comments="")
        found = symoro.measurements(ROBOT, tmp_path / "log.csv", columns=columns)
        assert np.array_equal(found.runs[0]["q"], given["q"])
    with raised("recordings.no_column", DataError):
        symoro.measurements(ROBOT, tmp_path / "log.csv", columns={"q": ["a", "bb"], "tau": ["c", "d"]})


def test_motors_and_units_are_converted() -> None:
    given = channels()
    R = np.array([[50.0, 0.0], [20.0, -40.0]])
    at_motors = {"t": given["t"] * 1e3, "q": np.degrees(given["q"] @ R.T), "tau": given["tau"] @ np.linalg.inv(R) / 0.2}
    units = {"t": "ms", "q": "deg", "tau": 0.2}
    found = symoro.measurements(ROBOT, at_motors, units=units, side="motor", transmission=R)
    assert np.abs(found.runs[0]["q"] - given["q"]).max() < 1e-12
    assert np.abs(found.runs[0]["tau"] - given["tau"]).max() < 1e-12
