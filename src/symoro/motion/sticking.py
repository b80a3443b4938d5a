"""Simulation with Coulomb friction that sticks: fixed steps in which friction is found together with the velocities.

After a step of length h the velocities are v⁺ = v_free − h A⁻¹ f. The friction f of a joint that slides is at its
bound, with the sign of v⁺; a joint whose friction is between its bounds sticks, v⁺ = 0. The problem is strictly convex,
so that it has one solution. Each step has two passes, the second one with the models at mid-step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import lsq_linear

from symoro.errors import MotionError
from symoro.model import model
from symoro.motion.controller import Controller
from symoro.motion.plant import Plant
from symoro.motion.profile import Array
from symoro.motion.scenario import Scenario
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, is_zero

if TYPE_CHECKING:
    from symoro.runtime import Function

_DRY = ("FS", "FA", "FO", "FST", "BST", "VS")


def run(scenario: Scenario) -> tuple[Array, Array, str]:
    """The states and torques of all times up to the end, and why a simulation ended before."""
    if scenario.first.ndim > 1:
        raise MotionError("sticking takes one run; a batch needs the method rk4")
    joints = Joints.of(scenario)
    law = _Law(scenario)
    n = scenario.plant.parts["q"]
    states, tau = np.full((len(scenario.t), 2 * n), np.nan), np.zeros((len(scenario.t), scenario.plant.motors))
    y = scenario.first
    for k, t in enumerate(scenario.t):
        states[k] = y
        tau[k] = law(float(t), y[:n], y[n:], k)
        failed = scenario.failure(y[None])
        if failed:
            return states[:k], tau[:k], f"the simulation diverged at t = {t:.6g} s: {failed[1]}"
        y = joints.step(y[:n], y[n:], tau[k], scenario.others(slice(k, k + 1))[1:], scenario.period)
    return states, tau, ""


@dataclass(frozen=True)
class Joints:
    """A robot without dry friction, its inertia matrix, and the bounds of the friction of each joint."""

    accelerations: Function
    inertia: Function
    lower: Array
    upper: Array
    values: dict[str, float]

    @classmethod
    def of(cls, scenario: Scenario) -> Joints:
        plant = scenario.plant
        robot = plant.robot
        if plant.drifts or robot.coupling or "VP0" in plant.direct.outputs:
            raise MotionError(
                f"{robot.name}: sticking is for trees on a fixed base without coupled motors (rk4 is not)"
            )
        low, high = _bounds(plant, {**robot.values.numbers(), **scenario.values})
        smooth = replace(robot, drives=tuple(_wet(drive) for drive in robot.drives))
        direct, inertia = model("direct_dynamics", smooth).compile(), model("inertia_matrix", smooth).compile()
        known = {name: x for name, x in scenario.values.items() if name in direct.parameters.known}
        return cls(direct, inertia, low, high, known)

    def step(self, q: Array, v: Array, tau: Array, wrench: list[Array], h: float) -> Array:
        """The state after a step."""
        more: dict[str, Any] = {"wrench": wrench[0].reshape(-1, 6)} if wrench else {}
        given = (tau,) if "tau" in self.accelerations.inputs else ()
        later, at = v, q
        for _ in range(2):
            free = v + h * self.accelerations(at, (v + later) / 2, *given, values=self.values, **more)
            later = held(free, h * np.linalg.inv(self.inertia(at, values=self.values)), self.lower, self.upper)
            at = q + h / 4 * (v + later)
        return np.concatenate([q + h / 2 * (v + later), later])


def held(free: Array, W: Array, lower: Array, upper: Array) -> Array:
    """v⁺ = v_free − W f with friction f between its bounds: at a bound where v⁺ is not 0, else v⁺ = 0 exactly."""
    f, stuck = np.zeros(len(free)), np.ones(len(free), dtype=bool)
    for _ in range(4 * len(free) + 4):
        f[stuck] = np.linalg.solve(W[np.ix_(stuck, stuck)], free[stuck] - W[np.ix_(stuck, ~stuck)] @ f[~stuck])
        over = np.where(stuck, np.maximum(f - upper, lower - f), -np.inf)
        if over.max() > 0:
            j = int(np.argmax(over))
            stuck[j], f[j] = False, upper[j] if f[j] > upper[j] else lower[j]
            continue
        v = free - W @ f
        wrong = np.where(stuck, 0.0, np.where(f == upper, -v, v))  # a bound and a velocity that do not agree
        wrong[lower == upper] = 0.0
        if wrong.max() <= 1e-14 * (1 + np.abs(v).max()):
            return np.where(stuck, 0.0, v)
        stuck[int(np.argmax(wrong))] = True
    return _by_least_squares(free, W, lower, upper)


def _by_least_squares(free: Array, W: Array, lower: Array, upper: Array) -> Array:
    """The same by SciPy: the least ½ fᵀ W f − v_freeᵀ f between the bounds."""
    root = np.linalg.cholesky(W).T
    wide = np.maximum(upper, lower + 1e-12)
    f = lsq_linear(root, np.linalg.solve(root.T, free), (lower, wide), method="bvls", tol=1e-14).x
    v = free - W @ f
    return np.where((f > lower) & (f < wide), 0.0, v)


def _wet(drive: Drive) -> Drive:
    return replace(drive, **{name: Drive().FS for name in _DRY})


def _bounds(plant: Plant, numbers: dict[str, float]) -> tuple[Array, Array]:
    """FO + [−(FS − FA), FS + FA] of each joint in the order of q (K13:7.26)."""
    robot: Robot = plant.robot
    joints = [joint.index for joint in robot.joints[: robot.link_count] if joint.variable]
    for j in joints:
        if not all(is_zero(getattr(robot.drive(j), name)) for name in ("FST", "BST", "VS")):
            raise MotionError(
                f"joint {j}: FST, BST and VS are no part of Coulomb friction that sticks (FS, FA and FO are)"
            )
    table = np.array(
        [[evaluate(getattr(robot.drive(j), name), numbers) for name in ("FS", "FA", "FO")] for j in joints]
    )
    FS, FA, FO = table.T
    return FO - (FS - FA), FO + FS + FA


class _Law:
    """The controller of a scenario as a function of time, positions, velocities and row; its states are kept here."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.z = scenario, np.zeros(scenario.states)
        controller = scenario.controller
        self.compiled = controller.compile() if isinstance(controller, Controller) else None

    def __call__(self, t: float, q: Array, v: Array, row: int) -> Array:
        controller, m = self.scenario.controller, self.scenario.plant.motors
        if controller is None:
            return np.zeros(m)
        if self.compiled is None:
            return np.asarray(controller(t, q, v), dtype=float)  # type: ignore[operator]
        wanted = self.scenario.wanted(np.asarray(t)).reshape(3, m)
        if not len(self.z):
            GAM: Array = self.compiled(q, v, *wanted)
            return GAM
        found = self.compiled(q, v, *wanted, self.z)
        self.z = self.z + self.scenario.period * found.ZP
        return np.asarray(found.GAM)
