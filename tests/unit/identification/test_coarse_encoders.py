"""Positions that come in steps, or have noise: the step is found and named, and the band is narrow enough for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support import emps
from support import tx40_data as tx40
from support.elastic_run import elastic_run
from support.says import codes, says
from support.synthetic import fourier
from symoro.identification.process.processing import AUTO, processing
from symoro.identification.read.runs import step_of

STEPS = "measurements.steps"


def rounded(x: Any, step: Any) -> Any:
    return np.round(x / step) * step


def motion(count: int = 4000) -> Any:
    return fourier(count, 1, 1e-3, 0)[0][:, 0]


@pytest.mark.parametrize("step", [1e-6, 2 * np.pi / 1000, 2 * np.pi / 100_000, 1e-4 / 3])
@pytest.mark.parametrize("offset", [0.0, 0.123456789])
def test_the_step_of_positions_is_found(step: float, offset: float) -> None:
    assert step_of(rounded(motion(), step) + offset) == pytest.approx(step, rel=1e-9)


def test_the_step_is_found_where_a_file_has_few_digits_and_a_gap() -> None:
    q = np.round(rounded(motion(), 2 * np.pi / 1000), 6)
    q[1000:1010] = np.nan
    assert step_of(q) == pytest.approx(2 * np.pi / 1000, rel=1e-5)


EVEN = {
    "a smooth motion": motion(),
    "noise": motion() + 1e-4 * np.random.default_rng(0).normal(size=4000),
    "rest": np.zeros(100),
    "a few values": rounded(motion(), 1.5),
    "a constant acceleration": (1e-3 * np.arange(1000)) ** 2,
    "nothing": np.full(50, np.nan),
}


@pytest.mark.parametrize("what", EVEN)
def test_other_positions_have_no_step(what: str) -> None:
    assert step_of(EVEN[what]) == 0.0


def axis(change: Any) -> symoro.Identification:
    run = emps.recording("DATA_EMPS").runs[0]
    data = {"t": run.t, "q": change(run["q"]), "tau": run["tau"]}
    return symoro.identify(emps.robot(), data, offset=True)


def assert_near(found: symoro.Identification, other: symoro.Identification) -> None:
    far = [p.name for p in found if abs(p.value - other[p.name].value) > 3 * p.sigma]
    assert far == []


@pytest.mark.parametrize("step", [1e-6, 1e-5, 1e-4, 1e-3])
def test_a_rounded_axis_has_the_parameters_of_the_axis(step: float) -> None:
    fine, coarse = axis(lambda q: q), axis(lambda q: rounded(q, step))
    assert fine.warnings == ()
    assert_near(coarse, fine)
    assert all(abs(coarse[name].value - x) < 3 * coarse[name].sigma for name, x in emps.PUBLISHED.items())
    assert codes(coarse.warnings) == ["measurements.decimated_more"] * (step > 1e-6)
    assert not coarse.warnings or says(coarse.warnings, STEPS, joint="joint1", size=step, unit="m")


def test_a_noisy_axis_has_the_parameters_of_the_axis() -> None:
    noise = np.random.default_rng(0).normal(size=(24841, 1))
    assert_near(axis(lambda q: q + 3e-5 * noise), axis(lambda q: q))


def test_a_band_that_is_too_wide_for_the_steps_is_said() -> None:
    run = emps.recording("DATA_EMPS").runs[0]
    data = {"t": run.t, "q": rounded(run["q"], 1e-4), "tau": run["tau"]}
    found = symoro.identify(emps.robot(), data, offset=True, **emps.BAND)
    assert found.warnings[0].code == "measurements.inertias_too_small"
    assert says(found.warnings[:1], STEPS, joint="joint1", size=1e-4, unit="m")
    assert found["MR1"].value < 0.9 * emps.PUBLISHED["MR1"]


def planar(change: Any) -> dict[str, Any]:
    """A planar arm at 500 Hz whose torques have noise, with changed positions."""
    q, qd, qdd = fourier(3000, 2, 2e-3, 3)
    tau = symoro.inverse_dynamics("planar2r").compile()(q, qd, qdd)
    return {
        "t": 2e-3 * np.arange(3000),
        "q": change(q),
        "tau": tau + 0.02 * np.random.default_rng(0).normal(size=q.shape),
    }


def assert_true(found: symoro.Identification) -> None:
    true = symoro.base_parameters(found.subject.description, friction=True).numbers
    assert [p.name for p in found if abs(p.value - true[p.name]) > 3 * p.sigma] == []


def test_one_coarse_encoder_beside_a_fine_one_narrows_the_band() -> None:
    found = symoro.identify("planar2r", planar(lambda q: np.c_[rounded(q[:, 0], 0.01), q[:, 1]]))
    assert len(found.warnings) == 1
    assert says(found.warnings, STEPS, joint="joint1", size=0.01, unit="rad")
    assert_true(found)


def test_a_joint_that_moves_by_a_few_steps_is_named() -> None:
    found = symoro.identify("planar2r", planar(lambda q: rounded(q, 0.15)))
    assert says(found.warnings[:1], "measurements.hardly_moves", joint="joint1", size=0.15, unit="rad")
    assert not {"measurements.position_stuck", "measurements.torque_stuck"} & set(codes(found.warnings))


def test_measured_velocities_make_steps_harmless() -> None:
    velocities = {"qd": fourier(3000, 2, 2e-3, 3)[1]}
    found = symoro.identify("planar2r", planar(lambda q: rounded(q, 0.01)) | velocities)
    assert found.warnings == ()
    assert_true(found)


def arm(counts: int) -> symoro.Identification:
    """An RX-90 whose torques have noise of 2 %, with so many counts a turn."""
    q, qd, qdd = fourier(10_000, 6, 1e-3, 3)
    tau = symoro.inverse_dynamics("rx90").compile()(q, qd, qdd)
    noise = 0.02 * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    return symoro.identify("rx90", {"q": rounded(q, 2 * np.pi / counts), "tau": tau + noise}, rate=1000)


@pytest.mark.parametrize("counts", [1000, pytest.param(10_000, marks=pytest.mark.long), 100_000])
def test_an_arm_with_coarse_encoders_has_its_true_parameters(counts: int) -> None:
    found = arm(counts)
    assert_true(found)
    assert says(found.warnings, STEPS) == (counts == 1000)


def recorded_arm(counts: int | None) -> symoro.Identification:
    """The TX40 with so many counts a turn of each joint, measured at its motors."""
    run, R = tx40.recording().runs[0], tx40.matrix()
    qm, motor = run["q"] @ R.T, np.linalg.solve(R.T, run["tau"].T).T
    q = qm if counts is None else rounded(qm, 2 * np.pi / counts * np.abs(tx40.RATIOS))
    kept = {"side": "motor", "transmission": R, "rate": 5000}
    return symoro.identify("tx40", {"q": q, "tau": motor}, friction="viscous-coulomb", offset=True, **kept)


@pytest.mark.long
def test_a_recorded_arm_with_coarse_encoders_has_the_parameters_of_the_arm() -> None:
    fine = recorded_arm(None)
    for counts in (1000, 10_000, 100_000):
        coarse = recorded_arm(counts)
        assert_near(coarse, fine)
        assert says(coarse.warnings, STEPS) == (counts == 1000), counts
    assert not says(fine.warnings, STEPS)


@pytest.mark.parametrize("name", ["DATA_EMPS", "DATA_EMPS_PULSES", "tx40"])
def test_recordings_have_no_steps_that_matter(name: str) -> None:
    data = tx40.recording() if name == "tx40" else emps.recording(name)
    how = processing(data, AUTO, AUTO, 0.0, AUTO, None, "dynamic", True)
    assert how.notes == ()


def test_an_elastic_arm_with_coarse_encoders_has_the_parameters_of_the_arm() -> None:
    given, step = elastic_run(symoro.load("flexible-joints")), 2 * np.pi / 10_000
    coarse = given | {"q": rounded(given["q"], step), "qm": rounded(given["qm"], step / 50)}
    fine, found = (symoro.identify("flexible-joints", data, delay=5e-4) for data in (given, coarse))
    assert fine.warnings == ()
    assert_near(found, fine)
    assert says(found.warnings[:1], STEPS, joint="joint2", size=0.000628, unit="rad")
