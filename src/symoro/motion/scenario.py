"""What a simulation is given, checked and as arrays: a robot, its controller, a wanted motion, times and a start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import InputError, MotionError, ParameterError, ShapeError
from symoro.findings import Finding
from symoro.motion.controller import Controller
from symoro.motion.plant import Plant
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Motion, Trajectory
from symoro.runtime.outputs import real_array

Law = Callable[[float, Array, Array], ArrayLike]
"""A controller as a function of Python: time, q, qd -> torques of the motors."""
_CLOSED = 1e-9
"""How far loops may be open in a row."""
_ROWS = 100_000_000
"""The most rows of a simulation."""
Wrench = ArrayLike | Callable[[Array], Array] | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A simulation that can run."""

    plant: Plant
    controller: Controller | Law | None
    wanted: Callable[[Array], Array]
    """The wanted motion of the motors as a function of time, (..., 3 motors)."""
    t: Array
    first: Array
    wrench: Array
    """The wrenches of each time, or of all."""
    pushed: Callable[[float], Array]
    """The wrenches at an instant, (links, 6)."""
    values: Mapping[str, float]
    fastest: float
    """The velocity above which the simulation is taken to diverge."""
    delay: int = 0
    """The periods after which torques act."""
    noise: Array | None = None
    """What is added to the measured q and qd, a row for each time."""
    quanta: Mapping[str, float] = field(default_factory=dict)
    """The steps in which q and qd are measured, where they are not measured exactly."""

    @property
    def period(self) -> float:
        return float(self.t[1] - self.t[0])

    @property
    def states(self) -> int:
        """The number of states beside those of the robot: of the controller, and of torques on their way."""
        of_controller = self.controller.states if isinstance(self.controller, Controller) else 0
        return of_controller + self.delay * self.plant.motors

    @property
    def start(self) -> Array:
        """The first state of robot and controller, (..., size)."""
        if not isinstance(self.controller, Controller):
            return self.first
        seen = self.plant.seen(self.first)
        motors = {"q": seen["q"][..., self.plant.motor_places("q")]}
        of_controller = self.controller.first_states(motors, self.wanted(np.asarray(0.0))[: self.plant.motors])
        waiting = np.zeros((*self.first.shape[:-1], self.delay * self.plant.motors))
        return np.concatenate([self.first, of_controller, waiting], axis=-1)

    def others(self, rows: slice) -> list[Array]:
        """The inputs beside the state of some steps: the reference or the torques, and the wrenches."""
        driven = self.wanted(self.t[rows]) if isinstance(self.controller, Controller) else np.zeros(self.plant.motors)
        wrench = [self.wrench if self.wrench.ndim == 1 else self.wrench[rows]] if self.plant.wrench else []
        return [driven, *wrench, *([] if self.noise is None else [self.noise[rows]])]

    def torques(self, t: float, state: Array) -> Array:
        """The torques of a controller that is a function of Python, checked."""
        places, count = self.plant.places, self.plant.motors
        output = self.controller(t, state[places["q"]], state[places["qd"]])  # type: ignore[misc, operator]
        try:
            tau = real_array("tau", output)
            if tau.shape in ((), (count,)):
                return np.broadcast_to(tau, (count,))
            law_gave = Finding("simulation.gave_shape", shape=str(tau.shape))
        except InputError:
            law_gave = Finding("simulation.gave_no_numbers", value=f"{output!r:.60}")
        robot = self.plant.robot.name
        raise MotionError("simulation.torques_given", torques=law_gave, time=t, count=count, robot=robot)

    def bad(self, states: Array) -> Array:
        """Which states (..., rows, size) are none of the run any more."""
        return np.asarray(np.logical_or.reduce(self._wrong(states)[0]))

    def failure(self, states: Array) -> tuple[int, Finding] | None:
        """The first row (..., rows, size) at which no run is a state of the robot any more, and what is wrong.

        Rows from which two more steps would reach a dead point are left out with what comes behind it.
        """
        wrong, ahead = self._wrong(states)
        wild, lost, bad = (
            x.reshape(-1, states.shape[-2]).all(axis=0) for x in (*wrong[:2], np.logical_or.reduce(wrong))
        )
        if not bad.any():
            return None
        row = int(np.argmax(bad))
        if wild[row]:
            return row, Finding(self.plant.state.wild, fastest=self.fastest)
        reason = Finding(self.plant.state.lost if lost[row] else "simulation.dead_point_met")
        while ahead.ndim == 2 and row > 1 and (3 * ahead[row - 1] < 2 * ahead[row - 2]).any():
            row -= 1
        return row, reason

    def _wrong(self, states: Array) -> tuple[list[Array], Array]:
        """Which states are not finite or too fast, have open closures, are behind a dead point; how far from it."""
        wild = np.asarray((~np.isfinite(states) | (np.abs(states) > self.fastest)).any(axis=-1))
        tame = np.where(wild[..., None], 0.0, states)[..., : self.plant.size]
        ahead = self.plant.before_dead_point(tame, self.first, self.values)
        behind = np.asarray((ahead <= 0).any(axis=-1))
        return [wild, self.plant.gap(tame, self.values) > _CLOSED, behind], ahead


def times(duration: float | None, trajectory: Trajectory | None, period: float) -> Array:
    """The times of the rows: from 0 to the duration, a period apart."""
    if trajectory is not None and not isinstance(trajectory, Trajectory):
        raise MotionError("simulation.trajectory", value=f"{trajectory!r:.60}")
    total = trajectory.duration if duration is None and trajectory is not None else duration
    if not total:
        raise MotionError("simulation.no_duration")
    if period > total:
        raise MotionError("simulation.period", period=period, duration=total)
    if total / period > _ROWS:
        raise MotionError("simulation.rows", duration=total, period=period, most=_ROWS)
    return period * np.arange(int(np.ceil(total / period - 1e-9)) + 1)


def reference(plant: Plant, trajectory: Trajectory | None, first: Array) -> Callable[[Array], Motion]:
    """The wanted motion of the motors: that of the trajectory, or to stay where they are."""
    if trajectory is not None:
        if len(trajectory.joints) != plant.motors:
            raise MotionError(
                "simulation.joints_of_trajectory",
                count=len(trajectory.joints),
                robot=plant.robot.name,
                motors=plant.motors,
            )
        return trajectory
    place = plant.places["q"]
    stay = first[..., place][..., plant.motor_places("q")]
    if stay.ndim > 1:
        raise MotionError("simulation.batch_without_trajectory")

    def standing(time: Array) -> Motion:
        none = np.zeros((*np.shape(time), plant.motors))
        return Motion(none + stay, none, none)

    return standing


def wrenches(plant: Plant, wrench: Wrench, t: Array) -> Array:
    """The wrenches on the environment, flat: for all times, or a row for each."""
    if plant.wrench is None:
        if wrench is not None:
            raise MotionError("simulation.no_wrench", robot=plant.robot.name)
        return np.zeros(0)
    shape = plant.wrench.shape
    if wrench is None:
        return np.array([v.default or 0.0 for v in plant.wrench.variables])
    array = np.asarray(wrench(t) if callable(wrench) else wrench, dtype=float)
    if array.shape not in (shape, (len(t), *shape)):
        raise ShapeError("simulation.wrench_shape", one=str(shape), every=str((len(t), *shape)), shape=str(array.shape))
    return np.ascontiguousarray(array.reshape(*array.shape[: array.ndim - len(shape)], -1))


def pushing(plant: Plant, wrench: Wrench, t: Array, rows: Array) -> Callable[[float], Array]:
    """The wrenches at an instant: those that are given for rows change in steps."""
    shape = plant.wrench.shape if plant.wrench else (0,)
    if rows.ndim == 1:
        return lambda time: rows.reshape(shape)
    if callable(wrench):
        return lambda time: np.asarray(wrench(np.array([time])), dtype=float).reshape(shape)
    return lambda time: rows[min(int(np.searchsorted(t, time, side="right")) - 1, len(t) - 1)].reshape(shape)


def plant_values(plant: Plant, values: Mapping[str, float] | None) -> dict[str, float]:
    """The parameters of the simulated robot that are not those of its description."""
    allowed = plant.parameter_names
    for name in values or {}:
        if name not in allowed:
            raise ParameterError("simulation.no_parameter", robot=plant.robot.name, name=name, allowed=allowed)
    return {name: float(x) for name, x in (values or {}).items()}


def measuring(plant: Plant, t: Array, noise: ArrayLike | None, seed: int) -> Array | None:
    """Normal noise of the measured q and qd, with the standard deviations of positions and velocities."""
    if noise is None:
        return None
    deviations = np.repeat(np.asarray(noise, dtype=float), [plant.parts["q"], plant.parts["qd"]])
    errors: Array = np.random.default_rng(seed).normal(size=(len(t), len(deviations))) * deviations
    return errors


def quantised(quantum: ArrayLike | None) -> dict[str, float]:
    """The steps in which q and qd are measured; a step of 0 means exactly."""
    if quantum is None:
        return {}
    sizes = np.asarray(quantum, dtype=float)
    return {name: float(size) for name, size in zip(("q", "qd"), sizes, strict=True) if size}
