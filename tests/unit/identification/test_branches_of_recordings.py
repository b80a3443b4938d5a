"""Recordings of the motors of closed loops alone: the branch that the torques show, or that a guess chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.says import says
from symoro.errors import DataError
from symoro.models.parallel.platform import home

PERIOD = 5e-3
T = PERIOD * np.arange(3000)
CRANK = 0.6 + 0.9 * np.sin(2 * T) + 0.3 * np.sin(5.3 * T)
SPEED = 1.8 * np.cos(2 * T) + 1.59 * np.cos(5.3 * T)
ACCELERATION = -3.6 * np.sin(2 * T) - 8.427 * np.sin(5.3 * T)


def closed(branch: int) -> np.ndarray:
    """The four-bar on one of its branches, by the law of cosines: where the circles of coupler and rocker meet."""
    a = 0.2 * np.exp(1j * CRANK)
    to_pivot = 0.45 - a
    d = np.abs(to_pivot)
    angle = np.arccos((0.5**2 + d**2 - 0.4**2) / (2 * 0.5 * d))
    coupler = np.angle(to_pivot) + (angle if branch == 0 else -angle)
    pin = a + 0.5 * np.exp(1j * coupler)
    return np.column_stack([CRANK, coupler - CRANK, np.unwrap(np.angle(pin - 0.45))])


def recording(branch: int) -> dict[str, Any]:
    tau = symoro.inverse_dynamics("four-bar").compile()(closed(branch), SPEED[:, None], ACCELERATION[:, None])
    noise = np.random.default_rng(0).normal(size=tau.shape) * 0.002 * tau.std()
    return {"t": T, "q": CRANK, "tau": tau + noise}


@pytest.mark.parametrize("branch", [0, 1])
def test_the_branch_is_taken_that_the_torques_show(branch: int) -> None:
    r = symoro.identify("four-bar", recording(branch))
    data = symoro.measurements("four-bar", recording(branch))
    assert np.abs(np.sin((data.runs[0]["q"] - closed(branch)) / 2)).max() < 1e-9
    assert r.error.total < 0.01
    assert says(r.warnings, "branches.several", count=2)
    assert says(r.warnings, "branches.fits_best")
    true = symoro.base_parameters("four-bar", friction=True, every_branch=True).numbers
    for p in r:
        assert not np.isfinite(p.sigma) or abs(p.value - true[p.name]) < 4.5 * p.sigma, p.name


def test_a_guess_chooses_the_branch() -> None:
    right, wrong = (symoro.identify("four-bar", recording(0), guess=closed(k)[100]) for k in (0, 1))
    assert right.error.total < 0.01 < 0.02 < wrong.error.total
    assert not says((*right.warnings, *wrong.warnings), "branches.several")


def test_branches_that_fit_alike_are_left_to_the_rule_of_excitation() -> None:
    """Torques of noise fit no branch better than the other."""
    data = symoro.measurements("four-bar", {**recording(0), "tau": np.random.default_rng(1).normal(size=len(T))})
    assert says(data.warnings, "branches.fit_alike", count=2)
    usual = symoro.excite("four-bar", duration=6.0, starts=1, steps=1).positions(np.zeros(1))
    taken = data.runs[0]["q"][:1]
    assert np.sign(np.sin(taken[0, 2] - taken[0, 1] - taken[0, 0])) == np.sign(
        np.sin(usual[0, 2] - usual[0, 1] - usual[0, 0])
    )


def test_two_runs_are_on_one_branch() -> None:
    whole = recording(1)
    parts = [{name: x[part] for name, x in whole.items()} for part in (slice(0, 1200), slice(1500, 3000))]
    data = symoro.measurements("four-bar", parts)
    assert np.abs(np.sin((data.runs[1]["q"] - closed(1)[1500:]) / 2)).max() < 1e-9


def test_a_guess_chooses_the_assembly_of_a_platform() -> None:
    robot = symoro.load("five-bar-legs")
    q = symoro.inverse_geometry(robot).compile()(home(robot)).q[0] + 0.02 * np.sin(np.outer(T, [1.0, 1.3]))
    data = {"t": T, "q": q, "tau": np.sin(T)[:, None] * [1.0, 2.0]}
    for pose in (every := symoro.forward_geometry(robot).compile()(q[0])).T[every.valid]:
        joints = symoro.inverse_geometry(robot).compile()(pose, joints=True)
        guesses = [pose, *joints.q[joints.valid]]
        for guess in guesses[:2]:
            measured = symoro.measurements(robot, data, guess=guess).runs[0]
            assert np.abs(measured["pose"][0, :3] - pose[:3, 3]).max() < 1e-9
            assert np.abs(np.diff(measured["pose"], axis=0)).max() < 0.01
    with raised("branches.guess_apart", DataError):
        symoro.measurements(robot, data, guess=np.eye(4))


def test_motors_that_close_no_loop_and_guesses_that_are_none_are_named() -> None:
    rocker = symoro.load("four-bar").with_values({"L1": 0.6})  # its crank does not turn all the way
    for crank in (CRANK + 2.0, 2.5 * CRANK):
        with pytest.raises(DataError) as error:
            symoro.measurements(rocker, {"t": T, "q": crank, "tau": np.sin(T)})
        assert error.value.finding.code in ("branches.open", "branches.open_at_first")
    with raised("branches.guess_is_open", DataError):
        symoro.measurements("four-bar", recording(0), guess=[0.0, 0.0, 0.0])
    with raised("branches.guess_without_loops", DataError):
        symoro.measurements("planar2r", {"t": T, "q": np.zeros((3000, 2)), "tau": np.zeros((3000, 2))}, guess=[0, 0])
