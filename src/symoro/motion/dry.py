"""Dry friction as forces between bounds: which joints have it, how it accelerates the robot, and what it is.

Friction f of the joints with velocities u = B v accelerates the robot by −A⁻¹ Bᵀ f. It is the one between its bounds
that leaves the least kinetic energy: at a bound, with the sign of u, or between them where u is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import lsq_linear

from symoro.errors import MotionError
from symoro.lazy import lazy
from symoro.motion.plant import Plant
from symoro.motion.profiles import Array
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, is_zero
from symoro.solve.given import model

if TYPE_CHECKING:
    from symoro.runtime import Function

_DRY = ("FS", "FA", "FO", "FST", "BST", "VS")
_SMALL = 1e-14


@dataclass(frozen=True)
class DryFriction:
    """The joints of a robot that have dry friction, with its bounds, and the robot without it."""

    plant: Plant
    """The robot without dry friction."""
    places: tuple[int, ...]
    """The joints, as places among all joints with variables."""
    lower: Array
    upper: Array
    values: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, plant: Plant, values: Mapping[str, float]) -> DryFriction:
        """The friction of a robot."""
        if plant.state.unknown:
            raise MotionError(f"{plant.robot.name}: {plant.state.unknown}")
        smooth = (replace(drive, **{name: Drive().FS for name in _DRY}) for drive in plant.robot.drives)
        bare = replace(plant.robot, drives=tuple(smooth))
        return cls(Plant.of(bare), *bounds(plant.robot, values), values)

    # velocities

    @lazy
    def moving(self) -> list[int]:
        """The places of the independent velocities in the state."""
        every = range(self.plant.size)
        return [k for part in self.plant.state.moving for k in every[self.plant.places[part]]]

    @lazy
    def _inertia(self) -> Function:
        compiled: Function = model("inertia_matrix", self.plant.robot).compile()
        return compiled

    @property
    def constant(self) -> bool:
        """Whether B is the same in every state."""
        return self.plant.state.constant

    def _rows(self, y: Array) -> tuple[Array, Array | None]:
        """The velocities of all joints for unit velocities v, and a basis S of the v that are possible."""
        return self.plant.state.rows(lambda function: self.plant.called(function, y, self.values))

    def directions(self, y: Array) -> Array:
        """B of u = B v: the velocities of the joints with friction in a state."""
        return self._rows(y)[0][list(self.places)]

    def accelerating(self, y: Array) -> tuple[Array, Array]:
        """B, and A⁻¹ Bᵀ or S A⁻¹ Sᵀ Bᵀ: what friction of each joint takes from the accelerations.

        A is that of the coordinates which constraints leave, V = S v of a platform.
        """
        rows, S = self._rows(y)
        B, A = rows[list(self.places)], self.plant.called(self._inertia, y, self.values)
        return B, np.linalg.solve(A, B.T) if S is None else S @ np.linalg.solve(A, S.T @ B.T)

    def with_velocities(self, y: Array, v: Array, at: Array | None = None) -> Array:
        """A state y with other velocities, or the rate y of a state `at` with other accelerations; motors follow."""
        found, followers = y.copy(), self.plant.state.followers
        found[self.moving] = v
        if followers:
            rows, _ = self._rows(y if at is None else at)
            found[self.plant.places["qd"]] += rows[list(followers)] @ (v - y[self.moving])
        return found


@dataclass(frozen=True, slots=True)
class StickingJoints:
    """Friction forces, and which joints they hold."""

    f: Array
    stuck: Array


def redundant(W: Array) -> bool:
    """Whether more joints have friction than can move by themselves."""
    return bool(np.linalg.eigvalsh(W)[0] <= 1e-12 * np.trace(W))


def friction(free: Array, W: Array, lower: Array, upper: Array) -> StickingJoints:
    """f between its bounds with u = free − W f: u is 0, or f is at the bound of its sign. W = B A⁻¹ Bᵀ."""
    f, stuck = np.zeros(len(free)), np.ones(len(free), dtype=bool)
    if not len(free) or redundant(W):
        return _by_least_squares(free, W, lower, upper)
    for _ in range(4 * len(free) + 4):
        f[stuck] = np.linalg.solve(W[np.ix_(stuck, stuck)], free[stuck] - W[np.ix_(stuck, ~stuck)] @ f[~stuck])
        over = np.where(stuck, np.maximum(f - upper, lower - f), -np.inf)
        if over.max() > 0:
            j = int(np.argmax(over))
            stuck[j], f[j] = False, upper[j] if f[j] > upper[j] else lower[j]
            continue
        u = free - W @ f
        wrong = np.where(stuck, 0.0, np.where(f == upper, -u, u))  # a bound and a velocity that do not agree
        wrong[lower == upper] = 0.0
        if wrong.max() <= _SMALL * (1 + np.abs(u).max()):
            return StickingJoints(f, stuck)
        stuck[int(np.argmax(wrong))] = True
    return _by_least_squares(free, W, lower, upper)


def _by_least_squares(free: Array, W: Array, lower: Array, upper: Array) -> StickingJoints:
    """The same by SciPy, also where more joints stick than can move: the least |Lᵀ f − c| with W = L Lᵀ, L c = free."""
    if not len(free):
        return StickingJoints(free, np.zeros(0, dtype=bool))
    sizes, vectors = np.linalg.eigh(W)
    kept = sizes > 1e-12 * sizes.sum()
    L = vectors[:, kept] * np.sqrt(sizes[kept])
    wide = np.maximum(upper, lower + 1e-12)
    f = lsq_linear(L.T, np.linalg.pinv(L) @ free, (lower, wide), method="bvls", tol=1e-14, lsmr_tol=None).x
    u = free - W @ f
    still = np.abs(u) <= 1e-9 * np.abs(free).max(initial=1e-300)
    return StickingJoints(f, still & (lower < upper))


def at_rest(v: Array, B: Array, taken: Array) -> Array:
    """The velocities without those of joints that stick: B v = 0, by forces of these joints (`taken` = A⁻¹ Bᵀ)."""
    if not len(B):
        return v
    if np.linalg.matrix_rank(B) == len(v):
        return np.zeros_like(v)
    found = v - taken @ np.linalg.lstsq(B @ taken, B @ v, rcond=None)[0]
    alone = [int(np.flatnonzero(row)[0]) for row in B if np.count_nonzero(row) == 1]
    found[alone] = 0.0
    found[np.abs(found) <= _SMALL * np.abs(v).max()] = 0.0  # rounding, where a platform is held in all that it can do
    return np.asarray(found)


def bounds(robot: Robot, values: Mapping[str, float]) -> tuple[tuple[int, ...], Array, Array]:
    """The joints with dry friction, as places among those with variables, and its bounds."""
    every = _bounds(robot, {**robot.values.numbers(), **values})
    dry = tuple(k for k, (low, high) in enumerate(every) if low or high)
    lower, upper = np.array([every[k] for k in dry]).reshape(-1, 2).T
    return dry, lower, upper


def _bounds(robot: Robot, numbers: Mapping[str, float]) -> list[tuple[float, float]]:
    """FO + [−(FS − FA), FS + FA] of each joint in the order of q (K13:7.26)."""
    found = []
    for joint in robot.joints[: robot.link_count]:
        drive = robot.drive(joint.index)
        if joint.variable:
            FS, FA, FO = (evaluate(getattr(drive, name), numbers) for name in ("FS", "FA", "FO"))
            found.append((FO - (FS - FA), FO + FS + FA))
            refused: tuple[str, ...] = ("FST", "BST", "VS")
            why = "are no part of Coulomb friction that sticks (FS, FA and FO are)"
        else:
            refused, why = _DRY, "cannot stick: the joint has no variable of its own"
        if not all(is_zero(getattr(drive, name)) for name in refused):
            raise MotionError(f"joint {joint.name or joint.index}: {', '.join(refused)} {why}")
    return found
