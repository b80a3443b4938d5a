"""Logs with short runs, lost samples and spikes: the result stays right, or a warning names what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support import emps, tx40_data
from support.says import codes, says
from support.synthetic import fourier
from symoro.findings import Finding
from symoro.identification.read.runs import bridged, spikes

ROBOT = "planar2r"
COUNT, PERIOD = 6000, 1e-3
TRUE = symoro.base_parameters(ROBOT, friction=True).numbers
Log = dict[str, np.ndarray]


def log(noise: float = 1e-4, speed: float = 1.0) -> Log:
    """Noise of positions, in radians, and of torques, 0.1 %."""
    q, qd, qdd = fourier(COUNT, 2, speed * PERIOD, 3)
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, speed * qd, speed**2 * qdd)
    a, b = np.random.default_rng(1).normal(size=(2, COUNT, 2))
    return {"t": PERIOD * np.arange(COUNT), "q": q + noise * a, "tau": tau + 1e-3 * tau.std(axis=0) * b}


def some(given: Log, rows: Any) -> Log:
    return {name: x[rows] for name, x in given.items()}


def with_nan(given: Log, rows: Any) -> Log:
    q = given["q"].copy()
    q[rows] = np.nan
    return given | {"q": q}


def assert_found(r: symoro.Identification) -> None:
    assert all(abs(p.value - TRUE[p.name]) < 4 * p.sigma for p in r)


@pytest.mark.parametrize("count", [25, 60, 150, 400])
def test_a_short_run_beside_a_long_one_is_left_out_and_named(count: int) -> None:
    given = log()
    alone, both = (symoro.identify(ROBOT, x) for x in (given, [given, some(given, slice(1000, 1000 + count))]))
    assert both.how == alone.how
    assert both.estimate.beta == pytest.approx(alone.estimate.beta, rel=1e-12)
    assert both.warnings == (Finding("measurements.short_runs", left_out=1, count=2, samples=count),)


def test_a_run_that_is_long_enough_counts_and_does_not_widen_the_band() -> None:
    given = log()
    alone, both = (symoro.identify(ROBOT, x) for x in (given, [given, some(given, slice(1000, 3000))]))
    assert both.how.cutoff == alone.how.cutoff
    assert both.rows is not None
    assert alone.rows is not None
    assert both.rows.count > alone.rows.count
    assert_found(both)


def test_a_short_run_that_moves_faster_widens_the_band() -> None:
    slow, fast = log(), some(log(speed=8.0), slice(0, 2000))
    apart, both = symoro.identify(ROBOT, slow), symoro.identify(ROBOT, [slow, fast])
    assert both.how.cutoff > 3 * apart.how.cutoff
    assert both.error.total < 0.03


LOST = {
    "a row": [2500],
    "ten rows": range(2500, 2510),
    "rows near the end": range(5900, 5910),
    "many": sorted(np.random.default_rng(0).choice(COUNT, 500, replace=False)),
}


@pytest.mark.parametrize("what", LOST)
def test_small_gaps_are_bridged_and_said(what: str) -> None:
    given, whole = log(), symoro.identify(ROBOT, log())
    rows = [k for k in LOST[what] if 50 < k < COUNT - 50]
    for data in (some(given, np.delete(np.arange(COUNT), rows)), with_nan(given, rows)):
        r = symoro.identify(ROBOT, data)
        assert says(r.warnings, "recordings.gaps_filled", missing=len(rows)), r.warnings
        assert r.how == whole.how or r.how.cutoff == pytest.approx(whole.how.cutoff, rel=1e-6)
        assert r.error.total < 1.3 * whole.error.total
        assert_found(r)


def test_a_wide_gap_leaves_two_runs_with_one_band() -> None:
    r = symoro.identify(ROBOT, with_nan(log(), slice(2500, 2600)))
    assert says(r.warnings, "recordings.runs_apart", runs=2)
    assert r.error.total < 0.01
    assert_found(r)


def test_a_bridge_is_as_near_to_the_motion_as_the_noise_is() -> None:
    q = fourier(400, 2, PERIOD, 0)[0]
    noisy = q + 1e-4 * np.random.default_rng(0).normal(size=q.shape)
    kept = np.delete(np.arange(400), range(200, 212))
    t, channels, lost = bridged(kept * PERIOD, {"q": noisy[kept]}, PERIOD)
    assert lost == [12]
    assert t == pytest.approx(PERIOD * np.arange(400))
    assert np.abs(channels["q"] - q)[200:212].max() < 3e-4


def test_a_gap_in_a_fast_motion_is_not_bridged() -> None:
    q = np.sin(2 * np.pi * 60 * PERIOD * np.arange(400))[:, None]
    kept = np.delete(np.arange(400), range(200, 206))
    assert bridged(kept * PERIOD, {"q": q[kept]}, PERIOD)[2] == []


def test_a_short_recording_says_that_the_filter_has_not_settled() -> None:
    r = symoro.identify(ROBOT, some(log(), slice(0, 150)), cutoff=5.0)
    assert says(r.warnings, "measurements.unsettled", count=150)


def spoiled(channel: str, count: int, size: float, apart: bool = True) -> Log:
    """Spikes that are equally far apart, or at random samples."""
    given, rng = log(), np.random.default_rng(4)
    x, inside = given[channel].copy(), np.arange(300, COUNT - 300)
    rows = np.linspace(300, COUNT - 300, count).astype(int) if apart else rng.choice(inside, count, replace=False)
    x[rows, 1] += size * rng.choice([-1, 1], count)
    return given | {channel: x}


@pytest.mark.parametrize("count", [1, 100])
def test_spikes_of_torques_are_counted_and_the_joint_is_named(count: int) -> None:
    r = symoro.identify(ROBOT, spoiled("tau", count, 5.0))
    code, fields = ("spike", {}) if count == 1 else ("spikes", {"count": count})
    assert says(r.warnings, f"measurements.{code}", joint="joint2", **fields), r.warnings


@pytest.mark.parametrize("count", [1, 100])
def test_spikes_of_positions_are_interpolated_and_said(count: int) -> None:
    whole, r = symoro.identify(ROBOT, log()), symoro.identify(ROBOT, spoiled("q", count, 0.05))
    assert says(r.warnings, "recordings.spikes_of_position", position=2, count=count), r.warnings
    assert r.error.total < 1.3 * whole.error.total
    assert_found(r)


def test_a_torque_that_is_cut_off_is_named() -> None:
    given = log()
    tau = np.clip(given["tau"], None, 0.6 * given["tau"].max(axis=0))
    r = symoro.identify(ROBOT, given | {"tau": tau})
    assert says(r.warnings, "measurements.cut_off", joint="joint1")


@pytest.mark.parametrize("method", ["ols", "wls"])
def test_rows_far_from_the_model_are_named_with_the_method_that_helps(method: str) -> None:
    data = spoiled("tau", 8, 30.0, apart=False)
    r, robust = (symoro.identify(ROBOT, data, method=one) for one in (method, "irls"))
    assert says(r.warnings, "estimates.outliers", joint="joint2")
    assert not says(robust.warnings, "estimates.outliers")
    worst, best = (max(abs(p.value - TRUE[p.name]) for p in one) for one in (r, robust))
    assert best < 0.3 * worst


def test_spikes_that_are_set_to_nan_do_no_harm() -> None:
    data = spoiled("tau", 100, 5.0)
    rows = spikes(data["tau"][:, 1], "tau")
    assert_found(symoro.identify(ROBOT, with_nan(data, rows)))


def test_real_recordings_have_no_spikes() -> None:
    """A pulse of the force, which begins with a step, is none."""
    for data in (emps.recording("DATA_EMPS"), emps.recording("DATA_EMPS_PULSES"), tx40_data.recording()):
        assert not {"measurements.spike", "measurements.spikes"} & set(codes(data.warnings))


@pytest.mark.long
def test_a_real_recording_in_its_own_band_gives_no_false_alarm() -> None:
    r = symoro.identify("tx40", tx40_data.recording(), friction="viscous-coulomb", offset=True)
    assert set(codes(r.warnings)) <= {"estimates.no_place"}
