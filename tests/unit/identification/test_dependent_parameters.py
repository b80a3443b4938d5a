"""Parameters that a motion cannot tell apart: one is left out by name, and the others get a finite σ and say what
they contain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.says import says
from support.synthetic import fourier
from symoro.identification.estimate.estimate import solved
from symoro.robot.values import as_value

COUNT, PERIOD, OFFSET = 4000, 2e-3, 3.0


def scara_with_offset() -> symoro.Robot:
    """The quill carries its weight: a constant force on it is that of a larger mass."""
    robot = symoro.load("scara")
    drives = (*robot.drives[:3], replace(robot.drives[3], FO=as_value(OFFSET)))
    return replace(robot, drives=drives)


def data_of(robot: symoro.Robot) -> dict[str, np.ndarray]:
    q, qd, qdd = fourier(COUNT, 4, PERIOD, 5)
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    tau += 1e-3 * tau.std(axis=0) * np.random.default_rng(2).normal(size=tau.shape)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau}


@pytest.mark.parametrize("method", ["ols", "wls", "irls"])
@pytest.mark.parametrize("friction", [None, "viscous-coulomb"])
def test_a_constant_force_on_a_vertical_axis_is_left_out(method: str, friction: str | None) -> None:
    robot = scara_with_offset()
    r = symoro.identify("scara", data_of(robot), method=method, offset=True, friction=friction)
    assert [p.name for p in r if not np.isfinite(p.sigma)] == ["FO4"]
    assert r["FO4"].value == 0
    assert says(r.warnings, "estimates.together", first="FO4")
    true = symoro.base_parameters(symoro.load("scara"), friction=True).numbers
    moved = {"M4": OFFSET / 9.81, "IA4": -OFFSET / 9.81}  # (M4 + IA4) q̈ and M4 g + FO4 are what is seen
    for name in moved:
        assert r[name].value == pytest.approx(true[name] + moved[name], abs=4 * r[name].sigma)
    assert "0.101937*FO4" in r["M4"].regroups
    assert all(abs(r[name].value - true[name]) < 4 * r[name].sigma for name in ("FV1", "FV2", "FV4", "FS4", "IA2"))


def test_friction_that_the_data_choose_has_finite_deviations() -> None:
    r = symoro.identify("scara", data_of(symoro.load("scara")), friction="auto")
    assert sum(not np.isfinite(p.sigma) for p in r) == 1


def test_what_is_left_out_changes_no_torque_and_the_rest_is_that_of_numpy() -> None:
    rng = np.random.default_rng(0)
    W = rng.normal(size=(60, 7))
    W[:, 4] = 2 * W[:, 1] - 3 * W[:, 2]
    W[:, 6] = 0.0
    y = rng.normal(size=60)
    names = ("ZZ1", "MX2", "MY2", "IA2", "FV1", "FS1", "FV2")
    found = solved(np.linalg.qr(np.column_stack([W, y]), mode="r"), names)
    assert found.left_out == (6, 4)
    assert found.confused(names) == (("FV2",), ("FV1", "MX2", "MY2"))
    assert found.regrouped(names)["MX2"]["FV1"] == pytest.approx(2)
    assert found.regrouped(names)["MY2"]["FV1"] == pytest.approx(-3)
    assert W @ found.beta == pytest.approx(W @ (np.linalg.pinv(W) @ y))
    kept = [0, 1, 2, 3, 5]
    C = found.covariance(found.inverse)
    assert C[np.ix_(kept, kept)] == pytest.approx(np.linalg.inv(W[:, kept].T @ W[:, kept]))
    assert np.isinf(np.diag(C)[[4, 6]]).all()
    beta = rng.normal(size=7)
    assert W @ found.taken_over(beta) == pytest.approx(W @ beta)
    assert found.taken_over(beta)[[4, 6]] == pytest.approx(0.0, abs=1e-12)
