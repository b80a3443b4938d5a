"""Dry friction as forces between bounds: which joints have it, how it accelerates the robot, and what it is.

Friction f of the joints with velocities u = B v accelerates the robot by −A⁻¹ Bᵀ f. It is the one between its bounds
that leaves the least kinetic energy: at a bound, with the sign of u, or between them where u is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import lsq_linear

from symoro.errors import MotionError
from symoro.findings import Finding
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
            raise MotionError("simulation.cannot_stick", robot=plant.robot.name, reason=plant.state.unknown)
        smooth = (replace(drive, **{name: Drive().FS for name in _DRY}) for drive in plant.robot.drives)
        bare = replace(plant.robot, drives=tuple(smooth))
        return cls(Plant.of(bare), *bounds(plant.robot, values), values)

    # velocities

    @lazy
    def left(self) -> list[int]:
        """The places in the state of the velocities v that constraints leave."""
        return self._places(self.plant.state.constraint.left)

    @lazy
    def _dependent(self) -> list[int]:
        return self._places(self.plant.state.dependent)

    def _places(self, coordinates: Iterable[int]) -> list[int]:
        parts = (self.plant.state.velocities[k] for k in coordinates)
        return [self.plant.places[name].start + n for name, n in parts]

    @lazy
    def _inertia(self) -> Function:
        compiled: Function = model("inertia_matrix", self.plant.robot).compile()
        return compiled

    @lazy
    def _identity(self) -> tuple[Array, Array] | None:
        """The rows of a robot without constraints; None where they depend on the state."""
        s, left = self.plant.state.symbols, self.plant.state.constraint.left
        if self.plant.state.constraint.dependent:
            return None
        return np.array([[float(j == k) for k in left] for j in s.variables]), np.zeros((0, len(left)))

    @property
    def constant(self) -> bool:
        """Whether B is the same in every state."""
        return self._identity is not None

    def _rows(self, y: Array) -> tuple[Array, Array]:
        """The velocities of all joints, and those of the state that are not left, for unit velocities v."""
        if self._identity is not None:
            return self._identity
        return self.plant.state.rows(lambda function: self.plant.called(function, y, self.values))

    def directions(self, y: Array) -> Array:
        """B of u = B v: the velocities of the joints with friction in a state."""
        return self._rows(y)[0][list(self.places)]

    def accelerating(self, y: Array) -> tuple[Array, Array]:
        """B, and A⁻¹ Bᵀ: what friction of each joint takes from the accelerations."""
        B, A = self.directions(y), self.plant.called(self._inertia, y, self.values)
        return B, np.linalg.solve(A, B.T)

    def with_velocities(self, y: Array, v: Array, at: Array | None = None) -> Array:
        """A state y with other velocities v, or the rate y of a state `at` with other v̇; the others follow."""
        state, dependent = y.copy(), self._dependent
        state[self.left] = v
        if dependent:
            G = self._rows(y if at is None else at)[1]
            state[dependent] = G @ v if at is None else y[dependent] + G @ (v - y[self.left])
        return state


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
    velocities = v - taken @ np.linalg.lstsq(B @ taken, B @ v, rcond=None)[0]
    alone = [int(np.flatnonzero(row)[0]) for row in B if np.count_nonzero(row) == 1]
    velocities[alone] = 0.0
    velocities[np.abs(velocities) <= _SMALL * np.abs(v).max()] = (
        0.0  # rounding, where a platform is held in all that it can do
    )
    return np.asarray(velocities)


def bounds(robot: Robot, values: Mapping[str, float]) -> tuple[tuple[int, ...], Array, Array]:
    """The joints with dry friction, as places among those with variables, and its bounds."""
    every = _bounds(robot, {**robot.values.numbers(), **values})
    dry = tuple(k for k, (low, high) in enumerate(every) if low or high)
    lower, upper = np.array([every[k] for k in dry]).reshape(-1, 2).T
    return dry, lower, upper


def _bounds(robot: Robot, numbers: Mapping[str, float]) -> list[tuple[float, float]]:
    """FO + [−(FS − FA), FS + FA] of each joint in the order of q (K13:7.26)."""
    bounds = []
    for joint in robot.joints[: robot.link_count]:
        drive = robot.drive(joint.index)
        if joint.variable:
            FS, FA, FO = (evaluate(getattr(drive, name), numbers) for name in ("FS", "FA", "FO"))
            bounds.append((FO - (FS - FA), FO + FS + FA))
            refused: tuple[str, ...] = ("FST", "BST", "VS")
            reason = Finding("simulation.static_friction")
        else:
            refused, reason = _DRY, Finding("simulation.no_variable")
        if not all(is_zero(getattr(drive, name)) for name in refused):
            raise MotionError("simulation.no_coulomb", joint=joint.name or joint.index, names=refused, reason=reason)
    return bounds
