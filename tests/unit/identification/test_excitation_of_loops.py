"""Exciting motions of closed loops: one branch without a jump, limits between samples, and what is said."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.samples import named
from support.says import codes
from symoro.errors import DataError, MotionError
from symoro.identification.excitation.excite import Excitation

FOUR_BAR = {"duration": 6.0, "harmonics": 3, "starts": 1, "steps": 30}


@cache
def four_bar(criterion: str = "condition", other: bool = False) -> Excitation:
    guess = {"guess": branches()[int(other)]} if other else {}
    return symoro.excite("four-bar", criterion=criterion, **FOUR_BAR, **guess)


def branches() -> np.ndarray:
    """Both ways to close the four-bar, the one with the smaller passive joints first."""
    found = symoro.loop_geometry("four-bar").compile().branches([0.5])
    return found[np.argsort(np.abs(found[:, 1:]).sum(axis=1))]


def turn(q: np.ndarray) -> np.ndarray:
    """Coupler × rocker of a four-bar: it has one sign on each branch, and is 0 at a dead point."""
    return 0.5 * 0.4 * np.sin(q[:, 2] - q[:, 0] - q[:, 1])


def gap(q: np.ndarray) -> np.ndarray:
    """How far the pin on the coupler is from the pin on the rocker, by complex numbers."""
    a, b = q[:, 0], q[:, 0] + q[:, 1]
    return np.abs(0.2 * np.exp(1j * a) + 0.5 * np.exp(1j * b) - 0.45 - 0.4 * np.exp(1j * q[:, 2]))


@pytest.mark.long
@pytest.mark.parametrize("other", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_four_bar_stays_on_its_branch_or_on_that_of_a_guess(other: bool) -> None:
    q = four_bar(other=other).positions(np.linspace(0, 6.0, 20_001))
    assert gap(q).max() < 1e-12
    assert np.unique(np.sign(turn(q))).tolist() == np.sign(turn(branches()[[int(other)]])).tolist()
    assert np.abs(turn(q)).min() > 0.01  # far from dead points
    assert np.abs(np.diff(q, axis=0)).max() < 9.5 * 6.0 / 20_000  # three times the speed of the motor


def measures(found: Excitation) -> tuple[float, float]:
    """Condition number and log det WᵀW / 2 n, by NumPy."""
    x, xd, xdd = found.series.at(np.linspace(0, found.series.duration, 1000, endpoint=False))
    W = found.excited.evaluate(found.excited.placed(x), xd, xdd).reshape(-1, len(found.excited.columns))
    return float(np.linalg.cond(W)), float(np.linalg.slogdet(W.T @ W)[1]) / (2 * W.shape[1])


@pytest.mark.parametrize("robot", named(["planar2r", "four-bar", "sr400"], ["four-bar", "sr400"]))
def test_each_criterion_is_better_by_its_own_measure(robot: str) -> None:
    by = {name: symoro.excite(robot, criterion=name, **FOUR_BAR) for name in ("condition", "information")}
    (condition, little), (larger, much) = measures(by["condition"]), measures(by["information"])
    assert condition < 0.98 * larger
    assert much > little + 0.02


@pytest.mark.long
def test_a_large_condition_number_is_said_with_the_worst_parameters() -> None:
    assert not four_bar().warnings
    found = symoro.excite("planar2r", position=[[0, 0.001], [0, 0.001]], duration=6.0, starts=1, steps=5)
    assert found.condition > 1000
    assert codes(found.warnings) == ["excitation.condition"]
    assert set(found.warnings[0].fields["names"]) <= set(found.excited.columns)
    assert f"warning: {found.warnings[0]}" in str(found)


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_torques_keep_their_limits_between_samples_and_where_friction_jumps(kind: str) -> None:
    inverse = symoro.inverse_dynamics("planar2r").compile()
    options = {"kind": kind, "duration": 3.0, "starts": 1, "steps": 5, "acceleration": 20.0, "velocity": 5.0}
    free = symoro.excite("planar2r", **options)
    limits = 0.9 * np.abs(inverse(*free.trajectory(np.linspace(0, 3.0, 1000)))).max(axis=0)
    found = symoro.excite("planar2r", effort=limits, **options)
    T = found.series.duration
    assert T > 3.0
    coarse = np.linspace(0, T, 100_001)
    speeds = found.trajectory(coarse).qd
    turns = coarse[:-1][(np.diff(np.sign(speeds), axis=0) != 0).any(axis=1)]
    beside = np.concatenate([np.linspace(t, t + T / 100_000, 2000) for t in turns])
    load = max(float(np.max(np.abs(inverse(*found.trajectory(t))) / limits)) for t in (coarse, beside))
    assert load <= 1 + 1e-9
    assert load > 0.9


STRUCTURES = [
    pytest.param("four-bar", "spline"),
    *(pytest.param(robot, kind, marks=pytest.mark.long)
      for robot in ("four-bar", "sr400", "satellite", "planar3r") for kind in ("fourier", "spline")),
]  # fmt: skip
BASE = [[-0.1, 0.1]] * 3 + [[-0.4, 0.5]] * 3
TOOL = np.array([[-0.2, 0.9], [-0.6, 0.8], [-1.0, 1.0]])
EXTRA = {"satellite": {"base": BASE}, "planar3r": {"workspace": TOOL, "tool": 3}}


@pytest.mark.parametrize(("robot", "kind"), STRUCTURES)
def test_limits_of_all_kinds_hold_between_samples(robot: str, kind: str) -> None:
    n = sum(joint.actuated for joint in symoro.load(robot).joints)
    low, high = np.full(n, -1.1), np.full(n, 1.3)
    limits = {"position": np.column_stack([low, high]), "velocity": 1.7, "acceleration": 6.0}
    found = symoro.excite(
        robot, kind=kind, duration=5.0, harmonics=3, starts=1, steps=8, **limits, **EXTRA.get(robot, {})
    )
    t = np.linspace(0, 5.0, 100_001)
    x, xd, xdd = found.trajectory(t)
    assert np.maximum(low - x[:, -n:], x[:, -n:] - high).max() <= 1e-9
    assert max(np.abs(xd).max() - 1.7, np.abs(xdd).max() - 6.0) <= 1e-9
    assert np.abs(xd[[0, -1]]).max() < 1e-12
    assert np.abs(xdd[[0, -1]]).max() < 1e-10
    q = found.positions(t[::10])
    assert np.abs(np.diff(q, axis=0)).max() / t[10] <= 3 * 1.7 + 1e-9  # speeds of passive joints
    if robot == "satellite":
        assert np.maximum(np.array(BASE)[:, 0] - x[:, :6], x[:, :6] - np.array(BASE)[:, 1]).max() <= 1e-9
    if robot == "planar3r":
        p = symoro.forward_geometry(robot, 3).compile()(x)[:, :3, 3]
        assert np.maximum(TOOL[:, 0] - p, p - TOOL[:, 1]).max() <= 1e-9


def test_a_guess_that_cannot_be_is_named() -> None:
    with raised("branches.guess_is_open", DataError):
        symoro.excite("four-bar", guess=[0.0, 0.1, 0.2])
    with raised("options.value", MotionError):
        symoro.excite("four-bar", guess=[0.0, np.nan, 0.2])
    with raised("branches.guess", DataError) as error:
        symoro.excite("four-bar", guess=[0.0, 0.2])
    assert error.value.finding.fields["names"] == ["q1", "q2", "q3"]
    with raised("branches.guess_without_loops", MotionError):
        symoro.excite("planar2r", guess=[0.0, 0.1])


@pytest.mark.long
@pytest.mark.parametrize("starts", [1, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_the_sr400_keeps_its_parallelogram(starts: int) -> None:
    found = symoro.excite("sr400", duration=6, velocity=1.5, acceleration=5, starts=starts)
    q = found.positions(np.linspace(0, 6.0, 20_001))
    shoulder, elbow, lever, rod = q[:, 1], q[:, 2], q[:, 6], q[:, 7]
    assert np.ptp(elbow + shoulder - lever) < 1e-9
    assert np.ptp(rod - (shoulder - lever)) < 1e-9
    assert np.abs(np.sin(lever - shoulder)).min() > 0.1  # the parallelogram is never flat
    assert found.condition < 1000
    assert not found.warnings


@pytest.mark.long
def test_a_piston_without_limits_moves_where_its_loop_reaches() -> None:
    found = symoro.excite("akr3000", duration=6.0, harmonics=4, starts=1, steps=5)
    low, high, _, _ = found.series.extremes()
    near, far = abs(0.4 - 0.35), 0.4 + 0.35  # D4 and D14: a triangle with the lower piston as its third side
    assert near < low[2] < 0.3
    assert 0.4 < high[2] < far
    assert found.condition < 1e5
