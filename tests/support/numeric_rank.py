"""The rank of Pinocchio's regressors, stacked at random states: the number of base parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Oracle, oracle
from symoro.bind.interface import robot_numbers
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot


@dataclass(frozen=True)
class Rank:
    """A rank, and the singular values on both sides of the gap, relative to the largest."""

    rank: int
    kept: float
    dropped: float

    @property
    def clear(self) -> bool:
        return self.kept > 1e-6 and self.dropped < 1e-10

    def __str__(self) -> str:
        return f"rank {self.rank}, gap {self.kept:.1e} ... {self.dropped:.1e}"


def rank_of(rows: np.ndarray) -> Rank:
    """The rank of a matrix whose columns are scaled to length 1."""
    length = np.linalg.norm(rows, axis=0)
    scaled = rows[:, length > 1e-9 * max(1.0, length.max(initial=0))]
    if not scaled.size:
        return Rank(0, 1.0, 0.0)
    values = np.linalg.svd(scaled / np.linalg.norm(scaled, axis=0), compute_uv=False)
    values = values / values[0]
    rank = int((values > 1e-8).sum())
    return Rank(rank, values[rank - 1], values[rank] if rank < len(values) else 0.0)


def stacked(robot: Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Regressors at random states under each other: the columns of links, and those of rotor inertias.

    Pinocchio joins links with fixed joints between them, which changes no rank.
    """
    rng = np.random.default_rng(seed)
    o = oracle(robot, robot_numbers(robot), free=robot.base.kind is BaseKind.MOVING)
    states = [rng.normal(size=(3, len(o.velocity_index))) for _ in range(max(20, 4 * len(robot.joints)))]
    links = np.vstack([_regressor(o, state, rng) for state in states])
    return links, np.vstack([np.diag(state[2]) for state in states])


def _regressor(o: Oracle, state: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    turn = rng.normal(size=4)
    q, v, a = (
        o.q(state[0], turn / np.linalg.norm(turn)),
        o.v(state[1], rng.normal(size=6)),
        o.v(state[2], rng.normal(size=6)),
    )
    return pin.computeJointTorqueRegressor(o.model, o.data, q, v, a).reshape(o.model.nv, -1)[o.velocity_index]
