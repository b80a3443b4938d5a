"""EMPS: the published parameters, and the errors of validation with asymmetric friction and the delay found.

The band is the published one: cut-off 100 Hz, decimated by 10 to 100 Hz, no dead zone.
"""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support import emps
from support.says import says


def test_the_published_parameters_are_within_three_deviations() -> None:
    found = symoro.identify(emps.robot(), emps.recording("DATA_EMPS"), method="ols", offset=True, **emps.BAND)
    for name, value in emps.PUBLISHED.items():
        assert abs(found[name].value - value) < 3 * found[name].sigma, name
    assert found.error.total == pytest.approx(0.0408, abs=0.0008)
    assert found.validate(emps.recording("DATA_EMPS_PULSES")).total == pytest.approx(0.0598, abs=0.0008)


def test_asymmetric_friction_and_the_delay_lower_the_error_of_validation() -> None:
    found = symoro.identify(emps.robot(), emps.recording("DATA_EMPS"), friction="asymmetric", delay="auto", **emps.BAND)
    assert found.how.delay == pytest.approx(0.0005)
    assert says(found.warnings, "estimates.no_place", names=["FVP1 − FVN1"])
    assert found.validate(emps.recording("DATA_EMPS_PULSES")).total <= 0.038
    simulated = emps.simulated_force("DATA_EMPS_PULSES", found.values)
    measured = emps.recording("DATA_EMPS_PULSES").runs[0]["tau"].ravel()
    assert np.linalg.norm(simulated - measured) / np.linalg.norm(measured) <= 0.053


def test_the_data_choose_friction_with_two_sides_that_bends() -> None:
    found = symoro.identify(emps.robot(), emps.recording("DATA_EMPS"), friction="auto", delay="auto", **emps.BAND)
    assert found.law is not None
    assert found.law.name == "asymmetric-root"
    assert found.validate(emps.recording("DATA_EMPS_PULSES")).total < 0.034


@pytest.mark.long
def test_closed_loop_output_error_finds_the_published_parameters_with_the_controller_of_the_axis() -> None:
    data, law = emps.with_reference("DATA_EMPS"), emps.Cascade("DATA_EMPS")
    options = {"offset": True, "delay": 5e-4, **emps.BAND}
    found = symoro.identify(emps.robot(), data, method="cloe", controller=law, **options)
    for name, value in emps.PUBLISHED.items():
        assert abs(found[name].value - value) < 3 * found[name].sigma, name
    assert found.error.total < 0.0408


@pytest.mark.long
def test_a_controller_with_an_exact_velocity_is_not_that_of_the_axis() -> None:
    """Position control of K13:9.12: the mass takes up what the delay of the measured velocity does."""
    data, law = emps.with_reference("DATA_EMPS"), emps.Cascade("DATA_EMPS")
    KP, KD = emps.GAIN * law.kp * law.kv, emps.GAIN * law.kv
    exact = symoro.pd_gravity(emps.robot(), KP=KP, KD=KD, effort=10 * emps.GAIN)
    options = {"offset": True, "delay": 5e-4, **emps.BAND}
    found = symoro.identify(emps.robot(), data, method="cloe", controller=exact, **options)
    assert found["MR1"].value == pytest.approx(92.1, abs=0.5)
    assert abs(found["FS1"].value - emps.PUBLISHED["FS1"]) < 3 * found["FS1"].sigma
