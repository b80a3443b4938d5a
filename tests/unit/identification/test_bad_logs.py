"""Logs with one thing wrong each: the finding that names it, as a warning or as an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.says import says
from support.synthetic import fourier
from symoro.errors import DataError, OptionError

ROBOT, COUNT, PERIOD = "planar2r", 3000, 2e-3
Log = dict[str, Any]


def good() -> Log:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    noise = np.random.default_rng(0).normal(size=(COUNT, 2)) * 0.02
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd) + noise
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau}


class Bad(NamedTuple):
    """What is changed in a good log, the finding that names it, and options of identify."""

    change: Callable[[Log], Any]
    code: str
    fields: dict[str, Any]
    options: dict[str, Any]


def bad(change: Callable[[Log], Any], code: str, fields: dict[str, Any] | None = None, **options: Any) -> Bad:
    return Bad(change, code, fields or {}, options)


def channel(name: str, change: Callable[[Any], Any]) -> Callable[[Log], Log]:
    """A log with one channel changed."""
    return lambda log: log | {name: change(log[name])}


def lost(q: Any) -> Any:
    q = q.copy()
    q[1000:1003] = np.nan
    return q


def every_fifth(x: Any) -> Any:
    return np.repeat(x[::5], 5, axis=0)


def same(log: Log) -> Log:
    return log


WARNINGS: dict[str, Bad] = {
    "degrees": bad(channel("q", np.degrees), "measurements.in_degrees", {"unit": "rad"}),
    "a joint stands still": bad(channel("q", lambda q: q * [1, 0]), "measurements.never_moves", {"joint": "joint2"}),
    "mA": bad(channel("tau", lambda x: 1000 * x), "estimates.too_large"),
    "sign": bad(channel("tau", lambda x: x * [1, -1]), "estimates.torque_sign", {"joint": "joint2"}),
    "constant torque": bad(channel("tau", lambda x: 0 * x + [1, 0] * x), "measurements.torque_constant"),
    "columns exchanged": bad(channel("tau", lambda x: x[:, ::-1]), "estimates.unexplained"),
    "milliseconds": bad(
        channel("t", lambda t: 1e3 * t), "measurements.slow_in_milliseconds", cutoff=None, decimation=1
    ),
    "microseconds": bad(
        channel("t", lambda t: 1e6 * t), "measurements.slow_in_microseconds", cutoff=None, decimation=1
    ),
    "nanoseconds": bad(channel("t", lambda t: 1e9 * t), "measurements.slow_in_nanoseconds", cutoff=None, decimation=1),
    "a jump of time": bad(channel("t", lambda t: t + 0.7 * (t > 3.0)), "recordings.runs_apart", {"runs": 2}),
    "a reset of time": bad(channel("t", lambda t: np.where(t > 3.0, t - 3.0, t)), "recordings.runs_apart", {"runs": 2}),
    "NaN": bad(channel("q", lost), "recordings.missing_samples", {"missing": 3, "count": COUNT}),
    "positions held": bad(channel("q", every_fifth), "measurements.positions_held", {"every": 5, "true": 100.0}),
    "torques held": bad(channel("tau", every_fifth), "measurements.torques_held", {"every": 5, "true": 100.0}),
}


@pytest.mark.parametrize("what", WARNINGS)
def test_a_log_that_is_suspect_gives_the_warning_that_names_it(what: str) -> None:
    case = WARNINGS[what]
    found = symoro.identify(ROBOT, case.change(good()), **case.options)
    assert says(found.warnings, case.code, **case.fields), found.warnings


ERRORS: dict[str, Bad] = {
    "no torque": bad(
        lambda log: {"t": [0.0] * 30, "q": np.zeros((30, 2))}, "recordings.no_channel", {"channel": "tau"}
    ),
    "one sample": bad(
        lambda log: {"t": [0.0], "q": [[0.0, 0.0]], "tau": [[0.0, 0.0]]}, "recordings.too_few_samples", {"count": 1}
    ),
    "no samples": bad(lambda log: {name: x[:0] for name, x in log.items()}, "recordings.no_samples"),
    "no time": bad(lambda log: {"q": np.zeros((30, 2)), "tau": np.zeros((30, 2))}, "recordings.no_time"),
    "three joints": bad(
        channel("q", lambda q: np.c_[q, q[:, :1]]), "recordings.width", {"channel": "q", "count": 3, "allowed": [2]}
    ),
    "other lengths": bad(channel("q", lambda q: q[:-1]), "recordings.lengths_of_channels"),
    "shuffled": bad(channel("t", np.random.default_rng(0).permutation), "recordings.times_of_other_rows"),
    "backwards": bad(channel("t", lambda t: -t), "recordings.times_decrease"),
    "channel": bad(lambda log: {"position": 1}, "recordings.not_a_channel", {"name": "position", "option": "data"}),
    "a torque of NaN": bad(
        channel("tau", lambda x: [1.0, np.nan] * x), "recordings.channel_without_numbers", {"channel": "tau 2"}
    ),
    "times of NaN": bad(channel("t", lambda t: np.nan * t), "recordings.channel_without_numbers", {"channel": "t"}),
    "complex positions": bad(channel("q", lambda q: q * 1j), "recordings.not_numbers", {"name": "q"}),
    "a file that is missing": bad(channel("q", lambda q: "nothing.csv"), "recordings.no_file"),
    "nothing": bad(lambda log: [], "recordings.not_data"),
    "an array": bad(lambda log: log["q"], "recordings.not_data", {"kind": "ndarray"}),
    "unit": bad(same, "recordings.unit", {"unit": "grad", "channel": "q"}, units={"q": "grad"}),
    "no ratios": bad(same, "recordings.no_coupling", side="motor"),
    "singular": bad(same, "recordings.transmission_singular", side="motor", transmission=[[1, 1], [1, 1]]),
    "times with few digits": bad(
        channel("t", lambda t: np.round(t, 2)), "recordings.rounded_times", {"samples": COUNT, "times": 601}
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_a_log_that_cannot_be_used_ends_in_the_error_that_names_it(what: str) -> None:
    case = ERRORS[what]
    with raised(case.code, DataError) as error:
        symoro.identify(ROBOT, case.change(good()), **case.options)
    assert says([error.value.finding], case.code, **case.fields)


TEXTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "1.234,5 are thousands": ("t;q1\n0;1.234,5\n1;2\n", "recordings.thousands", {"cell": "1.234,5"}),
    "commas for both": ("t,q1\n0,0,1,5\n0,1,1,7\n", "recordings.cells_with_commas", {"cells": 4, "columns": 2}),
    "too many cells": ("t;q1\n0;1;2;3;4;5\n", "recordings.cells", {"cells": 6, "columns": 2}),
    "twice": ("t;q1;q1\n0;1;2\n", "recordings.same_name", {"name": "q1"}),
    "nothing": ("", "recordings.empty", {}),
    "names alone": ("t,q1\n", "recordings.no_samples", {}),
}


@pytest.mark.parametrize("what", TEXTS)
def test_a_text_that_cannot_be_read_ends_in_the_error_that_names_it(what: str, tmp_path: Path) -> None:
    text, code, fields = TEXTS[what]
    file = tmp_path / "log.csv"
    file.write_text(text, encoding="utf-8")
    with raised(code, DataError) as error:
        symoro.measurements(ROBOT, file)
    assert says([error.value.finding], code, **fields)
    assert error.value.finding.file == str(file)


CONTENTS = {"nothing": b"", "bytes": b"\x00\xff\x13 nothing", "names": b"t,q1\n"}
FILES = {
    "a.csv": ("empty", "not_text", "no_samples"),
    "a.npy": ("not_numpy", "not_numpy", "not_numpy"),
    "a.npz": ("not_numpy", "not_numpy", "not_numpy"),
    "a.mat": ("not_matlab", "not_matlab", "not_matlab"),
    "a.parquet": ("not_parquet", "not_parquet", "not_parquet"),
    "a.bag": ("not_bag", "not_bag", "not_bag"),
    "a.csv.gz": ("empty", "not_text", "not_text"),
    "a.csv.xz": ("not_text", "not_text", "not_text"),
    "a.x": ("format", "format", "format"),
}
"""What is said of each of these contents."""


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_kind_ends_in_an_error_with_its_name(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(CONTENTS[content])
    code = FILES[name][list(CONTENTS).index(content)]
    with raised(f"recordings.{code}", DataError) as error:
        symoro.measurements(ROBOT, tmp_path / name)
    assert error.value.finding.file == str(tmp_path / name)


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "method": ({"method": "magic"}, "options.value"),
    "friction": ({"friction": "sand"}, "options.value"),
    "half a sample": ({"decimation": 2.5}, "options.value"),
    "a prime number": ({"decimation": 17}, "measurements.stages"),
    "more than the samples": ({"decimation": 13**4}, "measurements.few_for_decimation"),
    "cutoff": ({"cutoff": "low"}, "options.value"),
    "a high cutoff": ({"cutoff": 1e9}, "measurements.cutoff"),
    "speeds of three joints": ({"dead_zone": [1, 2, 3]}, "options.value"),
    "essential": ({"essential": "luck"}, "options.value"),
    "payload": ({"payload": 9}, "estimates.not_a_link"),
    "prior": ({"prior": -1.0}, "options.value"),
    "a prior of another method": ({"prior": 0.1, "method": "ols"}, "estimates.prior_needs_wls"),
    "known": ({"known": {"ABC": 1.0}}, "estimates.known"),
    "border": ({"border": -1}, "options.value"),
    "a delay of NaN": ({"delay": float("nan")}, "options.value"),
    "delays of one motor": ({"delay": [0.0]}, "estimates.numbers_of_motors"),
    "a delay of words": ({"delay": "soon"}, "options.value"),
    "a long delay": ({"delay": 9.0}, "measurements.long_delay"),
    "side": ({"side": "wall"}, "options.value"),
    "rate": ({"rate": -5}, "options.value"),
    "no such option": ({"cut_off": 3.0}, "options.unknown"),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_options_that_are_not_allowed_are_named(what: str) -> None:
    options, code = OPTIONS[what]
    with raised(code):
        symoro.identify(ROBOT, good(), **options)


def test_measurements_of_another_robot_are_refused() -> None:
    data = symoro.measurements(ROBOT, good())
    with raised("measurements.of_other_robot", DataError):
        symoro.identify("planar3r", data)
    with raised("estimates.option_of_measurements", OptionError) as error:
        symoro.identify(ROBOT, data, rate=100.0)
    assert error.value.finding.fields["option"] == "rate"
