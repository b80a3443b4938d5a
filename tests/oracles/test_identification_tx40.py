"""The TX40's published base parameters from its recording, at 50 Hz with the published dead zone.

The published frame 6 is turned by π about z6, which changes the signs of MX6, MY6, XZ6 and YZ6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

import symoro
from support import tx40_data as tx40
from symoro.identification.estimate.regression import Regression, columns_and_processing, laws_of, regression_of
from symoro.identification.estimate.task import FitRequest, fitted
from symoro.identification.regress.rows import InMemory
from symoro.identification.report.result import Identification, concluded
from symoro.identification.subject.subject import Subject

OPTIONS: dict[str, Any] = {**tx40.BAND, "delay": 0.0, "model": "dynamic"}


@pytest.fixture(scope="module")
def given() -> Regression:
    subject = Subject.of("tx40", described_friction=False)
    data, laws = replace(tx40.recording(turned=True), subject=subject), laws_of("viscous-coulomb", True)
    return regression_of(InMemory(data), *columns_and_processing(data, laws, OPTIONS), laws)


def identified(given: Regression, method: str, **options: Any) -> Identification:
    return concluded(fitted(given, FitRequest(method, **options)))


@pytest.mark.parametrize("method", ["ols", "wls"])
def test_every_published_value_is_within_three_deviations(given: Regression, method: str) -> None:
    found = identified(given, method)
    published = tx40.published("TX40_bp_5.csv", method)
    values = found.values
    assert len(published) == 60
    assert set(published) | {"IA6"} == set(values)
    far = [name for name, (value, sigma) in published.items() if abs(values[name] - value) > 3 * sigma]
    assert far == []
    assert found.error.total <= 0.051
    assert found.validation.total <= 1.3 * found.error.total


def test_the_regrouping_is_the_published_one(given: Regression) -> None:
    found = identified(given, "ols")
    assert found["ZZR1"].regroups == "ZZ1 + IA1 + YY2 + YY3 + 2*RL3*MZ3 + (D3^2 + RL3^2)*(M3 + M4 + M5 + M6)"
    assert found["MYR5"].regroups == "MY5 - MZ6"


def test_the_published_essential_parameters_are_found(given: Regression) -> None:
    published = tx40.published("TX40_ep_5.csv", "wls")
    found = identified(given, "wls", essential="sigma")
    names = [p.name for p in found]
    assert len(published) == 25
    assert set(published) <= set(names)
    assert len(names) <= 27
    assert all(abs(found[name].value - value) < 3 * sigma for name, (value, sigma) in published.items())


@pytest.mark.parametrize("method", ["ols", "wls"])
def test_physical_consistency_costs_little_and_mujoco_takes_every_link(given: Regression, method: str) -> None:
    found = identified(given, method, physical=True)
    assert found.consistent is not None
    assert found.consistent.loss <= 0.0005
    assert min(found.consistent.smallest.values()) > 0
    for link in range(1, 7):
        model = mujoco.MjModel.from_xml_string(link_as_mjcf(found.standard, link))
        assert model.body_mass[1] == pytest.approx(found.standard[f"M{link}"], rel=1e-9)


def link_as_mjcf(standard: dict[str, float], link: int) -> str:
    """A free body with the inertia of a link about its centre of mass."""
    m = standard[f"M{link}"]
    c = np.array([standard[f"M{axis}{link}"] for axis in "XYZ"]) / m
    J = np.array([[standard[f"{''.join(sorted(a + b))}{link}"] for a in "XYZ"] for b in "XYZ"])
    J = J - m * (c @ c * np.eye(3) - np.outer(c, c))
    full = " ".join(f"{x:.17g}" for x in (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
    place = " ".join(f"{x:.17g}" for x in c)
    inertial = f'<inertial pos="{place}" mass="{m:.17g}" fullinertia="{full}"/>'
    return f"<mujoco><worldbody><body><freejoint/>{inertial}</body></worldbody></mujoco>"


@pytest.mark.long
def test_friction_that_the_data_choose() -> None:
    found = symoro.identify("tx40", tx40.recording(), friction="auto", **tx40.BAND)
    assert found.law is not None
    assert found.law.name == "root"
    assert found.error.total <= 0.049
    assert found.validation.total <= 0.049
    assert "least error in cross-validation" in found.friction


@pytest.mark.long
def test_a_prior_costs_little() -> None:
    kept = dict(friction="viscous-coulomb", offset=True, **tx40.BAND)
    free = symoro.identify("tx40", tx40.recording(), **kept)
    found = symoro.identify("tx40", tx40.recording(), prior=0.5, physical=True, **kept)
    assert found.consistent is not None
    assert found.consistent.error - free.error.total <= 0.001
    assert found.validation.total < free.validation.total
