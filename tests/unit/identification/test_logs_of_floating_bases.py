"""Logs of a floating base: its orientation changes its sign, or has another order or frame. Torques are Pinocchio's."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

import symoro
from support.pinocchio_robot import oracle
from support.says import codes, says
from support.synthetic import fourier
from symoro.bind.interface import robot_numbers
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

PERIOD, COUNT = 4e-3, 2500
T = PERIOD * np.arange(COUNT)


@cache
def robot() -> Robot:
    """The satellite of the library on the ground: gravity shows how the base is turned."""
    return replace(symoro.load("satellite"), gravity=tuple(map(as_value, (0.0, 0.0, -9.81))))


@cache
def recorded() -> dict[str, Any]:
    """A plate moves the base and measures its force; noise of 0.5 %."""
    q, qd, qdd = fourier(COUNT, 3, PERIOD, 5)
    _, v, vd = fourier(COUNT, 3, PERIOD, 6, 0.1)
    turn = RotationSpline(T, Rotation.from_rotvec(fourier(COUNT, 3, PERIOD, 7, 0.3)[0]))
    R = turn(T).as_matrix()
    into = lambda x: np.einsum("tji,tj->ti", R, x)  # noqa: E731, from the world into frame 0
    V0, quat = np.hstack([into(v), turn(T, 1)]), turn(T).as_quat()
    A0 = np.hstack([into(vd) - np.cross(V0[:, 3:], V0[:, :3]), turn(T, 2)])
    peer = oracle(robot(), robot_numbers(robot()), free=True)
    forces = np.array([
        pin.rnea(peer.model, peer.data, peer.q(q[k], quat[k]), peer.v(qd[k], V0[k]), peer.v(qdd[k], A0[k]))
        for k in range(COUNT)
    ])  # fmt: skip
    tau = forces[:, peer.velocity_index] + np.array([0.1, 0.1, 0.05]) * qdd
    noise = np.random.default_rng(0).normal(size=forces.shape) * 0.005
    wrench = forces[:, :6] + noise[:, :6] * forces[:, :6].std(axis=0)
    return {"t": T, "q": q, "tau": tau + noise[:, 6:] * tau.std(axis=0), "quat": quat, "V0": V0, "wrench": wrench,
            "world": np.hstack([v, np.einsum("tij,tj->ti", R, turn(T, 1))])}  # fmt: skip


def given(**changes: Any) -> dict[str, Any]:
    return {name: x for name, x in {**recorded(), **changes}.items() if name != "world"}


def assert_true(r: symoro.Identification) -> None:
    true = symoro.base_parameters(robot()).numbers
    away = [abs(p.value - true[p.name]) / p.sigma for p in r if np.isfinite(p.sigma)]
    assert len(away) > 25
    assert max(away) < 4.5


def test_changes_of_the_sign_of_a_quaternion_are_no_motion() -> None:
    """Filters took them for motion: the parameters were wrong without a warning."""
    signs = np.where(np.random.default_rng(1).random(COUNT) < 0.01, -1.0, 1.0).cumprod()
    r = symoro.identify(robot(), given(quat=recorded()["quat"] * signs[:, None]))
    assert_true(r)
    plain = symoro.identify(robot(), given())
    assert_true(plain)
    assert r.estimate.beta == pytest.approx(plain.estimate.beta, rel=1e-9)
    assert not {"measurements.base_reading", "measurements.base_velocity"} & set(codes(r.warnings))


def test_a_quaternion_of_zeros_is_a_lost_sample() -> None:
    quat = recorded()["quat"].copy()
    quat[700] = 0.0
    data = symoro.measurements(robot(), given(quat=quat))
    assert says(data.warnings, "recordings.gaps_filled", missing=1, gaps=1)


WRONG = {
    "quat_w_first": lambda of: {"quat": of["quat"][:, [3, 0, 1, 2]]},
    "quat_inverse": lambda of: {"quat": of["quat"] * [-1, -1, -1, 1]},
    "V0_in_world": lambda of: {"V0": of["world"]},
    "V0_order": lambda of: {"V0": of["V0"][:, [3, 4, 5, 0, 1, 2]]},
    "V0_degrees": lambda of: {"V0": of["V0"] * np.r_[np.ones(3), np.full(3, 180 / np.pi)]},
    "V0_sign": lambda of: {"V0": of["V0"] * np.r_[np.ones(3), -np.ones(3)]},
    "base_velocity": lambda of: {"V0": of["V0"][:, [0, 1, 2, 4, 3, 5]]},
}


@pytest.mark.parametrize("code", WRONG)
def test_an_orientation_and_a_velocity_that_do_not_belong_together_are_named(code: str) -> None:
    data = symoro.measurements(robot(), given(**WRONG[code](recorded())))
    assert says(data.warnings, f"measurements.{code}")


def test_noisy_orientations_are_not_suspected() -> None:
    noise = np.random.default_rng(2).normal(size=(COUNT, 4)) * 2e-3
    data = symoro.measurements(robot(), given(quat=recorded()["quat"] + noise))
    assert not data.warnings
