"""Stribeck's curve: its speed is a parameter with a σ, and the σ of the others contain that it is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import curve_fit

import symoro
from support import emps
from support.raised import raised
from support.says import says
from support.synthetic import fourier
from symoro.robot.values import as_value

COUNT, PERIOD = 4000, 2e-3
TRUE = {"MR1": 5.0, "FV1": 8.0, "FS1": 3.0, "FST1": 7.0, "BST1": 6.0}


def friction(v: np.ndarray, FV: float, FS: float, FST: float, BST: float) -> np.ndarray:
    return FV * v + np.sign(v) * (FS + (FST - FS) * np.exp(-BST * np.abs(v)))


def axis(noise: float = 0.1, **other: float) -> dict[str, np.ndarray]:
    """A prismatic axis with a known motion."""
    q, qd, qdd = fourier(COUNT, 1, PERIOD, 5)
    true = TRUE | other
    force = true["MR1"] * qdd + friction(qd, *(true[f"{n}1"] for n in ("FV", "FS", "FST", "BST")))
    force = force + noise * np.random.default_rng(0).normal(size=force.shape)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "qd": qd, "qdd": qdd, "tau": force}


EXACT = {"cutoff": None, "decimation": 1, "friction": "stribeck", "border": 5}


def test_values_and_deviations_are_those_of_scipy() -> None:
    data = axis()
    r = symoro.identify(emps.robot(), data, method="ols", **EXACT)
    v, a, y = (data[name][5:-5, 0] for name in ("qd", "qdd", "tau"))
    kept = np.abs(v) >= r.how.dead_zone_of(0, 1)

    def force(x: np.ndarray, M: float, FV: float, FS: float, FST: float, BST: float) -> np.ndarray:
        return M * x[1] + friction(x[0], FV, FS, FST, BST)

    peer, C = curve_fit(force, np.array([v, a])[:, kept], y[kept], p0=list(TRUE.values()))
    assert [p.name for p in r] == list(TRUE)
    assert [p.value for p in r] == pytest.approx(peer, rel=1e-3)
    assert [p.sigma for p in r] == pytest.approx(np.sqrt(np.diag(C)), rel=0.02)


def test_the_robot_of_the_result_has_the_curve() -> None:
    r = symoro.identify(emps.robot(), axis(), **EXACT)
    assert not says(r.warnings, "estimates.no_place")
    q, qd, qdd = fourier(50, 1, 2e-2, 1)
    expected = TRUE["MR1"] * qdd + friction(qd, *(TRUE[f"{n}1"] for n in ("FV", "FS", "FST", "BST")))
    found = symoro.inverse_dynamics(r.robot).compile()(q, qd, qdd)
    assert np.linalg.norm(found - expected) < 0.01 * np.linalg.norm(expected)
    read = symoro.measurements(emps.robot(), axis())
    assert r.validate(read).total == pytest.approx(r.error.total, rel=1e-9)
    assert "BST1" in str(r)


def test_without_a_curve_the_speed_is_kept_and_said() -> None:
    r = symoro.identify(emps.robot(), axis(FST1=3.0), **EXACT)
    assert says(r.warnings, "estimates.no_curve", joints=["joint1"]), r.warnings
    assert [p.name for p in r] == ["MR1", "FV1", "FS1", "FST1"]
    assert r["FS1"].value == pytest.approx(3.0, abs=4 * r["FS1"].sigma)
    assert "BST1" in r.values


def test_the_speed_cannot_be_given_and_the_curve_stays_whole() -> None:
    with raised("estimates.known"):
        symoro.identify(emps.robot(), axis(), known={"BST1": 6.0}, **EXACT)
    r = symoro.identify(emps.robot(), axis(), essential="bic", **EXACT)
    assert {"FS1", "FST1", "BST1"} <= {p.name for p in r}


@pytest.mark.parametrize("model", ["filtered", "energy"])
def test_models_without_accelerations_have_the_curve(model: str) -> None:
    r = symoro.identify(emps.robot(), axis(0.02), model=model, friction="stribeck", decimation=10)
    for name, value in TRUE.items():
        assert r[name].value == pytest.approx(value, rel=0.03)


@pytest.mark.long
def test_two_deviations_hold_the_true_values_with_the_speed_unknown() -> None:
    """200 noise seeds of an arm with two motors, whose curves fade at other speeds than those that are tried."""
    robot = symoro.load("planar2r")
    curves = ((0.4, 1.0, 5.0), (0.2, 0.7, 13.0))
    drives = [
        replace(d, FS=as_value(a), FST=as_value(b), BST=as_value(c))
        for d, (a, b, c) in zip(robot.drives, curves, strict=True)
    ]
    truth = replace(robot, drives=tuple(drives))
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    tau = symoro.inverse_dynamics(truth).compile()(q, qd, qdd)
    true = symoro.base_parameters(robot, friction=True).numbers
    for j, (FS, FST, BST) in enumerate(curves, 1):
        true |= {f"FS{j}": FS, f"FST{j}": FST, f"BST{j}": BST}
    inside = []
    for seed in range(200):
        noisy = tau + 0.05 * np.random.default_rng(seed).normal(size=tau.shape)
        data = {"t": PERIOD * np.arange(COUNT), "q": q, "qd": qd, "qdd": qdd, "tau": noisy}
        r = symoro.identify(robot, data, friction="stribeck", cutoff=None, decimation=4)
        inside.append([abs(p.value - true[p.name]) <= 2 * p.sigma for p in r])
    assert 0.93 <= np.mean(inside) <= 0.97
