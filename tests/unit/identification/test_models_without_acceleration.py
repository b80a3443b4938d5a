"""The filtered and the energy model: the true parameters without accelerations, within their stated deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.elastic_run import elastic_run
from support.raised import raised
from support.samples import named
from support.synthetic import fourier, run_of
from symoro.errors import NotApplicable, OptionError

PERIOD, COUNT = 1e-3, 15_000


def data_of(name: str) -> dict[str, Any]:
    """A motion with the torques of the inverse dynamic model, and noise of 2 %."""
    count = len(symoro.load(name).joints)
    q, qd, qdd = fourier(COUNT, count, PERIOD, 3)
    tau = symoro.inverse_dynamics(name).compile()(q, qd, qdd)
    noise = np.random.default_rng(1).normal(size=tau.shape) * 0.02 * tau.std(axis=0)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau + noise}


@pytest.mark.parametrize("model", ["filtered", "energy"])
@pytest.mark.parametrize("name", named(["planar2r", "scara", "rx90"], ["rx90"]))
def test_the_true_parameters_are_found(name: str, model: str) -> None:
    r = symoro.identify(name, data_of(name), model=model)
    true = symoro.base_parameters(name, friction=True).numbers
    away = np.array([(p.value - true[p.name]) / p.sigma for p in r])
    assert np.abs(away).max() < 4.5
    assert np.sqrt(np.mean(away**2)) < 1.5
    assert model in r.processing
    assert r.error.total < 0.05


def test_laws_of_friction_have_their_power_in_the_energy_model() -> None:
    data = data_of("planar2r")
    v = np.gradient(data["q"], PERIOD, axis=0)
    data["tau"] = data["tau"] + 3.0 * np.sign(v) * np.sqrt(np.abs(v))
    for model in ("filtered", "energy"):
        r = symoro.identify("planar2r", data, model=model, friction="root")
        assert all(abs(r[name].value - 3.0) < 4 * r[name].sigma for name in ("FR1", "FR2")), model


@pytest.mark.long
def test_motors_of_closed_loops_are_enough() -> None:
    terms, run, beta = run_of("sr400")
    noise = np.random.default_rng(0).normal(size=run["tau"].shape) * 0.02 * run["tau"].std(axis=0)
    for model in ("filtered", "energy"):
        r = symoro.identify("sr400", {"t": run.t, "q": run["q"], "tau": run["tau"] + noise}, model=model)
        sigma = r.estimate.sigma
        regrouped = {name for group in r.estimate.confused for name in group}  # they contain what is left out
        seen = np.array([name not in regrouped for name in r.estimate.names]) & np.isfinite(sigma)
        assert seen.sum() > 15
        away = np.abs(r.estimate.beta - beta)[seen] / sigma[seen]
        assert r.estimate.names == terms.names
        assert away.max() < 4.5, model


@pytest.mark.long
def test_both_sides_of_elastic_joints() -> None:
    robot = symoro.load("flexible-joints")
    r = symoro.identify(robot, elastic_run(robot), delay=5e-4, cutoff=100.0, decimation=2, model="filtered")
    assert [r["K2"].value, r["K4"].value] == pytest.approx([500.0, 200.0], rel=1e-3)


def test_what_these_models_are_not_for_is_said() -> None:
    data = data_of("planar2r")
    with raised("options.value", OptionError):
        symoro.identify("planar2r", data, model="power")
    law = symoro.pid("planar2r", KP=[300, 100], KD=[30, 8], KI=[1, 1])
    wanted = symoro.trajectory([0, 0], [1, 1], velocity=1.0, acceleration=1.0, robot=symoro.load("planar2r"))
    with raised("estimates.needs_dynamic", OptionError):
        symoro.identify("planar2r", data, model="energy", method="iv", controller=law, reference=wanted)
    _, run, _ = run_of("satellite", count=200)
    with pytest.raises(NotApplicable, match="floating base"):
        symoro.identify("satellite", {"t": run.t, **run.channels}, model="energy")
