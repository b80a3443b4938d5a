"""From an exciting motion to parameters: torques of known parameters with noise, and the motors' positions alone.

The parameters of the description lie within the stated deviations, on the branch that the motion was made for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.identification.excitation.excite import Excitation

RATE, PERIODS = 500.0, 3
LOOPS = ("four-bar", "slider-crank", "five-bar", "test-loop", "two-loops", "akr3000", "sr400", "orthoglide")
SHORT = {"duration": 6.0, "harmonics": 4, "starts": 1, "steps": 20}


def recorded(found: Excitation, name: str) -> tuple[dict[str, Any], np.ndarray]:
    """Positions of the motors and torques of the inverse dynamic model with noise of 2 %; and all positions."""
    t = np.arange(0, PERIODS * found.series.duration, 1 / RATE)
    once = np.mod(t, found.series.duration)
    x, xd, xdd = found.trajectory(once)
    q = found.positions(once)
    tau = symoro.inverse_dynamics(name).compile()(q, xd, xdd)
    noise = np.random.default_rng(1).normal(size=tau.shape) * 0.02 * tau.std(axis=0)
    return {"t": t, "q": x, "tau": tau + noise}, q


@pytest.mark.long
@pytest.mark.parametrize("name", LOOPS)
def test_loops_from_the_motors_alone(name: str) -> None:
    found = symoro.excite(name, **SHORT)
    data, q = recorded(found, name)
    read = symoro.measurements(name, data)
    assert np.abs(np.sin((read.runs[0]["q"] - q) / 2)).max() < 1e-6  # the branch of the motion
    r = symoro.identify(name, read)
    true = symoro.base_parameters(name, friction=True, every_branch=True).numbers
    together = {name for group in r.estimate.confused for name in group}  # one branch does not tell these apart
    away = np.array([(p.value - true[p.name]) / p.sigma for p in r if p.name not in together])
    assert len(away) > 4
    assert np.abs(away).max() < 4.5
    assert np.mean(np.abs(away) < 2) > 0.8


@pytest.mark.long
def test_elastic_joints_along_the_motion_of_the_rigid_robot() -> None:
    robot = symoro.load("flexible-joints")
    found = symoro.excite(robot, velocity=3.0, acceleration=10.0, **SHORT)
    law = symoro.pid(robot, KP=[80, 40], KD=[15, 8], KI=[5, 5])
    s = symoro.simulate(robot, law, found.trajectory, period=1e-3)
    tau = s.tau + 0.02 * s.tau.std(axis=0) * np.random.default_rng(0).normal(size=s.tau.shape)
    links = np.column_stack([s.q[:, 0] + s.q[:, 1], s.q[:, 2] + s.q[:, 3]])
    data = {"t": s.t, "q": links, "qm": s.q[:, [0, 2]], "tau": tau}
    r = symoro.identify(robot, data, method="ols", delay=5e-4, cutoff=100.0, decimation=2)
    true = symoro.base_parameters(r.subject.robot).numbers | {"K2": 500.0, "K4": 200.0}
    for p in r:
        assert abs(p.value - true[p.name]) < 4.5 * p.sigma, p.name
