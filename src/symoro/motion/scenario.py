"""What a simulation is given, checked and as arrays: a robot, its controller, a wanted motion, times and a start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError, ParameterError, ShapeError
from symoro.motion.controller import Controller
from symoro.motion.plant import Plant
from symoro.motion.profile import Array
from symoro.motion.trajectory import Motion, Trajectory

Law = Callable[[float, Array, Array], ArrayLike]
"""A controller as a function of Python: time, q, qd -> torques of the motors."""
_CLOSED = 1e-9
"""How far loops may be open in a row."""
Wrench = ArrayLike | Callable[[Array], Array] | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A simulation that can run."""

    plant: Plant
    controller: Controller | Law | None
    reference: Motion | None
    """The wanted motion of the motors at each time."""
    wanted: Callable[[Array], Array]
    """The same as a function of time, (..., 3 motors)."""
    t: Array
    first: Array
    wrench: Array
    """The wrenches of each time, or of all."""
    values: Mapping[str, float]
    fastest: float
    """The velocity above which the simulation is taken to diverge."""

    @property
    def period(self) -> float:
        return float(self.t[1] - self.t[0])

    @property
    def states(self) -> int:
        """The number of states of the controller."""
        return self.controller.states if isinstance(self.controller, Controller) else 0

    def others(self, rows: slice) -> list[Array]:
        """The inputs beside the state of some steps: the reference or the torques, and the wrenches."""
        driven = self.wanted(self.t[rows]) if isinstance(self.controller, Controller) else np.zeros(self.plant.motors)
        if not self.plant.wrench:
            return [driven]
        return [driven, self.wrench if self.wrench.ndim == 1 else self.wrench[rows]]

    def failure(self, states: Array) -> tuple[int, str] | None:
        """The first row (..., rows, size) that is no state of the robot any more, and what is wrong with it."""
        wild = np.asarray((~np.isfinite(states) | (np.abs(states) > self.fastest)).any(axis=-1))
        tame = np.where(wild[..., None], 0.0, states)
        ajar = self.plant.gap(tame[..., : self.plant.size], self.values) > _CLOSED
        wild, bad = (np.asarray(x.reshape(-1, states.shape[-2]).any(axis=0)) for x in (wild, wild | ajar))
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        if wild[row]:
            return row, f"a state is not finite or above {self.fastest:g}"
        return row, "its loops do not close any more: it is near a dead point of its motors"


def times(duration: float | None, trajectory: Trajectory | None, period: float) -> Array:
    """The times of the rows: from 0 to the duration, a period apart."""
    total = trajectory.duration if duration is None and trajectory is not None else duration
    if total is None or not (isfinite(total) and total > 0):
        raise MotionError(
            f"duration = {total} is not a time (allowed: more than 0 seconds, or a trajectory that moves)"
        )
    if not (isfinite(period) and 0 < period <= total):
        raise MotionError(f"period = {period} is not a time (allowed: more than 0, up to the duration {total:g})")
    return period * np.arange(int(np.ceil(total / period - 1e-9)) + 1)


def reference(plant: Plant, trajectory: Trajectory | None, first: Array) -> Callable[[Array], Motion]:
    """The wanted motion of the motors: that of the trajectory, or to stay where they are."""
    if trajectory is not None:
        if len(trajectory.joints) != plant.motors:
            raise MotionError(
                f"the trajectory has {len(trajectory.joints)} joints, and {plant.robot.name} has {plant.motors} motors"
            )
        return trajectory
    place = plant.places["q"]
    stay = first[..., place][..., plant.motor_places("q")]
    if stay.ndim > 1:
        raise MotionError("a batch under control needs a trajectory: its runs begin at different positions")

    def standing(time: Array) -> Motion:
        none = np.zeros((*np.shape(time), plant.motors))
        return Motion(none + stay, none, none)

    return standing


def wrenches(plant: Plant, given: Wrench, t: Array) -> Array:
    """The wrenches on the environment, flat: for all times, or a row for each."""
    if plant.wrench is None:
        if given is not None:
            raise MotionError(f"{plant.robot.name} declares no wrench: no link of it acts on the environment")
        return np.zeros(0)
    shape = plant.wrench.shape
    if given is None:
        return np.array([v.default or 0.0 for v in plant.wrench.variables])
    array = np.asarray(given(t) if callable(given) else given, dtype=float)
    if array.shape not in (shape, (len(t), *shape)):
        raise ShapeError(f"wrench must have shape {shape} or {(len(t), *shape)}, not {array.shape}")
    return np.ascontiguousarray(array.reshape(*array.shape[:-2], -1))


def plant_values(plant: Plant, values: Mapping[str, float] | None) -> dict[str, float]:
    """The parameters of the simulated robot that are not those of its description."""
    allowed = plant.symbols.parameter_names
    for name in values or {}:
        if name not in allowed:
            raise ParameterError(f"{plant.robot.name} has no parameter {name!r} (allowed: {', '.join(allowed)})")
    return {name: float(x) for name, x in (values or {}).items()}
