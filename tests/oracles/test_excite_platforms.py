"""From an exciting motion of a parallel robot to its parameters: torques by multipliers on Pinocchio's legs.

Velocities and accelerations of the platform and of the passive joints follow from those of the motors by the rows of
the attachments; nothing but the poses comes from the motion, and these are checked to close the legs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import symoro
from support.arms_beside_legs import driven
from support.mechanisms import Mechanism
from support.platforms import Platform
from symoro.bind.coordinates import quaternions
from symoro.identification.excitation.excite import Excitation
from symoro.identification.subject.branch import PlatformBranch, kinematics_of
from symoro.robot.base import Base, BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

NAMES = ("planar-3rrr", "3rps", "delta", "hexa")
SHORT = {"duration": 6.0, "harmonics": 4, "starts": 1, "steps": 20, "alike": True}
RATE, PERIODS = 50.0, 2
NOISE = 0.05


def torques(
    platform: Mechanism, qd: np.ndarray, qdd: np.ndarray, V0: tuple[float, ...] = (), VP0: tuple[float, ...] = ()
) -> np.ndarray:
    """The torques of the motors for their velocities and accelerations, and for those of a base."""
    motors = platform.motors().T.astype(bool).any(axis=0)
    motors[: platform.base] = True
    qd, qdd = np.r_[V0, qd], np.r_[VP0, qdd]

    def followed(C: np.ndarray, right: np.ndarray, given: np.ndarray) -> np.ndarray:
        u = np.zeros(C.shape[1])
        u[motors] = given
        u[~motors] = np.linalg.lstsq(C[:, ~motors], right - C[:, motors] @ given, rcond=1e-10)[0]
        assert np.abs(C @ u - right).max() < 1e-8 * (1 + np.abs(right).max())
        return u

    C, _ = platform.constraints(np.zeros(len(motors)))
    u = followed(C, np.r_[np.zeros(len(C) - len(V0)), V0], qd)  # the last rows are those of the base
    C, drift = platform.constraints(u)
    return platform.torques(u, followed(C, -drift, qdd))


def recorded(found: Excitation, robot: Robot) -> dict[str, Any]:
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


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_true_parameters_within_the_expected_deviations(name: str) -> None:
    robot = symoro.load(name)
    assert robot.platforms
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
def test_parameters_of_a_platform_on_a_base_with_a_given_motion() -> None:
    """The base turns, so that the inertia of the platform matters more than on a base at rest."""
    V0, VP0 = (0.3, -0.2, 0.0, 0.0, 0.0, 0.8), (1.0, 2.0, 0.0, 0.0, 0.0, 0.5)
    moving = Base(BaseKind.MOVING, velocity=tuple(map(as_value, V0)), acceleration=tuple(map(as_value, VP0)))
    robot = replace(symoro.load("planar-3rrr"), base=moving)
    found = symoro.excite(robot, **{**SHORT, "steps": 2})
    t = np.arange(round(RATE * found.series.duration)) / RATE
    x, xd, xdd = found.trajectory(t)
    states = zip(found.poses(t), found.positions(t), xd, xdd, strict=True)
    tau = np.array([torques(Mechanism(robot, T, q, VP0=np.array(VP0)), v, a, V0, VP0) for T, q, v, a in states])
    noisy = tau + 1e-3 * np.random.default_rng(0).normal(size=tau.shape)
    recording = {"t": t, "q": x, "qd": xd, "qdd": xdd, "tau": noisy}
    r = symoro.identify(robot, recording, alike=True, cutoff=None, decimation=1, border=0, method="ols")
    true = symoro.base_parameters(robot, friction=True, alike=True).numbers
    told = [p for p in r if np.isfinite(p.sigma)]
    assert {"ZZRP", "MXRP", "MYRP", "MRP", "ZZ1", "MX1", "ZZ2", "FV1"} <= {p.name for p in told}
    assert max(abs(p.value - true[p.name]) / p.sigma for p in told) < 4.5
    assert all(p.sigma < 0.01 for p in told)


@cache
def with_friction_of_motors() -> tuple[Robot, Excitation, dict[str, np.ndarray], np.ndarray]:
    """A robot whose motors alone have friction, a motion, its recording, and the torques without noise."""
    robot = symoro.load("planar-3rrr")
    smooth = robot.with_values({name: 0 for name in robot.values if name[:2] in ("FV", "FS", "FO")})
    pairs = zip(smooth.drives, smooth.joints, strict=False)
    drives = [replace(d, FV=as_value(1.2), FS=as_value(0.8)) if j.actuated else d for d, j in pairs]
    robot = replace(smooth, drives=tuple(drives))
    found = symoro.excite(robot, **{**SHORT, "steps": 2})
    t = np.arange(round(RATE * found.series.duration)) / RATE
    x, xd, xdd = found.trajectory(t)
    platforms = [Platform(robot, T, q) for T, q in zip(found.poses(t), found.positions(t), strict=True)]
    tau = np.array([torques(*row) for row in zip(platforms, xd, xdd, strict=True)])
    noisy = tau + 1e-3 * np.random.default_rng(0).normal(size=tau.shape)
    return robot, found, {"t": t, "q": x, "qd": xd, "qdd": xdd, "tau": noisy}, tau


@pytest.mark.long
def test_a_law_of_friction_is_that_of_the_motors() -> None:
    robot, found, recording, tau = with_friction_of_motors()
    band = {"cutoff": None, "decimation": 1, "border": 0, "method": "ols", "alike": True}
    r = symoro.identify(robot, recording, friction="viscous-coulomb", **band)
    true = symoro.base_parameters(robot, alike=True).numbers
    true |= {f"{name}{j}": x for j in (1, 3, 5) for name, x in (("FV", 1.2), ("FS", 0.8))}
    assert {p.name for p in r} == true.keys() - symoro.base_parameters(robot, alike=True).eliminated.keys()
    assert max(abs(p.value - true[p.name]) / p.sigma for p in r) < 4.5
    body = PlatformBranch(kinematics_of(robot)).motion(found.poses(recording["t"]), recording["qd"], recording["qdd"])
    moving = np.abs(recording["qd"]).min(axis=1) > 0.01  # at rest the sign of Coulomb friction is open
    again = symoro.inverse_dynamics(r.robot, optimize=False).compile()(*body.values())
    assert np.abs(again - tau)[moving].max() < 1e-2


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({"friction": "auto"}, 1e-3),
        ({"physical": True}, 1e-3),
        ({"prior": 0.5}, 1e-3),
        ({"model": "energy", "decimation": 5}, 1e-3),
        ({"friction": "stribeck"}, 1e-3),
    ],
)
def test_options_of_other_robots_are_for_platforms_with_a_law(options: dict[str, Any], least: float) -> None:
    """Each one explains the torques as far as the noise allows: 1e-3 of torques of up to 9 N·m."""
    robot, _, recording, _ = with_friction_of_motors()
    band = {"friction": "viscous-coulomb", "cutoff": None, "decimation": 1, "border": 0, "alike": True}
    assert symoro.identify(robot, recording, **{**band, **options}).error.total < least


@pytest.mark.long
@pytest.mark.parametrize("measured", ["motors", "pose"])
def test_parameters_of_an_arm_beside_the_legs_of_a_platform(measured: str) -> None:
    """The joints that belong to no leg move by themselves; legs that are alike share their parameters."""
    robot = driven()
    found = symoro.excite(robot, **{**SHORT, "steps": 2})
    t = np.arange(round(RATE * found.series.duration)) / RATE
    x, xd, xdd = found.trajectory(t)
    mechanisms = [Mechanism(robot, T, q) for T, q in zip(found.poses(t), found.positions(t), strict=True)]
    assert max(mechanism.closure() for mechanism in mechanisms) < 1e-9
    tau = np.array([torques(*row) for row in zip(mechanisms, xd, xdd, strict=True)])
    noisy = tau + 1e-3 * np.random.default_rng(0).normal(size=tau.shape)
    recording = {"t": t, "q": x, "qd": xd, "qdd": xdd, "tau": noisy}
    if measured == "pose":
        T = found.poses(t)
        recording |= {"q": x[:, 3:], "pose": np.hstack([T[:, :3, 3], quaternions(T)])}
    r = symoro.identify(robot, recording, alike=True, cutoff=None, decimation=1, border=0, method="ols")
    true = symoro.base_parameters(robot, friction=True, alike=True).numbers
    told = [p for p in r if np.isfinite(p.sigma)]
    assert {"ZZR1", "MXR1", "MX2", "M3", "MRRP", "MX1_legs", "IA2_legs"} <= {p.name for p in told}
    assert max(abs(p.value - true[p.name]) / p.sigma for p in told) < 4.5
    assert all(p.sigma < 0.01 for p in told)


@pytest.mark.long
def test_a_simulation_under_control_follows_the_motion() -> None:
    found = symoro.excite("planar-3rrr", **SHORT)
    law = symoro.computed_torque("planar-3rrr", frequency=20.0)
    s = symoro.simulate("planar-3rrr", law, found.trajectory, period=1e-3)
    assert np.abs(s.q - found.trajectory(s.t).q).max() < 1e-2
