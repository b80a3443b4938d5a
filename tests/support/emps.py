"""EMPS, one prismatic axis (Janot, Gautier and Brunot 2019): robot, recordings, and its closed loop as a simulation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat

import symoro
from symoro import Measurements, Robot
from symoro.robot.values import ZERO

FOLDER = Path(__file__).parents[1] / "data" / "emps"
GAIN = 35.15065188  # N/V
PUBLISHED = {"MR1": 95.1089, "FV1": 203.5034, "FS1": 20.3935, "FO1": -3.1648}
BAND = {"cutoff": 100.0, "decimation": 10, "border": 100, "dead_zone": 0.0}


def robot() -> Robot:
    """A horizontal prismatic axis."""
    row = {"kind": "prismatic", "inertia": "symbolic", "drive": "symbolic"}
    return Robot.from_mdh([row], name="emps", gravity=(ZERO, ZERO, ZERO))


@cache
def recording(name: str) -> Measurements:
    """`DATA_EMPS` (estimation) or `DATA_EMPS_PULSES` (validation)."""
    columns, units = {"q": "qm", "tau": "vir"}, {"tau": GAIN}
    return symoro.measurements(robot(), FOLDER / f"{name}.mat", columns=columns, units=units, rate=1000)


def with_reference(name: str) -> Measurements:
    """The recording with the position that the controller was told."""
    columns, units = {"q": "qm", "tau": "vir", "wanted": "qg"}, {"tau": GAIN}
    return symoro.measurements(robot(), FOLDER / f"{name}.mat", columns=columns, units=units, rate=1000)


class Cascade:
    """The controller of the axis, with its two last positions; it begins anew at t = 0."""

    def __init__(self, name: str) -> None:
        data = loadmat(FOLDER / f"{name}.mat")
        self.wanted, self.kp, self.kv = (
            data["qg"].ravel().astype(float),
            float(data["kp"][0, 0]),
            float(data["kv"][0, 0]),
        )
        self.before = self.earlier = 0.0

    def __call__(self, t: float, q: NDArray[np.float64], qd: NDArray[np.float64]) -> list[float]:
        x, v = float(q[0]), float(qd[0])
        if t == 0:
            self.before, self.earlier = x - 1e-3 * v, x - 2e-3 * v
        rate = (x - self.earlier) / 2e-3
        self.earlier, self.before = self.before, x
        goal = self.wanted[min(round(1000 * t), len(self.wanted) - 1)]
        return [GAIN * min(max(self.kv * (self.kp * (goal - x) - rate), -10.0), 10.0)]


def simulated_force(name: str, values: dict[str, float], substeps: int = 4) -> NDArray[np.float64]:
    """The force of the closed loop: P and PI cascade without integral action, saturated at 10 V.

    The velocity of the controller is the backward difference of the mean of two consecutive positions. A step that
    changes the sign of the velocity ends at rest; at rest the axis sticks while the force is within dry friction.
    """
    data = loadmat(FOLDER / f"{name}.mat")
    wanted, kp, kv = data["qg"].ravel().astype(float), float(data["kp"][0, 0]), float(data["kv"][0, 0])
    pulses = data["pulses_N"].ravel().astype(float) if "pulses_N" in data else np.zeros(len(wanted))
    mass, forward, backward = values["MR1"], _side(values, "P", 1), _side(values, "N", -1)
    h = 1e-3 / substeps
    q, after = data["qm"].ravel()[:2].astype(float)
    v, force = (after - q) / 1e-3, np.empty(len(wanted))  # the recording begins in motion
    before, earlier = q - 1e-3 * v, q - 2e-3 * v
    for k, goal in enumerate(wanted):
        rate = (q - earlier) / 2e-3
        earlier, before = before, q
        volts = min(max(kv * (kp * (goal - q) - rate), -10.0), 10.0) + pulses[k]
        F = force[k] = GAIN * volts
        for _ in range(substeps):
            if v == 0.0 and backward[1] <= F <= forward[1]:
                continue
            viscous, dry = forward if v > 0 or (v == 0 and forward[1] < F) else backward
            later = v + h * (F - viscous * v - dry) / mass
            later = 0.0 if later * v < 0 else later
            q += h * (v + later) / 2
            v = later
    return force


def _side(values: dict[str, float], letter: str, sign: int) -> tuple[float, float]:
    """Viscous and dry friction of one direction."""
    if "FS1" in values:
        return values["FV1"], sign * values["FS1"] + values["FO1"]
    return values[f"FV{letter}1"], sign * values[f"FS{letter}1"]
