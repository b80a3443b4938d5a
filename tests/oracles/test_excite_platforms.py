"""From an exciting motion of a parallel robot to its parameters: torques by multipliers on Pinocchio's legs.

Velocities and accelerations of the platform and of the passive joints follow from those of the motors by the rows of
the attachments; nothing but the poses comes from the motion, and these are checked to close the legs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import symoro
from support.platforms import Platform
from support.samples import named
from symoro.identification.excitation.excite import Excitation
from symoro.robot.parallel import ParallelRobot

NAMES = ("planar-3rrr", "3rps", "delta", "hexa")
SHORT = {"duration": 6.0, "harmonics": 4, "starts": 1, "steps": 20, "alike": True}
RATE, PERIODS = 25.0, 4
NOISE = 0.05


def torques(platform: Platform, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """The torques of the motors for their velocities and accelerations."""
    motors = platform.motors().T.astype(bool).any(axis=0)

    def followed(C: np.ndarray, right: np.ndarray, given: np.ndarray) -> np.ndarray:
        u = np.zeros(C.shape[1])
        u[motors] = given
        u[~motors] = np.linalg.lstsq(C[:, ~motors], right - C[:, motors] @ given, rcond=1e-10)[0]
        assert np.abs(C @ u - right).max() < 1e-8 * (1 + np.abs(right).max())
        return u

    C, _ = platform.constraints(np.zeros(len(motors)))
    u = followed(C, np.zeros(len(C)), qd)
    C, drift = platform.constraints(u)
    return platform.torques(u, followed(C, -drift, qdd))


def recorded(found: Excitation, robot: ParallelRobot) -> dict[str, Any]:
    """Some periods of the motors' motion with torques and white noise."""
    count = round(RATE * found.series.duration)
    t = np.arange(count) / RATE
    x, xd, xdd = found.trajectory(t)
    platforms = [Platform(robot, T, q) for T, q in zip(found.poses(t), found.positions(t), strict=True)]
    assert max(platform.closure() for platform in platforms) < 1e-9
    tau = np.array([torques(*row) for row in zip(platforms, xd, xdd, strict=True)])
    t = np.arange(PERIODS * count) / RATE
    x, xd, xdd, tau = (np.tile(y, (PERIODS, 1)) for y in (x, xd, xdd, tau))
    return {"t": t, "q": x, "qd": xd, "qdd": xdd, "tau": tau + NOISE * np.random.default_rng(0).normal(size=tau.shape)}


@pytest.mark.parametrize("name", named(NAMES, NAMES[1:]))
def test_the_true_parameters_within_the_expected_deviations(name: str) -> None:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
    found = symoro.excite(name, **SHORT)
    band = {"cutoff": None, "decimation": 1, "border": 0, "method": "ols"}
    r = symoro.identify(name, recorded(found, robot), alike=True, **band)
    true = symoro.base_parameters(name, friction=True, alike=True).numbers
    told = [p for p in r if np.isfinite(p.sigma)]
    assert {p.name for p in told} == {name for name, x in found.sigma.items() if np.isfinite(x)}
    expected = [NOISE * found.sigma[p.name] for p in told]  # as many rows as a period at 100 Hz
    assert [p.sigma for p in told] == pytest.approx(expected, rel=0.1)
    confused = {one for group in r.estimate.confused for one in group}  # these contain what is left out
    names = [p.name for p in told if p.name not in confused]
    places = [r.estimate.names.index(one) for one in names]
    away = r.estimate.beta[places] - np.array([true[one] for one in names])
    assert len(away) >= 10
    assert np.abs(away / r.estimate.sigma[places]).max() < 4.5
    square = away @ np.linalg.solve(r.estimate.covariance[np.ix_(places, places)], away)
    assert 1e-3 < chi2.cdf(square, len(away)) < 1 - 1e-3


@pytest.mark.long
def test_a_simulation_under_control_follows_the_motion() -> None:
    found = symoro.excite("planar-3rrr", **SHORT)
    law = symoro.computed_torque("planar-3rrr", frequency=20.0)
    s = symoro.simulate("planar-3rrr", law, found.trajectory, period=1e-3)
    assert np.abs(s.q - found.trajectory(s.t).q).max() < 1e-2
