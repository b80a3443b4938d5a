"""From the side of the motors to the side of the joints: gear ratios and coupled transmissions (K13 § 7.3.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.subject.subject import Subject
from symoro.interface import robot_numbers
from symoro.robot.values import evaluate, symbols


@dataclass(frozen=True)
class Transmission:
    """R of q̇m = R q̇, over the motors."""

    R: Array

    def positions(self, qm: Array) -> Array:
        """q = R⁻¹ qm (K13:7.31)."""
        return np.linalg.solve(self.R, qm.T).T

    def torques(self, motor: Array) -> Array:
        """Γ = Rᵀ τm (K13:7.33)."""
        return np.asarray(motor @ self.R)

    @property
    def turning(self) -> Array:
        """How each motor turns with the joints, 1 with its own: R with its rows divided by the ratios."""
        return np.asarray(self.R / np.diag(self.R)[:, None])


def transmission_of(subject: Subject, given: Any) -> Transmission:
    """The transmission that is given, as ratios or as a matrix, else the coupling matrix of the robot's drives."""
    m = len(subject.motors)
    if given is None:
        return Transmission(np.linalg.inv(_coupling(subject)))
    allowed = f"(allowed: ({m},) ratios or a matrix ({m}, {m}))"
    try:
        R = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"transmission = {given!r:.60} is not allowed {allowed}") from None
    R = np.diag(R) if R.ndim == 1 else R
    if R.shape != (m, m):
        raise DataError(f"transmission has shape {np.shape(given)} {allowed}")
    if not np.isfinite(R).all() or abs(np.linalg.det(R)) < 1e-12 or not np.diag(R).all():
        raise DataError("transmission is not a matrix of ratios: it is singular, or a motor does not move its joint")
    return Transmission(R)


def _coupling(subject: Subject) -> Array:
    """Jqm of q̇ = Jqm q̇m over the motors."""
    robot, numbers = subject.robot, robot_numbers(subject.robot)
    if not robot.coupling:
        raise DataError(
            f"{robot.name} has no coupling matrix: give the gear ratios with transmission=, or side='joint'"
        )
    if not all(symbols(x) <= numbers.keys() for row in robot.coupling for x in row):
        raise DataError(f"{robot.name}: the coupling matrix has symbols without numbers")
    whole = np.array([[evaluate(x, numbers) for x in row] for row in robot.coupling])
    order = [joint.index for joint in subject.variables]
    places = [order.index(joint.index) for joint in subject.motors]
    return whole[np.ix_(places, places)]
