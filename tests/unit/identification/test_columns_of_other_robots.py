"""Columns and units that belong to another robot, or to another kind of joint, are not taken in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.says import says
from support.synthetic import fourier
from symoro.errors import DataError

PERIOD, COUNT = 5e-3, 1200
T = PERIOD * np.arange(COUNT)


def scara() -> dict[str, Any]:
    q, qd, qdd = ([1.0, 1.0, 1.0, 0.2] * x for x in fourier(COUNT, 4, PERIOD, 3))
    return {"t": T, "q": q, "tau": symoro.inverse_dynamics("scara").compile()(q, qd, qdd)}


def csv(path: Path, first: int, joints: int) -> Path:
    """A log of planar2r with columns of more joints, numbered from `first` on."""
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    tau = symoro.inverse_dynamics("planar2r").compile()(q, qd, qdd)
    names = [f"{word}{first + k}" for word in ("q", "tau") for k in range(joints)]
    numbers = [np.hstack([x, x])[:, :joints] for x in (q, tau)]
    np.savetxt(path, np.column_stack([T, *numbers]), delimiter=",", header=",".join(["t", *names]), comments="")
    return path


def test_a_log_with_more_joints_is_named(tmp_path: Path) -> None:
    warnings = symoro.measurements("planar2r", csv(tmp_path / "a.csv", 1, 3)).warnings
    assert says(warnings, "recordings.other_joints", columns=["q3", "tau3"], robot="planar2r")
    assert not symoro.measurements("planar2r", csv(tmp_path / "b.csv", 1, 2)).warnings


def test_numbers_from_zero_on_are_named(tmp_path: Path) -> None:
    with raised("recordings.no_column_of_joint", DataError) as error:
        symoro.measurements("planar2r", csv(tmp_path / "a.csv", 0, 2))
    assert says([error.value.finding], "recordings.no_column_of_joint", channel="q", joint="joint2")
    assert says([error.value.finding], "recordings.numbers_from_1")
    warnings = symoro.measurements("planar2r", csv(tmp_path / "b.csv", 0, 3)).warnings  # q1 and q2 are there
    assert says(warnings, "recordings.other_joints", columns=["q0", "tau0"])
    columns = {"q": ["q0", "q1"], "tau": ["tau0", "tau1"]}
    assert not symoro.measurements("planar2r", tmp_path / "b.csv", columns=columns).warnings


def test_degrees_are_refused_for_a_joint_that_slides() -> None:
    given = scara()
    degrees = given | {"q": given["q"] * np.r_[[180 / np.pi] * 3, 1]}
    with raised("recordings.unit_of_prismatic", DataError):
        symoro.measurements("scara", degrees, units={"q": "deg"})
    with raised("recordings.unit_of_revolute", DataError):
        symoro.measurements("scara", given, units={"q": ["mm", "rad", "rad", "m"]})
    read = symoro.measurements("scara", degrees, units={"q": ["deg", "deg", "deg", "m"]})
    assert read.runs[0]["q"] == pytest.approx(given["q"], abs=1e-12)
    assert symoro.measurements("scara", given, units={"q": "rad"}).runs[0]["q"] == pytest.approx(given["q"])


def test_motors_of_sliding_joints_turn() -> None:
    given = scara()
    ratios = [100.0, 80.0, 50.0, 300.0]
    motors = given | {"q": np.degrees(given["q"] * ratios), "tau": given["tau"] / ratios}
    read = symoro.measurements("scara", motors, units={"q": "deg"}, side="motor", transmission=ratios)
    assert read.runs[0]["q"] == pytest.approx(given["q"], abs=1e-12)


def test_arrays_with_a_row_for_each_joint_are_turned_where_the_times_say_so(tmp_path: Path) -> None:
    given = scara()
    np.savez(tmp_path / "a.npz", t=given["t"], q=given["q"].T, tau=given["tau"].T)
    read = symoro.measurements("scara", tmp_path / "a.npz")
    assert read.runs[0]["q"].tolist() == given["q"].tolist()
    np.savez(tmp_path / "b.npz", q=given["q"].T, tau=given["tau"])
    with raised("recordings.lengths_of_columns", DataError) as error:
        symoro.measurements("scara", tmp_path / "b.npz", rate=200.0)
    assert len(str(error.value)) < 400
