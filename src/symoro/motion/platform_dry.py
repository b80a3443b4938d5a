"""Dry friction in the joints of the legs of a parallel robot, as forces on its platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symoro.motion.dry import DryFriction, bounds, smooth
from symoro.motion.plant import Plant
from symoro.motion.platform_plant import PlatformPlant, plant_of, poses
from symoro.motion.profile import Array
from symoro.platforms.motion import joint_rows
from symoro.runtime import compile_program

if TYPE_CHECKING:
    from symoro.runtime import Function


def friction_of(plant: Plant, values: Mapping[str, float]) -> DryFriction:
    """The dry friction of a robot of any family."""
    if not isinstance(plant, PlatformPlant):
        return DryFriction.of(plant, values)
    robot = plant.platform
    bare = replace(robot, legs=tuple(smooth(leg) for leg in robot.legs))
    return PlatformFriction(plant_of(bare), *bounds(robot, values), values)


class PlatformFriction(DryFriction):
    """Friction in the joints of legs, which move by B V: the platform is accelerated by −S (Sᵀ A S)⁻¹ Sᵀ Bᵀ f."""

    constant = False

    @cached_property
    def moving(self) -> list[int]:
        """The places of V in the state."""
        place = self.plant.places["V"]
        return list(range(place.start, place.stop))

    @cached_property
    def _rows(self) -> Function:
        assert isinstance(self.plant, PlatformPlant)
        found: Function = compile_program(joint_rows(self.plant.platform))
        return found

    def _at(self, y: Array) -> tuple[Array, Array, Array]:
        """T, the rows of all joints, and S."""
        T = poses(self.plant, y)
        found = self._rows(T, values=self._known(self._rows))
        return T, found.B.reshape(-1, 6), found.S.reshape(6, -1)

    def directions(self, y: Array) -> Array:
        return self._at(y)[1][list(self.places)]

    def accelerating(self, y: Array) -> tuple[Array, Array]:
        T, rows, S = self._at(y)
        B, A = rows[list(self.places)], self._inertia(T, values=self._known(self._inertia))
        return B, S @ np.linalg.solve(S.T @ A @ S, S.T @ B.T)

    def with_velocities(self, y: Array, v: Array, at: Array | None = None) -> Array:
        """The motors follow the platform."""
        found = super().with_velocities(y, v)
        _, rows, _ = self._at(y if at is None else at)
        found[self.plant.places["qd"]] += rows[self._motors] @ (v - y[self.moving])
        return found

    @cached_property
    def _motors(self) -> list[int]:
        """The places of the motors among the joints of all legs."""
        movable = [joint for joint in self.plant.robot.joints if joint.variable]
        return [k for k, joint in enumerate(movable) if joint.actuated]
