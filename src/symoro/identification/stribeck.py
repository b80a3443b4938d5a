"""Stribeck's curve with a speed of each motor: sign(q̇) (FS + (FST − FS) exp(−BST |q̇|)) (K13:7.26).

The speed v = 1 / BST at which the curve fades is not linear in the torques. It is found together with physically
consistent parameters, from the speed on that cross-validation chose for all motors. The rows are those of the
regression; the columns of the curve follow its speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symoro.identification.estimators.least_squares import weighted
from symoro.identification.filtering import decimated
from symoro.identification.motion_of_run import moved
from symoro.identification.physical import Nonlinear
from symoro.identification.physical_coordinates import PhysicalCoordinates
from symoro.identification.readers.columns import Array
from symoro.identification.regression import Regression
from symoro.identification.runs import Run


@dataclass(frozen=True)
class _Block:
    """Rows of one motor in one run: its speeds at the full rate, and which decimated rows are kept."""

    motor: int
    rows: slice
    speeds: Array = field(repr=False)
    kept: Array = field(repr=False)


@dataclass(frozen=True)
class StribeckRows:
    """Rows whose columns of Stribeck's curve depend on the speeds of the motors."""

    given: Regression
    runs: Sequence[Run] = field(repr=False)
    speed: float
    """The speed that was chosen, as a part of the largest speed of each motor."""

    @cached_property
    def places(self) -> list[int]:
        """The column of the curve of each motor."""
        names = self.given.triangles.names
        return [names.index(f"FST{joint.index}@{self.speed:g}") for joint in self.given.subject.motors]

    @cached_property
    def dense(self) -> tuple[Array, Array, Array]:
        """W, y and the weight of each row: 1 over the deviation of its joint."""
        assert self.given.rows is not None
        W, y, joint = self.given.rows.dense()
        return W, y, 1.0 / np.maximum(weighted(self.given.triangles).deviations, 1e-300)[joint]

    @cached_property
    def blocks(self) -> list[_Block]:
        given, found, at = self.given, [], 0
        assert given.rows is not None
        motions = [moved(given.subject, run, given.how) for run in self.runs]
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
        """W for the speeds at the end of β, and ∂(W β)/∂v for each of them."""
        W, count = self.dense[0].copy(), len(self.places)
        by_speed = np.zeros((len(W), count))
        for block in self.blocks:
            k, fade, size = block.motor, beta[-count + block.motor], np.abs(block.speeds)
            curve = np.sign(block.speeds) * np.exp(-size / fade)
            both = decimated(np.column_stack([curve, curve * size / fade**2]), self.given.how.decimation or 1)
            W[block.rows, self.places[k]] = both[block.kept, 0]
            by_speed[block.rows, k] = both[block.kept, 1] * beta[self.places[k]]
        return W, by_speed

    def residual(self, beta: Array) -> Array:
        _, y, weight = self.dense
        return np.asarray((self.columns(beta)[0] @ beta[: -len(self.places)] - y) * weight)

    def slopes(self, beta: Array) -> Array:
        return np.concatenate(self.columns(beta), axis=1) * self.dense[2][:, None]

    def error(self, beta: Array) -> float:
        _, y, weight = self.dense
        return float(np.linalg.norm(self.residual(beta) / weight) / np.linalg.norm(y))

    def told(self, others: dict[str, float]) -> dict[str, float]:
        """FST, the friction at rest, and BST of the drives instead of the column's factor and the speed."""
        made = dict(others)
        for joint in self.given.subject.motors:
            factor, speed = made.pop(f"FST{joint.index}@{self.speed:g}"), made.pop(f"VST{joint.index}")
            made |= {f"FST{joint.index}": made[f"FS{joint.index}"] + factor, f"BST{joint.index}": 1 / speed}
        return made


def stribeck_speeds(given: Regression, runs: Sequence[Run]) -> Nonlinear | None:
    """The fit of the speeds, where the law is Stribeck's and each motor moves one joint; else None."""
    law, terms = given.law, given.terms
    if law is None or law.speed is None or terms.turning is not None or given.how.model != "dynamic":
        return None
    rows = StribeckRows(given, runs, law.speed)
    speeds = [law.speed * largest for largest in terms.largest]

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, rows.residual, rows.slopes, weight)

    more = {f"VST{joint.index}": v for joint, v in zip(given.subject.motors, speeds, strict=True)}
    return Nonlinear(fit, rows.error, more, rows.told)
