"""Parallel robots by Pinocchio's model of the legs and the platform, and Lagrange multipliers at the attachments.

Nothing here comes from the models of parallel robots, except the joint positions of the legs: they are checked to
reach the platform.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from support.free_robots import Array
from support.mechanisms import Mechanism
from support.random_robots import physical_inertia
from symoro.ir.graph import Graph
from symoro.models.parallel.mechanism import bound_legs, structure
from symoro.models.parallel.platform import PoseSymbols, function_of, moved
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate


def joint_positions(robot: Robot, T: Array, branch: tuple[int, ...] | None = None) -> Array:
    """q of all legs that the models take at this pose."""
    letters = PoseSymbols(robot, Graph())
    legs = bound_legs(letters, structure(robot, branch))
    return function_of(letters, [leg.s.q[j] for leg in legs for j in leg.s.variables])(T)


class Platform(Mechanism):
    """A platform on a fixed base: u = [q̇; V] at a pose T."""

    def velocities(self, V: Array) -> Array:
        """u for a motion of the platform that the legs allow."""
        found = self.velocities_for(V, self._six)
        assert np.abs(found[self._six] - V).max() < 1e-9 * (1 + np.abs(V).max())
        return found

    @property
    def _six(self) -> list[int]:
        return list(range(len(self.q), self.count))

    def freedoms(self) -> Array:
        """A basis of the motions V of the platform that the legs allow."""
        return np.linalg.qr(self.motions[self._six])[0]

    def acceleration(self, u: Array, tau: Array, needed: Array | None = None) -> Array:
        """VP for torques of the motors."""
        return self.direct(u, tau, needed)[self._six]

    def follow(self, u: Array, VP: Array) -> Array:
        """u̇ for an acceleration of the platform that the legs allow."""
        found = self.accelerations_for(u, VP, self._six)
        assert np.abs(found[self._six] - VP).max() < 1e-8 * (1 + np.abs(VP).max())
        return found


def random_motion(platform: Platform, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """V and VP that the legs allow, with u and u̇."""
    S = platform.freedoms()
    u = platform.velocities(S @ rng.normal(size=S.shape[1]))
    VP = platform.coasting(u)[-6:] + S @ rng.normal(size=S.shape[1])
    return u[-6:], VP, u, platform.follow(u, VP)


def with_random_inertias(robot: Robot, rng: np.random.Generator) -> Robot:
    """The robot with other bodies and drives."""
    values = {}
    for end in ["P", *(f"{j.index}_{i}" for i, leg in enumerate(robot.legs, 1) for j in leg.joints)]:
        values |= {f"{name}{end}": as_value(float(x)) for name, x in physical_inertia(rng).items()}
    for name in robot.values:
        if name[:2] in ("IA", "FV", "FS"):
            values[name] = as_value(float(rng.uniform(0.1, 2)))
    known = {name: x for name, x in values.items() if name in robot.values}
    return replace(robot, values={**robot.values, **known})  # type: ignore[arg-type]


def reachable_pose(robot: Robot, rng: np.random.Generator, far: float = 0.15) -> Array:
    """A pose near home that the legs allow, by Newton's method on the residual of the constraints."""
    home = np.array([[evaluate(x, robot.values.numbers()) for x in row] for row in robot.home])
    letters = PoseSymbols(robot, Graph())
    legs = bound_legs(letters, structure(robot))
    rows = [row for leg in legs for row in leg.constraints]
    T = moved(home, far * np.r_[0.3, 0.3, 0.3, 1, 1, 1] * rng.uniform(-1, 1, 6))
    if not rows:
        return T
    C = function_of(letters, [x for row in rows for x in row])
    e = function_of(letters, [x for leg in legs if leg.free for x in leg.excess(leg.residual)])
    for _ in range(30):
        T = moved(T, -np.linalg.lstsq(C(T).reshape(len(rows), 6), e(T), rcond=1e-9)[0])
    return T
