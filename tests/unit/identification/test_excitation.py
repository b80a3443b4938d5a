"""Exciting motions: limits to 1e-9, rest at both ends, and a lower condition number than random motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import MotionError, NotApplicable, SymoroError
from symoro.identification.excitation.excite import random_series
from symoro.identification.excitation.limits import filled
from symoro.identification.excitation.motions import Basis, PeriodicSpline, Series, SplineBasis
from symoro.identification.subject.subject import Box, Subject


def condition(subject: Subject, series: Series | PeriodicSpline) -> float:
    """By NumPy, from samples of the motion."""
    W = subject.evaluate(*series.at(np.linspace(0, series.duration, 400, endpoint=False)))
    return float(np.linalg.cond(W.reshape(-1, W.shape[-1])))


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_limits_are_kept_and_the_motion_is_at_rest_at_both_ends(kind: str, tmp_path: Path) -> None:
    limits = {"position": [[-1.0, 2.0], [-0.5, 0.7]], "velocity": [2.0, 3.0], "acceleration": [6.0, 9.0]}
    found = symoro.excite("planar2r", kind=kind, duration=4.0, harmonics=4, starts=1, steps=40, **limits)
    t = np.linspace(0, 4.0, 200_001)
    q, qd, qdd = found.trajectory(t)
    assert (q >= np.array([-1.0, -0.5]) - 1e-9).all()
    assert (q <= np.array([2.0, 0.7]) + 1e-9).all()
    assert (np.abs(qd) <= np.array([2.0, 3.0]) + 1e-9).all()
    assert (np.abs(qdd) <= np.array([6.0, 9.0]) + 1e-9).all()
    assert np.abs(qd[[0, -1]]).max() < 1e-12
    assert np.abs(qdd[[0, -1]]).max() < 1e-11
    assert condition(found.subject, found.series) == pytest.approx(found.condition, rel=1e-6)
    table = np.loadtxt(found.to_csv(tmp_path / "a.csv", rate=100), delimiter=",", skiprows=1)
    assert table.shape == (401, 7)
    assert set(found.sigma) == set(found.subject.columns)


def test_extremes_are_those_of_a_fine_grid() -> None:
    box = Box(*(np.array([x]) for x in (-1.0, 1.0, 2.0, 5.0)))
    for seed in range(20):
        basis = Basis(5, 3.0, 200) if seed % 2 else SplineBasis(10, 3.0, 200)
        series = random_series(basis, box, seed)
        low, high, speed, acceleration = series.extremes()
        q, qd, qdd = series.at(np.linspace(0, 3.0, 100_001))
        fine = q.min(), q.max(), np.abs(qd).max(), np.abs(qdd).max()
        for exact, sampled in zip((low[0], high[0], speed[0], acceleration[0]), fine, strict=True):
            assert abs(exact) >= abs(sampled) - 1e-9
            assert abs(exact) == pytest.approx(abs(sampled), rel=1e-6)
        again = filled(series, box)
        assert np.abs(again.coefficients - series.coefficients).max() < 1e-9


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_the_point_of_the_tool_stays_in_the_workspace(kind: str) -> None:
    box = np.array([[0.1, 0.7], [-0.4, 0.5], [-1.0, 1.0]])
    found = symoro.excite("planar3r", kind=kind, duration=5.0, starts=2, steps=40, workspace=box, tool=3)
    q, _, _ = found.trajectory(np.linspace(0, 5.0, 100_001))
    p = symoro.forward_geometry("planar3r", 3).compile()(q)[:, :3, 3]
    assert (p >= box[:, 0] - 1e-9).all()
    assert (p <= box[:, 1] + 1e-9).all()
    near = np.minimum(p.min(axis=0) - box[:, 0], box[:, 1] - p.max(axis=0)) / np.ptp(box, axis=1)
    assert near.min() < 0.05  # the motion uses the room
    assert found.condition < 30


@pytest.mark.long
def test_the_condition_number_of_the_rx90_is_far_below_that_of_random_motions() -> None:
    velocity, acceleration = np.array([4, 4, 5, 6, 6, 8.0]), np.array([12, 12, 15, 20, 25, 30.0])
    limits = {"position": [[-2, 2]] * 6, "velocity": velocity, "acceleration": acceleration}
    found = symoro.excite("rx90", starts=4, **limits)
    box = Box(np.full(6, -2.0), np.full(6, 2.0), velocity, acceleration)
    random = [condition(found.subject, random_series(Basis(5, 10.0, 200), box, seed)) for seed in range(300)]
    assert len(found.subject.columns) == 40
    assert np.median(random) >= 5 * found.condition
    assert np.percentile(random, 95) >= 10 * found.condition


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"criterion": "beauty"}, "options.value"), ({"harmonics": 1}, "options.value"),
        ({"velocity": [1, 2, 3]}, "options.value"), ({"acceleration": -1}, "options.value"),
        ({"position": [[1, 0], [0, 1]]}, "excitation.ranges"), ({"position": {"a": 1}}, "options.value"),
        ({"duration": 0}, "options.value"), ({"kind": "polynomial"}, "options.value"),
        ({"workspace": [[1, 2]]}, "excitation.ranges"),
        ({"workspace": [[5, 6]] * 3, "steps": 1}, "excitation.none"),
        ({"tool": 1}, "excitation.tool_without_workspace"),
        ({"effort": [1e-9, 1e-9], "steps": 1}, "excitation.effort"),
    ],
)  # fmt: skip
def test_wrong_limits_are_named(options: dict[str, object], code: str) -> None:
    with raised(code, MotionError) as error:
        symoro.excite("planar2r", starts=1, **options)
    assert error.value.finding.fields.get("option") == (None if code == "excitation.none" else next(iter(options)))


def test_a_robot_without_such_motions_is_named() -> None:
    with raised("excitation.no_motor", NotApplicable):
        symoro.excite("spring-mass")
    assert issubclass(NotApplicable, SymoroError)
