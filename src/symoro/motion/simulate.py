"""`symoro.simulate`: the motion of a robot under a controller that follows a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.coordinates import Coordinates
from symoro.errors import MissingParameter, MotionError
from symoro.findings import Finding
from symoro.models.results import say
from symoro.motion import adaptive, fixed, stick_slip, sticking
from symoro.motion.controller import Controller
from symoro.motion.equations import LAW
from symoro.motion.fixed import Stop
from symoro.motion.options import PERIOD, REALS, TIME, VALUES, RealArray
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
from symoro.options import NONE, Choice, Option, RealNumber, Schema, Value, Whole
from symoro.robot.robot import Robot


class Pair(RealArray):
    """A number for positions and one for velocities, from 0 on."""

    def accepts(self, value: Any, about: Any = None) -> bool:
        sizes = np.asarray(value, dtype=float) if super().accepts(value) else np.zeros(0)
        return sizes.shape == (2,) and bool((sizes >= 0).all() and np.isfinite(sizes).all())


WRENCH = Value("Wrench", lambda value: callable(value) or REALS.accepts(value), Finding("simulation.wrenches"))


def _tolerance(name: str, en: str, fr: str) -> Option:
    text = f"{en} tolerance of a solver of SciPy.", f"Tolérance {fr} d'un solveur de SciPy."
    return Option(name, RealNumber(more_than=0), 1e-10, *text)


def _start(name: str, en: str, fr: str) -> Option:
    return Option(name, REALS | NONE, None, f"{en} at the start.", f"{fr} au départ.", flag=False)


SIMULATE = Schema(
    "simulate",
    (
        Option("duration", TIME | NONE, None, "That of the trajectory if not given.", "Sinon celle de la trajectoire."),
        _start("q0", "Positions of joints", "Positions des articulations"),
        _start("qd0", "Velocities of joints", "Vitesses des articulations"),
        _start("position0", "Position of a free base", "Position d'une base libre"),
        _start("quat0", "Orientation of a free base", "Orientation d'une base libre"),
        _start("V0", "Velocity [v; ω] of a free body", "Vitesse [v; ω] d'un corps libre"),
        _start("T0", "Pose of the platform", "Situation de la plateforme"),
        PERIOD,
        Option(
            "method",
            Choice(("rk4", "sticking", "stick-slip", *adaptive.METHODS)),
            "rk4",
            "rk4, a method with friction that sticks, or a solver of SciPy.",
            "rk4, une méthode avec frottement qui colle, ou un solveur de SciPy.",
        ),
        Option("substeps", Whole(1, 20), 1, "Steps of rk4 in a period.", "Pas de rk4 dans une période."),
        _tolerance("rtol", "Relative", "relative"),
        _tolerance("atol", "Absolute", "absolue"),
        VALUES,
        Option("wrench", WRENCH | NONE, None, "Forces of links on the environment.", "Efforts sur l'environnement."),
        Option("delay", Whole(0, 20), 0, "Periods until torques act.", "Périodes avant que les couples agissent."),
        Option(
            "noise",
            Pair(Finding("simulation.deviations")) | NONE,
            None,
            "Standard deviations of measured positions and velocities.",
            "Écarts types des positions et vitesses mesurées.",
        ),
        Option(
            "quantum",
            Pair(Finding("simulation.steps")) | NONE,
            None,
            "Steps in which positions and velocities are measured.",
            "Pas de mesure des positions et des vitesses.",
        ),
        Option("seed", Whole(), 0, "Number from which noise is drawn.", "Nombre dont le bruit est tiré."),
        Option(
            "stop",
            Value("Stop", callable, Finding("simulation.stop_of_rows")) | NONE,
            None,
            "Says in which rows the run may end.",
            "Dit à quelles lignes la simulation peut finir.",
            flag=False,
        ),
        Option("every", Whole(1), 1, "One row of so many is kept.", "Une ligne sur tant est gardée."),
        Option(
            "fastest",
            RealNumber(more_than=0, infinite=True),
            1e6,
            "A state above it means that the simulation diverges.",
            "Un état plus grand veut dire que la simulation diverge.",
        ),
    ),
    MotionError,
)


@SIMULATE.function
def simulate(
    robot: Robot | str | Path,
    controller: Controller | Law | None = None,
    trajectory: Trajectory | None = None,
    *,
    duration: float | None,
    period: float,
    method: str,
    substeps: int,
    rtol: float,
    atol: float,
    values: Mapping[str, float] | None,
    wrench: Wrench,
    delay: int,
    noise: ArrayLike | None,
    quantum: ArrayLike | None,
    seed: int,
    stop: Stop,
    every: int,
    fastest: float,
    **start: ArrayLike | None,
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
    t = times(duration, trajectory, period)
    begin = {name if name == "V0" else name.removesuffix("0"): x for name, x in start.items()}
    known = plant_values(plant, values)
    first = plant.first(trajectory, begin, known)
    if first.ndim > 1 and callable(controller):
        raise MotionError("simulation.python_batch")
    wanted = reference(plant, trajectory, first) if controller is not None or trajectory is not None else None

    def rows(time: Array) -> Array:
        assert wanted is not None
        return np.concatenate(wanted(time), axis=-1)

    acting = wrenches(plant, wrench, t)
    measured = measuring(plant, t, noise, seed)
    pushed, steps = pushing(plant, wrench, t, acting), quantised(quantum)
    scenario = Scenario(plant, controller, rows, t, first, acting, pushed, known, fastest, delay, measured, steps)
    _require_sampling(controller, method, period, bool(delay) or noise is not None or quantum is not None)
    try:
        states, tau, why = _integrated(scenario, method, substeps, (rtol, atol), stop, every)
    except MissingParameter as error:
        raise _of_robot_or_controller(plant, known, error) from None
    kept = t[::every][: states.shape[-2]]
    motion = Motion(*wanted(kept)) if wanted is not None else None
    return Simulation(plant, kept, states[..., : plant.size], tau, motion, known, why)


def _of_robot_or_controller(plant: Plant, known: Mapping[str, float], error: MissingParameter) -> MissingParameter:
    """The parameters without a value under the names of their robot: first those of the simulated one."""
    numbers = {**plant.robot.values.numbers(), **known}
    if of_robot := [name for name in error.names if name in plant.parameter_names and name not in numbers]:
        return MissingParameter(of_robot)
    names = [name.removesuffix(LAW) for name in error.names]
    return MissingParameter(names, Finding("simulation.values_of_controller"))


def _integrated(
    scenario: Scenario, method: str, substeps: int, tolerances: tuple[float, float], stop: Stop, every: int
) -> tuple[Array, Array, Finding | None]:
    """Each `every`-th state and its torques, and why the run ended; all but rk4 look for the end when it is over."""
    if method == "rk4":
        return fixed.run(scenario, substeps, stop, say, every)
    if method == "sticking":
        states, tau, why = sticking.run(scenario, say)
    elif method == "stick-slip":
        states, tau, why = stick_slip.run(scenario, tolerances, say)
    else:
        states, tau, why = adaptive.run(scenario, method, tolerances, say)
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
    signals = {name: shape for name, shape in controller.model.inputs.items() if name in plant.signals}
    sizes = {name: shape for name, shape in plant.signals.items() if name in signals or name in ("q", "qd")}
    same = bool(Coordinates.of(controller.robot).followers) == bool(plant.coordinates.followers)
    if signals != sizes or controller.motors != plant.motors or not same:
        raise MotionError("simulation.other_robot", other=controller.robot.name, robot=plant.robot.name)
