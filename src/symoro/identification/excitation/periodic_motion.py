"""What all periodic motions share: coefficients about a middle position, and the extremes of each joint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from symoro.identification.arrays import Array


@dataclass(frozen=True)
class PeriodicMotion(ABC):
    """q = q0 + Σ_k c_k b_k(t) for each joint: `middle` is q0, `coefficients` (joints, K) are c; it repeats itself."""

    middle: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    duration: float

    @abstractmethod
    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (..., joints)."""

    @abstractmethod
    def _extreme_values(self, line: Array, order: int) -> Array:
        """Values of a derivative of q − q0, among them its extremes; `line` are the coefficients of one joint."""

    def extremes(self) -> tuple[Array, Array, Array, Array]:
        """The least and the largest position, the largest speed and acceleration of each joint, exactly."""
        found = []
        for line in self.coefficients:
            q, qd, qdd = (self._extreme_values(line, order) for order in range(3))
            found.append((q.min(), q.max(), np.abs(qd).max(), np.abs(qdd).max()))
        low, high, speed, acceleration = np.array(found).T
        return self.middle + low, self.middle + high, speed, acceleration

    def scaled(self, factors: Array) -> Self:
        """The motion with the amplitudes of each joint times its factor."""
        return replace(self, coefficients=self.coefficients * np.asarray(factors)[:, None])
