"""Dry friction as forces between bounds: which joints have it, how it accelerates the robot, and what it is.

Friction f of the joints with velocities u = B v accelerates the robot by −A⁻¹ Bᵀ f. It is the one between its bounds
that leaves the least kinetic energy: at a bound, with the sign of u, or between them where u is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import lsq_linear

from symoro.errors import MotionError
from symoro.model import model
from symoro.motion.plant import Plant
from symoro.motion.profile import Array
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, is_zero
from symoro.runtime import compile_program

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
    """The joints, as places in q."""
    lower: Array
    upper: Array
    values: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, plant: Plant, values: Mapping[str, float]) -> DryFriction:
        """The friction of a robot that is no parallel one."""
        robot = plant.robot
        if robot.coupling:
            raise MotionError(f"{robot.name}: friction that sticks is not known for coupled motors")
        if plant.projection is None and plant.parts.get("q") != plant.parts.get("qd"):
            raise MotionError(f"{robot.name}: the rates of some joints are not known, so that they cannot stick")
        return cls(Plant.of(smooth(robot)), *bounds(robot, values), values)

    # velocities

    @cached_property
    def moving(self) -> list[int]:
        """The places of the velocities in the state: V0 of a floating base, and qd."""
        every = np.arange(self.plant.size)
        return [int(k) for part in ("V0", "qd") if part in self.plant.places for k in every[self.plant.places[part]]]

    @cached_property
    def _inertia(self) -> Function:
        return model("inertia_matrix", self.plant.robot).compile()

    @cached_property
    def _projection(self) -> Function | None:
        return None if self.plant.projection is None else compile_program(self.plant.projection)

    def _known(self, function: Function) -> dict[str, float]:
        return {name: x for name, x in self.values.items() if name in function.parameters.known}

    @property
    def constant(self) -> bool:
        """Whether B is the same in every state."""
        return self.plant.projection is None

    def directions(self, y: Array) -> Array:
        """B of u = B v: the velocities of the joints with friction in a state."""
        n, q = self.plant.parts["qd"], y[self.plant.places["q"]]
        G = np.eye(n) if self._projection is None else self._projection(q, values=self._known(self._projection))
        B = np.zeros((len(self.places), len(self.moving)))
        B[:, -n:] = G[list(self.places)]
        return B

    def accelerating(self, y: Array) -> tuple[Array, Array]:
        """B, and A⁻¹ Bᵀ: what friction of each joint takes from the accelerations."""
        B, q = self.directions(y), y[self.plant.places["q"]]
        return B, np.linalg.solve(self._inertia(q, values=self._known(self._inertia)), B.T)

    def with_velocities(self, y: Array, v: Array, at: Array | None = None) -> Array:
        """A state y with other velocities, or the rate y of a state `at` with other accelerations."""
        found = y.copy()
        found[self.moving] = v
        return found


@dataclass(frozen=True, slots=True)
class Held:
    """Friction forces, and which joints they hold."""

    f: Array
    stuck: Array


def redundant(W: Array) -> bool:
    """Whether more joints have friction than can move by themselves."""
    return bool(np.linalg.eigvalsh(W)[0] <= 1e-12 * np.trace(W))


def friction(free: Array, W: Array, lower: Array, upper: Array) -> Held:
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
            return Held(f, stuck)
        stuck[int(np.argmax(wrong))] = True
    return _by_least_squares(free, W, lower, upper)


def _by_least_squares(free: Array, W: Array, lower: Array, upper: Array) -> Held:
    """The same by SciPy, also where more joints stick than can move: the least |Lᵀ f − c| with W = L Lᵀ, L c = free."""
    if not len(free):
        return Held(free, np.zeros(0, dtype=bool))
    sizes, vectors = np.linalg.eigh(W)
    kept = sizes > 1e-12 * sizes.sum()
    L = vectors[:, kept] * np.sqrt(sizes[kept])
    wide = np.maximum(upper, lower + 1e-12)
    f = lsq_linear(L.T, np.linalg.pinv(L) @ free, (lower, wide), method="bvls", tol=1e-14, lsmr_tol=None).x
    u = free - W @ f
    still = np.abs(u) <= 1e-9 * np.abs(free).max(initial=1e-300)
    return Held(f, still & (lower < upper))


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


def smooth(robot: Robot) -> Robot:
    """The robot without dry friction."""
    return replace(robot, drives=tuple(replace(d, **{x: Drive().FS for x in _DRY}) for d in robot.drives))


def bounds(robot: Robot, values: Mapping[str, float]) -> tuple[tuple[int, ...], Array, Array]:
    """The joints with dry friction, as places in q, and its bounds."""
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
