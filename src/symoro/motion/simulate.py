"""`symoro.simulate`: the motion of a robot under a controller that follows a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.coordinates import Coordinates
from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.models.results import say
from symoro.motion import adaptive, fixed, stick_slip, sticking
from symoro.motion.controller import Controller
from symoro.motion.fixed import Stop
from symoro.motion.plant import Plant
from symoro.motion.profiles import Array
from symoro.motion.scenario import (
    Law,
    Scenario,
    Wrench,
    measuring,
    plant_values,
    pushing,
    quantised,
    reference,
    times,
    wrenches,
)
from symoro.motion.simulation import Simulation
from symoro.motion.trajectory import Motion, Trajectory
from symoro.robot.robot import Robot


def simulate(
    robot: Robot | str | Path,
    controller: Controller | Law | None = None,
    trajectory: Trajectory | None = None,
    *,
    duration: float | None = None,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    position0: ArrayLike | None = None,
    quat0: ArrayLike | None = None,
    V0: ArrayLike | None = None,
    T0: ArrayLike | None = None,
    period: float = 1e-3,
    method: str = "rk4",
    substeps: int = 1,
    rtol: float = 1e-10,
    atol: float = 1e-10,
    values: Mapping[str, float] | None = None,
    wrench: Wrench = None,
    delay: int = 0,
    noise: ArrayLike | None = None,
    quantum: ArrayLike | None = None,
    seed: int = 0,
    stop: Stop = None,
    every: int = 1,
    fastest: float = 1e6,
) -> Simulation:
    """The motion of a robot from q0 and qd0 under a controller, as rows that are a period apart.

    The controller is one of `symoro.computed_torque`, `pd_gravity`, `pid`, or a function of time, q and qd that gives
    the torques; without one there are no torques. The motors shall follow the trajectory, or stay where they are.
    Without q0 and qd0 the robot begins where the trajectory does. Of a robot with closed loops q0 may have the motors
    alone. A parallel robot begins at the pose T0 of its platform or at positions q0 of its motors that are near the
    home pose, with the velocity V0 = [v; ω] of its platform or qd0 of its motors. Joints that belong to no leg come
    behind the motors; beside T0 and V0, q0 and qd0 are theirs alone. A free base begins at position0 and quat0 with the
    velocity V0, to which that of a platform it carries can be added: 12 numbers.

    With the method rk4 the controller acts once in each period, and its torques are held; a period has `substeps` steps
    of the integration. With a solver of SciPy (DOP853, RK45, Radau …) it acts at every instant, with steps that keep
    rtol and atol. Loops stay closed and quaternions unit. q0 with leading axes is a batch of runs (rk4).

    With rk4, torques of a controller act `delay` periods after it computed them (until then they are 0), and it
    measures q and qd with normal noise of the standard deviations `noise`, two numbers, drawn from `seed`, and in steps
    of `quantum`, two numbers too.

    A controller whose errors have a known frequency warns (`symoro.errors.SamplingWarning`) where its frequency times
    the period is above 0.1.

    `values` are parameters of the simulated robot; those of the controller are its own robot's. `wrench` are the forces
    of links on the environment, constant or a function of times. `stop(t, q, qd)` says in which rows the simulation may
    end; `crossings` of the result finds the times of events between rows. Each `every`-th row is kept, which saves
    memory in a batch. A state above `fastest` means that it diverges: it ends there and keeps the rows so far. Contact
    is left out.

    rk4 and SciPy's solvers take the friction of a joint at rest as 0. With the methods sticking (fixed steps of order
    2) and stick-slip (SciPy's DOP853 between events, to rtol and atol), a joint with Coulomb friction sticks where its
    friction can hold it.
    """
    plant = Plant.of(robot)
    _require_fitting(plant, controller)
    if not isinstance(every, int) or every < 1:
        raise MotionError(f"every = {every!r} is not allowed (allowed: a number of rows from 1 on)")
    t = times(duration, trajectory, period)
    given = {"q": q0, "qd": qd0, "position": position0, "quat": quat0, "V0": V0, "T": T0}
    known = plant_values(plant, values)
    first = plant.first(trajectory, given, known)
    if first.ndim > 1 and callable(controller):
        raise MotionError("simulation.python_batch")
    wanted = reference(plant, trajectory, first) if controller is not None or trajectory is not None else None

    def rows(time: Array) -> Array:
        assert wanted is not None
        return np.concatenate(wanted(time), axis=-1)

    acting = wrenches(plant, wrench, t)
    measured = measuring(plant, t, noise, seed)
    pushed, steps = pushing(plant, wrench, t, acting), quantised(quantum)
    scenario = Scenario(
        plant, controller, rows, t, first, acting, pushed, known, fastest, _periods(delay), measured, steps
    )
    _require_sampling(controller, method, period, bool(delay) or noise is not None or quantum is not None)
    states, tau, why = _integrated(scenario, method, substeps, (rtol, atol), stop, every)
    kept = t[::every][: states.shape[-2]]
    motion = Motion(*wanted(kept)) if wanted is not None else None
    return Simulation(plant, kept, states[..., : plant.size], tau, motion, known, why)


def _integrated(
    scenario: Scenario, method: str, substeps: int, tolerances: tuple[float, float], stop: Stop, every: int
) -> tuple[Array, Array, Finding | None]:
    """Each `every`-th state and its torques, and why the run ended; all but rk4 look for the end when it is over."""
    if method == "rk4":
        return fixed.run(scenario, _whole(substeps), stop, say, every)
    if method == "sticking":
        states, tau, why = sticking.run(scenario, say)
    elif method == "stick-slip":
        states, tau, why = stick_slip.run(scenario, tolerances, say)
    elif method in adaptive.METHODS:
        states, tau, why = adaptive.run(scenario, method, tolerances, say)
    else:
        raise MotionError(f"no method {method!r} (allowed: rk4, sticking, stick-slip, {', '.join(adaptive.METHODS)})")
    end = len(states)
    if stop is not None and why is None:
        end, why = fixed.ended(scenario, states, 0, stop)
    return states[:end:every], tau[:end:every], why


def _require_sampling(controller: Controller | Law | None, method: str, period: float, imperfect: bool) -> None:
    """Delay, noise and steps of a sensor belong to a sampled controller, which is warned of where it is slow."""
    if imperfect and not (isinstance(controller, Controller) and method == "rk4"):
        raise MotionError("simulation.sampled_only")
    if isinstance(controller, Controller) and method in ("rk4", "sticking"):
        controller.warn_if_slow(period)


def _require_fitting(plant: Plant, controller: Controller | Law | None) -> None:
    """An error where a controller is not for a robot of this structure."""
    if not isinstance(controller, Controller):
        if controller is not None and not callable(controller):
            raise MotionError("simulation.controller", value=f"{controller!r:.60}")
        return
    own = {name: shape for name, shape in controller.model.inputs.items() if name in plant.signals}
    sizes = {name: shape for name, shape in plant.signals.items() if name in own or name in ("q", "qd")}
    same = bool(Coordinates.of(controller.robot).followers) == bool(plant.coordinates.followers)
    if own != sizes or controller.motors != plant.motors or not same:
        raise MotionError("simulation.other_robot", other=controller.robot.name, robot=plant.robot.name)


def _periods(delay: int) -> int:
    if not isinstance(delay, int) or not 0 <= delay <= 20:
        raise MotionError(f"delay = {delay!r} is not allowed (allowed: 0 to 20 periods)")
    return delay


def _whole(substeps: int) -> int:
    if not isinstance(substeps, int) or not 1 <= substeps <= 20:
        raise MotionError(f"substeps = {substeps!r} is not allowed (allowed: 1 to 20)")
    return substeps
