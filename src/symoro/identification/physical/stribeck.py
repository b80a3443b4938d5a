"""Physically consistent parameters together with BST of Stribeck's curves, which is not linear in the torques.

The rows are those of the regression; the columns of the curves (K13:7.26) follow BST.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import divisors
from symoro.identification.estimators.least_squares import weighted
from symoro.identification.physical.consistency import Nonlinear
from symoro.identification.physical.coordinates import PhysicalCoordinates
from symoro.identification.processing.filtering import decimated
from symoro.identification.processing.motion_of_run import moved
from symoro.identification.regression.regression import Regression
from symoro.identification.rows.friction import CURVED, Curve


@dataclass(frozen=True)
class _Block:
    """Rows of one motor in one run: its speeds at the full rate, and which decimated rows are kept."""

    motor: int
    rows: slice
    speeds: Array = field(repr=False)
    kept: Array = field(repr=False)


@dataclass(frozen=True)
class StribeckRows:
    """Rows whose columns of Stribeck's curve depend on BST of the motors, the last parameters of β."""

    given: Regression

    @cached_property
    def linear(self) -> list[str]:
        """The names of the columns without those of BST."""
        return [name for name in self.given.triangles.names if name not in self.given.about]

    @cached_property
    def places(self) -> list[list[int]]:
        """The columns of FS and FST of each motor."""
        return [[self.linear.index(f"{n}{joint.index}") for n in ("FS", "FST")] for joint in self.given.subject.motors]

    @cached_property
    def dense(self) -> tuple[Array, Array, Array]:
        """W, y and the weight of each row: 1 over the deviation of its joint."""
        assert self.given.rows is not None
        W, y, joint = self.given.rows.only(self.linear).dense()
        return W, y, 1.0 / divisors(weighted(self.given.triangles).deviations)[joint]

    @cached_property
    def blocks(self) -> list[_Block]:
        given, found, at = self.given, [], 0
        assert given.rows is not None
        motions = [moved(given.subject, run, given.how) for run in given.runs]
        slow = [decimated(motion.speeds, given.how.decimation or 1) for motion in motions]
        for block in given.rows.blocks:
            limit = given.how.dead_zone_of(block.joint, len(given.rows.joints))
            kept = np.abs(slow[block.run][:, block.joint]) >= limit
            rows, at = slice(at, at + len(block.y)), at + len(block.y)
            if block.joint in given.subject.motor_rows:
                motor = given.subject.motor_rows.index(block.joint)
                found.append(_Block(motor, rows, motions[block.run].speeds[:, block.joint], kept))
        return found

    def columns(self, beta: Array) -> tuple[Array, Array]:
        """W for BST at the end of β, and ∂(W β)/∂BST for each motor."""
        W, count = self.dense[0].copy(), len(self.places)
        slopes = np.zeros((len(W), count))
        for block in self.blocks:
            k, places = block.motor, self.places[block.motor]
            curve = Curve(beta[k - count], beta[places[1]] - beta[places[0]])
            full = np.column_stack([curve.column(term, block.speeds) for term in CURVED])
            kept = decimated(full, self.given.how.decimation or 1)[block.kept]
            W[block.rows, places], slopes[block.rows, k] = kept[:, :2], kept[:, 2]
        return W, slopes

    def residual(self, beta: Array) -> Array:
        _, y, weight = self.dense
        return np.asarray((self.columns(beta)[0] @ beta[: -len(self.places)] - y) * weight)

    def slopes(self, beta: Array) -> Array:
        return np.concatenate(self.columns(beta), axis=1) * self.dense[2][:, None]

    def error(self, beta: Array) -> float:
        _, y, weight = self.dense
        return float(np.linalg.norm(self.residual(beta) / weight) / np.linalg.norm(y))


def physical_stribeck(given: Regression) -> Nonlinear | None:
    """The fit of BST, where the law is Stribeck's and each motor moves one joint; else None."""
    if not given.about or given.terms.turning is not None or given.how.model != "dynamic":
        return None
    rows = StribeckRows(given)

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, rows.residual, rows.slopes, weight)

    return Nonlinear(fit, rows.error, given.about)
