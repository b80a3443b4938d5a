"""Noise of 5 % of the positions' rms: least squares is biased, methods that simulate the closed loop are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as FilePath

import mujoco
import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import OptionError
from symoro.identification.excitation.excite import random_series
from symoro.identification.excitation.motions import Basis
from symoro.identification.subject.subject import Box
from symoro.motion.trajectory import Motion, Path, Trajectory
from symoro.robot.values import ZERO

PERIOD, DURATION = 1e-3, 6.0
BAND = {"cutoff": 20.0, "decimation": 10, "delay": PERIOD / 2, "border": 300, "dead_zone": 0.0}


def arm() -> symoro.Robot:
    """A planar arm with viscous friction."""
    robot = symoro.load("planar2r")
    return replace(robot, drives=tuple(replace(drive, FS=ZERO) for drive in robot.drives))


def reference() -> Trajectory:
    box = Box(np.full(2, -1.5), np.full(2, 1.5), np.full(2, 6.0), np.full(2, 60.0))
    series = random_series(Basis(5, 2.0, 200), box, 1)
    return Trajectory(
        ("joint1", "joint2"), DURATION, Path(lambda s: Motion(*series.at(s))), lambda t: Motion(*series.at(t))
    )


def law_of(robot: symoro.Robot) -> symoro.Controller:
    return symoro.pid(robot, KP=[300, 100], KD=[30, 8], KI=[1, 1])


@pytest.mark.long
def test_methods_that_simulate_are_unbiased_where_least_squares_is_not() -> None:
    robot, wanted = arm(), reference()
    law = law_of(robot)
    clean = symoro.simulate(robot, law, wanted, period=PERIOD)
    numbers = symoro.base_parameters(robot, friction=True).numbers
    found: dict[str, list[np.ndarray]] = {"ols": [], "iv": [], "didim": [], "cloe": []}
    inside: list[np.ndarray] = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        q = clean.q + rng.normal(size=clean.q.shape) * 0.05 * clean.q.std(axis=0)
        tau = clean.tau + rng.normal(size=clean.tau.shape) * 0.05 * clean.tau.std(axis=0)
        for method, values in found.items():
            r = symoro.identify(
                robot, {"t": clean.t, "q": q, "tau": tau}, method=method, controller=law, reference=wanted, **BAND
            )
            values.append(r.estimate.beta - [numbers[name] for name in r.estimate.names])
            inside += [np.abs(values[-1]) < 2 * r.estimate.sigma] if method == "didim" else []
    score = {method: mean_over_deviation(np.array(values)) for method, values in found.items()}
    assert all(score[method].max() < 3.5 for method in ("iv", "didim", "cloe")), score
    assert score["ols"].min() > 5
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize(("method", "recorded", "near"), [("didim", True, 1e-3), ("cloe", False, 1e-9)])
def test_without_noise_the_true_parameters_are_found(method: str, recorded: bool, near: float) -> None:
    """The wanted motion is a channel of the data, or the trajectory itself."""
    robot, wanted = arm(), reference()
    law = law_of(robot)
    s = symoro.simulate(robot, law, wanted, period=PERIOD)
    data = {"t": s.t, "q": s.q, "tau": s.tau} | ({"wanted": wanted(s.t).q} if recorded else {})
    told = {} if recorded else {"reference": wanted}
    r = symoro.identify(robot, data, method=method, controller=law, **told, **{**BAND, "cutoff": 200.0})
    numbers = symoro.base_parameters(robot, friction=True).numbers
    assert max(abs(p.value - numbers[p.name]) / (0.01 + abs(numbers[p.name])) for p in r) < near


@pytest.mark.parametrize(("method", "near"), [("didim", 4.5), pytest.param("cloe", 4.5, marks=pytest.mark.long)])
def test_physically_consistent_parameters_are_near_the_truth_and_cost_little(
    method: str, near: float, tmp_path: FilePath
) -> None:
    """Log-Cholesky coordinates: the robots that are simulated on the way can all exist."""
    robot, wanted = arm(), reference()
    law = law_of(robot)
    s = symoro.simulate(robot, law, wanted, period=PERIOD)
    rng = np.random.default_rng(3)
    q, tau = (x + rng.normal(size=x.shape) * 0.05 * x.std(axis=0) for x in (s.q, s.tau))
    data = {"t": s.t, "q": q, "tau": tau}
    r = symoro.identify(robot, data, method=method, controller=law, reference=wanted, physical=True, **BAND)
    numbers = symoro.base_parameters(robot, friction=True).numbers
    assert r.consistent is not None
    assert r.consistent.status == "log-cholesky"
    assert "error of simulated torques" in str(r.consistent)
    assert min(r.consistent.smallest.values()) > 0
    assert abs(r.consistent.loss) < 1e-4
    away = (r.consistent.beta - [numbers[name] for name in r.estimate.names]) / r.estimate.sigma
    assert np.abs(away).max() < near
    path = tmp_path / "arm.xml"
    symoro.write(r.robot, path)
    assert mujoco.MjModel.from_xml_path(str(path)).nv == 2


def mean_over_deviation(errors: np.ndarray) -> np.ndarray:
    """The mean error of each parameter over the deviation of the mean."""
    return np.abs(errors.mean(axis=0)) / (errors.std(axis=0, ddof=1) / np.sqrt(len(errors)))


def test_a_method_that_simulates_needs_a_controller() -> None:
    t = np.arange(500) * 2e-3
    q = np.column_stack([np.sin(t * 7), np.cos(t * 9)])
    with raised("estimates.needs_controller", OptionError):
        symoro.identify(arm(), {"t": t, "q": q, "tau": q}, method="iv")


@pytest.mark.parametrize("law", [lambda t, q, qd: [1.0], lambda t, q, qd: [np.nan, 0.0], lambda t: t])
def test_a_controller_that_gives_no_torques_is_refused(law: Callable[..., object]) -> None:
    t = np.arange(500) * 2e-3
    q = np.column_stack([np.sin(t * 7), np.cos(t * 9)])
    with pytest.raises(OptionError) as error:
        symoro.identify(arm(), {"t": t, "q": q, "tau": q, "wanted": q}, method="cloe", controller=law)
    assert error.value.finding.code in ("estimates.not_a_controller", "estimates.torques_of_controller")


def test_friction_that_a_simulation_cannot_have_is_refused() -> None:
    robot, wanted = arm(), reference()
    s = symoro.simulate(robot, law_of(robot), wanted, period=PERIOD)
    data = {"t": s.t, "q": s.q, "tau": s.tau}
    with raised("estimates.not_in_drives", OptionError):
        symoro.identify(robot, data, method="cloe", friction="root", controller=law_of(robot), reference=wanted, **BAND)
