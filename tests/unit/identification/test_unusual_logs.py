"""Logs as people send them: data frames, rounded times, sensors with an offset, channels that are held or stuck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import symoro
from support.synthetic import fourier
from symoro.errors import DataError, SymoroError
from symoro.identification.read.repairs import cut_off

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
    with pytest.raises(DataError, match="data: ndarray is not a file, channels by name, a data frame"):
        symoro.identify(ROBOT, given["q"])


def test_times_with_too_few_digits_are_those_of_the_rate() -> None:
    rounded = log() | {"t": np.round(log()["t"], 2)}
    with pytest.raises(DataError, match=r"3000 samples have 601 times, which have too few digits: say the rate"):
        symoro.identify(ROBOT, rounded)
    data = symoro.measurements(ROBOT, rounded, rate=500.0)
    assert data.rate == pytest.approx(500.0)
    assert any("rate = 500 Hz was used instead" in text for text in data.warnings)


def test_a_constant_torque_is_named_and_is_no_delay() -> None:
    given = log()
    wrong = given | {"tau": given["tau"] + [0.0, 0.2 * given["tau"][:, 1].std()]}
    r = symoro.identify(ROBOT, wrong)
    assert "joint2 has a constant part of" in r.warnings[0]
    assert not any("than its motion" in text for text in r.warnings)
    assert not symoro.identify(ROBOT, wrong, offset=True).warnings
    assert not symoro.identify(ROBOT, given).warnings


def test_a_position_that_is_stuck_to_the_end_is_named() -> None:
    given = log()
    q = given["q"].copy()
    q[1700:, 1] = q[1700, 1]
    r = symoro.identify(ROBOT, given | {"q": q})
    assert "position of joint joint2 stays at" in r.warnings[0]
    rest = given["q"] * np.clip((np.arange(COUNT) - 600) / 900, 0.0, 1.0)[:, None] ** 2  # it begins to move slowly
    assert not [text for text in symoro.measurements(ROBOT, given | {"q": rest}).warnings if "stuck" in text]


@pytest.mark.parametrize(("channel", "word"), [("q", "positions"), ("tau", "torques")])
def test_a_channel_that_was_recorded_at_a_lower_rate_is_named(channel: str, word: str) -> None:
    given = log()
    r = symoro.identify(ROBOT, given | {channel: np.repeat(given[channel][::5], 5, axis=0)})
    assert f"{word} change only every 5 samples: were they recorded at 100 Hz" in r.warnings[0]


def test_a_smooth_peak_of_whole_numbers_is_not_cut_off() -> None:
    x = np.round(20 * np.sin(np.linspace(0, 6, 3000)))
    assert cut_off(x) is None
    assert cut_off(np.minimum(x, 12.0)) == (12.0, int((x >= 12.0).sum()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q": np.zeros((0, 2)), "tau": np.zeros((0, 2)), "t": np.zeros(0)}, "there are no samples"),
        ({"tau": np.full((COUNT, 2), [1.0, np.nan])}, "channel tau 2 has no numbers"),
        ({"t": np.full(COUNT, np.nan)}, "channel t has no numbers"),
        ({"t": -PERIOD * np.arange(COUNT)}, "times decrease from row to row"),
        ({"q": log()["q"] * 1j}, "q is not an array of numbers"),
    ],
)
def test_what_is_no_recording_is_said(change: Log, said: str) -> None:
    with pytest.raises(DataError, match=said):
        symoro.identify(ROBOT, log() | change)


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")])
def test_the_unit_of_time_is_named(factor: float, unit: str) -> None:
    data = symoro.measurements(ROBOT, log() | {"t": factor * log()["t"]})
    assert any(f"is the time in {unit}?" in text for text in data.warnings)


def test_other_data_may_be_a_file_and_must_be_that_of_the_robot(tmp_path: Path) -> None:
    r = symoro.identify(ROBOT, log())
    polars.DataFrame(columns(log(5))).write_csv(tmp_path / "other.csv")
    assert r.validate(tmp_path / "other.csv").total == pytest.approx(r.validate(log(5)).total, rel=1e-6)
    with pytest.raises(DataError, match="not of planar2r"):
        r.validate(symoro.measurements(symoro.load(ROBOT).with_values({"FV1": 0.7}), log()))
    with pytest.raises(DataError, match=r"the rate is 250 Hz \(allowed: that of the result, 500 Hz\)"):
        r.validate({name: x[::2] for name, x in log(5).items()})


def test_a_robot_that_carries_nothing_is_no_error() -> None:
    """The error is that of the measured torques, not of what the payload adds to them."""
    r = symoro.identify(ROBOT, log(), payload=2)
    assert r.error.total < 0.01
    assert not r.warnings
    assert all(abs(p.value) < 4.5 * p.sigma for p in r)
    with pytest.raises(SymoroError, match="a payload has no rows of its own"):
        r.plot()
