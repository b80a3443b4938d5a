"""Logs as people send them: data frames, rounded times, sensors with an offset, channels that are held or stuck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import symoro
from support.raised import raised
from support.says import codes, says
from support.synthetic import fourier
from symoro.errors import DataError
from symoro.identification.read.runs import cut_off

ROBOT, PERIOD, COUNT = "planar2r", 2e-3, 3000
TRUE = symoro.base_parameters(ROBOT, friction=True).numbers
Log = dict[str, Any]


def log(seed: int = 3, robot: Any = ROBOT) -> Log:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, seed)
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    noise = np.random.default_rng(seed).normal(size=tau.shape) * 0.005 * tau.std(axis=0)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau + noise}


def columns(given: Log) -> dict[str, Any]:
    return {"t": given["t"], **{f"{name}{k + 1}": given[name][:, k] for name in ("q", "tau") for k in (0, 1)}}


def test_a_data_frame_is_a_log() -> None:
    given = log()
    r = symoro.identify(ROBOT, polars.DataFrame(columns(given)))
    assert r.estimate.beta.tolist() == symoro.identify(ROBOT, given).estimate.beta.tolist()


def test_times_with_too_few_digits_are_those_of_the_rate() -> None:
    rounded = log() | {"t": np.round(log()["t"], 2)}
    data = symoro.measurements(ROBOT, rounded, rate=500.0)
    assert data.rate == pytest.approx(500.0)
    assert says(data.warnings, "recordings.rounded_times_replaced", rate=500.0)


def test_a_constant_torque_is_named_and_is_no_delay() -> None:
    given = log()
    wrong = given | {"tau": given["tau"] + [0.0, 0.2 * given["tau"][:, 1].std()]}
    r = symoro.identify(ROBOT, wrong)
    assert says(r.warnings[:1], "estimates.constant_part", joint="joint2")
    late = {"estimates.torque_earlier", "estimates.torque_later", "estimates.negative_friction"}
    assert not late & set(codes(r.warnings))
    assert not symoro.identify(ROBOT, wrong, offset=True).warnings
    assert not symoro.identify(ROBOT, given).warnings


def test_a_position_that_is_stuck_to_the_end_is_named() -> None:
    given = log()
    q = given["q"].copy()
    q[1700:, 1] = q[1700, 1]
    r = symoro.identify(ROBOT, given | {"q": q})
    assert says(r.warnings[:1], "measurements.position_stuck", joint="joint2")
    rest = given["q"] * np.clip((np.arange(COUNT) - 600) / 900, 0.0, 1.0)[:, None] ** 2  # it begins to move slowly
    assert not says(symoro.measurements(ROBOT, given | {"q": rest}).warnings, "measurements.position_stuck")


def test_a_smooth_peak_of_whole_numbers_is_not_cut_off() -> None:
    x = np.round(20 * np.sin(np.linspace(0, 6, 3000)))
    assert cut_off(x) is None
    assert cut_off(np.minimum(x, 12.0)) == (12.0, int((x >= 12.0).sum()))


def test_other_data_may_be_a_file_and_must_be_that_of_the_robot(tmp_path: Path) -> None:
    r = symoro.identify(ROBOT, log())
    polars.DataFrame(columns(log(5))).write_csv(tmp_path / "other.csv")
    assert r.validate(tmp_path / "other.csv").total == pytest.approx(r.validate(log(5)).total, rel=1e-6)
    with raised("measurements.of_other_robot", DataError):
        r.validate(symoro.measurements(symoro.load(ROBOT).with_values({"FV1": 0.7}), log()))
    with raised("measurements.rate_of_result", DataError):
        r.validate({name: x[::2] for name, x in log(5).items()})


def test_a_robot_that_carries_nothing_is_no_error() -> None:
    """The error is that of the measured torques, not of what the payload adds to them."""
    r = symoro.identify(ROBOT, log(), payload=2)
    assert r.error.total < 0.01
    assert not r.warnings
    assert all(abs(p.value) < 4.5 * p.sigma for p in r)
    with raised("estimates.rows_of_payload"):
        r.plot()
