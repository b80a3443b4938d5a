"""Time stamps that jitter, and the ends of runs that filters do not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import symoro
from support.raised import raised
from support.says import codes
from symoro.errors import DataError
from symoro.identification.process.signals import decimated, unfiltered

ROBOT = "planar2r"
COUNT, PERIOD = 3000, 2e-3
TRUE = symoro.base_parameters(ROBOT, friction=True).numbers


def channels(t: Any) -> dict[str, Any]:
    """A motion at some times, with noise of the torques."""
    rng = np.random.default_rng(3)
    q, qd, qdd = np.zeros((3, len(t), 2))
    for w in 2 * np.pi * 0.15 * np.arange(1, 6):
        a, phase = rng.uniform(0.2, 0.5, 2), rng.uniform(0, 6.3, 2)
        q += a * np.sin(w * t[:, None] + phase)
        qd += a * w * np.cos(w * t[:, None] + phase)
        qdd -= a * w**2 * np.sin(w * t[:, None] + phase)
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd) + 0.02 * rng.normal(size=q.shape)
    return {"t": t, "q": q + 1e-6 * rng.normal(size=q.shape), "tau": tau}


def even() -> Any:
    return PERIOD * np.arange(COUNT)


def jittering(part: float) -> Any:
    return even() + part * PERIOD * np.random.default_rng(1).uniform(size=COUNT)


def uneven() -> Any:
    """A program that waits for times of its own: errors of its times add up."""
    return np.cumsum(PERIOD * np.random.default_rng(1).uniform(0.2, 1.8, size=COUNT))


def assert_found(r: symoro.Identification, *expected: str) -> None:
    assert codes(r.warnings) == [f"recordings.{code}" for code in expected], r.warnings
    assert all(abs(p.value - TRUE[p.name]) < 4 * p.sigma for p in r)


@pytest.mark.parametrize("t", [jittering(0.3), jittering(0.8), jittering(0.95), uneven()])
def test_samples_at_uneven_times_are_interpolated(t: Any) -> None:
    assert_found(symoro.identify(ROBOT, channels(t)), "uneven_times")


@pytest.mark.parametrize("part", [0.3, 0.8])
def test_samples_with_late_stamps_are_taken_as_they_are(part: float) -> None:
    given = channels(even()) | {"t": jittering(part)}
    r = symoro.identify(ROBOT, given)
    assert_found(r, "late_stamps")
    assert r.warnings[0].fields["period"] == pytest.approx(2.0, rel=1e-3)
    run = symoro.measurements(ROBOT, given).runs[0]
    assert np.array_equal(run["q"], given["q"])


def test_stamps_in_milliseconds_are_late() -> None:
    given = channels(2.5e-3 * np.arange(COUNT))
    assert_found(symoro.identify(ROBOT, given | {"t": np.floor(1e3 * given["t"]) / 1e3}), "late_stamps")


def test_gaps_of_times_that_jitter_leave_runs_of_one_rate() -> None:
    t = jittering(0.8)
    kept = np.delete(np.arange(COUNT), np.r_[1000:1050, 2000:2001])
    given = {name: x[kept] for name, x in channels(t).items()}
    assert_found(symoro.identify(ROBOT, given), "uneven_times", "runs_apart")


def test_a_stream_says_that_times_jitter(tmp_path: Any) -> None:
    given = channels(jittering(0.8))
    names = ["t", "q1", "q2", "tau1", "tau2"]
    rows = np.column_stack([given["t"], given["q"], given["tau"]])
    file = tmp_path / "log.npy"
    np.save(file, np.array(list(map(tuple, rows)), dtype=[(name, float) for name in names]))
    with raised("recordings.uneven_stream", DataError):
        symoro.identify(ROBOT, file, stream=True)


@pytest.mark.parametrize("factor", [2, 10, 60])
def test_rows_at_the_ends_have_the_noise_of_the_others(factor: int) -> None:
    x = np.random.default_rng(0).normal(size=(40 * factor + factor // 2, 1000))
    noise = decimated(x, factor).var(axis=1)
    inside = noise[8:-8].mean()
    assert noise.max() < 1.5 * inside
    plain = x
    for part in (factor,) if factor < 13 else (12, 5):
        plain = signal.decimate(plain, part, axis=0)
    ends = unfiltered(factor)
    assert np.array_equal(decimated(x, factor), plain[ends:-ends])
    assert plain[0].var() > 1.9 * inside  # what was left out
