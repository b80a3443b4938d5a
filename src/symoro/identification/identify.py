"""`symoro.identify`: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import DataError, OptionError
from symoro.identification.diagnosis.readings import MOST_MOTORS, Sampled, misread
from symoro.identification.estimators.closed_loop import ClosedLoop, begins_elsewhere, wanted_motion
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.instruments import direct_and_inverse, instrumental
from symoro.identification.estimators.output_error import output_error
from symoro.identification.identify_options import as_python, require_options
from symoro.identification.measurements.checks import cause_is_known, positions_are_wrong
from symoro.identification.measurements.measurements import Measurements, Source, measurements
from symoro.identification.measurements.settings import AUTO
from symoro.identification.physical.closed_loop import PHYSICAL
from symoro.identification.physical.consistency import Nonlinear
from symoro.identification.physical.semidefinite import Boxes
from symoro.identification.physical.stribeck import physical_stribeck
from symoro.identification.regression.regression import Regression, laws_of, regression
from symoro.identification.regression.streaming import streamed
from symoro.identification.regression.stribeck import refined
from symoro.identification.result.conclusion import CLOSED_LOOP, Wanted, concluded
from symoro.identification.result.result import Identification
from symoro.identification.subject.described import expected_values
from symoro.identification.subject.platform_subject import PlatformSubject, subject_of
from symoro.identification.subject.standard import without_a_place
from symoro.identification.subject.subject import Subject
from symoro.motion.controller import Controller
from symoro.motion.scenario import Law
from symoro.motion.trajectory import Trajectory
from symoro.robot.robot import Robot


def identify(
    robot: Robot | str | Path,
    data: Measurements | Source,
    *,
    method: str = "wls",
    model: str = "dynamic",
    friction: str | None = None,
    offset: bool | None = None,
    cutoff: float | str | None = AUTO,
    decimation: int | str | None = AUTO,
    delay: float | str | Sequence[float] = 0.0,
    dead_zone: Any = AUTO,
    border: int | None = None,
    essential: str | None = None,
    physical: bool | str = False,
    prior: float | None = None,
    boxes: Boxes | None = None,
    payload: int | str | None = None,
    known: Mapping[str, float] | None = None,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: str = "joint",
    transmission: Any = None,
    guess: ArrayLike | None = None,
    controller: Controller | Law | None = None,
    reference: Trajectory | None = None,
    alike: bool = False,
    stream: bool = False,
    scheduler: str | None = None,
    workers: int = 2,
) -> Identification:
    """The dynamic parameters of a robot from measured positions and torques.

    `data` is what `symoro.measurements` takes, with its options `columns`, `units`, `rate`, `side`, `transmission` and
    `guess`, or its result. `method` is ols, wls (rows weighted by joint), irls (robust), tls (total least squares), or
    one that simulates the robot under its `controller` along the `reference` that it followed: iv (instrumental
    variables), didim and cloe (closed-loop output error). These stay unbiased with noisy positions; torques that are
    held need delay = half a sample. The controller is one of `symoro.pid` …, or a function of time, q and qd; without a
    reference the channel `wanted` of the data is taken.

    `model` is dynamic, filtered or energy. The last two need no accelerations: the filtered model derives what the
    filter of the decimation has smoothed, and the energy model has a row for each interval of `decimation` samples.

    `friction` is a law (viscous-coulomb, asymmetric, root, stribeck …) for all motors, "auto" for the one with the
    least error in cross-validation, or None for what the robot's description has; `offset` adds a constant torque.
    `cutoff` (Hz), `decimation` and `dead_zone` (speeds) follow from the data with "auto"; so does `delay` (s): torques
    may be that much earlier than positions, all of them or each motor's by its own; `r.delays` estimates each.

    `essential` takes out parameters that matter little: "sigma", "bic" or "aic". `prior` is the relative deviation of
    the description's inertial parameters, as a Bayesian prior. `payload` is a link: the robot is known, and what it
    carries is identified. `known` are parameters with their values.

    `physical` gives standard parameters of bodies that can exist: the optimum of a semidefinite program, or where
    parameters act nonlinearly (didim, cloe, the speeds of Stribeck's curve) the least squares over log-Cholesky
    coordinates, so that every step is a robot that can exist; "semidefinite" and "log-cholesky" choose one of them.
    `boxes` are corners of links.

    Of a parallel robot the positions of the motors are measured, or the pose of the platform (channel `pose`: x, y, z
    and a quaternion); with `alike` its legs share their parameters.

    With `stream`, files (.npy, .parquet) are read in pieces and memory does not grow with samples; the pieces are done
    by `workers` threads, or by Dask: `scheduler` is "local" or the address of one.
    """
    require_options(
        method=method, model=model, friction=friction, offset=offset, cutoff=cutoff, decimation=decimation, delay=delay,
        dead_zone=dead_zone, border=border, essential=essential, physical=physical, prior=prior, boxes=boxes,
        payload=payload, known=known, controller=controller, reference=reference, alike=alike, stream=stream,
        scheduler=scheduler, workers=workers,
    )  # fmt: skip
    laws = laws_of(friction, offset)
    subject = subject_of(robot, described_friction=laws is None, offset=offset, alike=alike)
    if isinstance(subject, PlatformSubject):
        _require_plain(method, model, {
            "physical": physical, "prior": prior, "payload": payload, "stream": stream, "scheduler": scheduler,
        })  # fmt: skip
    part = None if prior is None else float(prior)
    wanted = Wanted(method, essential, physical, part, boxes, _link(subject, payload), known)
    reading = {"columns": columns, "units": units, "rate": rate, "side": side, "transmission": transmission}
    reading |= {} if guess is None else {"guess": guess}
    options = {
        "cutoff": cutoff, "decimation": decimation, "delay": delay, "dead_zone": dead_zone, "border": border,
        "model": model,
    }  # fmt: skip
    options = {name: as_python(x) for name, x in options.items()}
    if stream or scheduler is not None:
        return concluded(streamed(_files(data), subject, laws, options, reading, scheduler, workers), wanted)
    measured = measured_for(subject, data, reading)
    given = _judged(regression(measured, subject, laws, options), measured, wanted)
    if method in CLOSED_LOOP:
        return concluded(given, wanted, *_simulated(given, measured, wanted, controller, reference))
    given = refined(given)
    return concluded(given, wanted, nonlinear=physical_stribeck(given) if physical else None)


def _judged(given: Regression, data: Measurements, wanted: Wanted) -> Regression:
    """The regression with a warning where the data would be explained far better if they were read in another way."""
    return replace(given, warnings=(*given.warnings, *_misread(given, data, wanted)))


def _misread(given: Regression, data: Measurements, wanted: Wanted) -> Iterable[str]:
    subject, known = given.subject, cause_is_known(data.warnings)
    if known or isinstance(subject, PlatformSubject) or wanted.payload is not None or len(subject.motors) > MOST_MOTORS:
        return ()
    rate = None if subject.has_free_base or positions_are_wrong(data.warnings) else given.rate
    sampled = Sampled.of(given.terms, given.runs, given.how, given.triangles.names, expected_values(subject))
    return misread(sampled, rate)


def _simulated(
    given: Regression, data: Measurements, asked: Wanted, controller: Any, reference: Any
) -> tuple[Estimate, Nonlinear | None]:
    """The estimate of a method that simulates the closed loop, and how it is made physical where that is nonlinear."""
    run, method = data.runs[0], asked.method
    wanted = wanted_motion(given.subject, run) if reference is None and "wanted" in run else reference
    if not (isinstance(controller, Controller) or callable(controller)) or not isinstance(wanted, Trajectory):
        followed = "the reference that it followed: a trajectory, or the channel wanted"
        raise OptionError(f"method={method!r} needs a controller and {followed}")
    if len(data.runs) != 1 or len(given.laws) or given.subject.robot.cuts or given.subject.has_free_base:
        raise OptionError(f"method={method!r} is for one run of a tree on a fixed base, with one law of friction")
    if given.how.model != "dynamic":
        raise OptionError(f"method={method!r} needs model='dynamic'")
    if lost := without_a_place(name for name in given.terms.names if name not in given.subject.inertial):
        raise OptionError(f"method={method!r} simulates the robot, whose drives have no place for {', '.join(lost)}")
    _require_torques(controller, wanted, len(given.subject.motors))
    loop = ClosedLoop(given.subject, controller, wanted, run.period, run.count)
    found = _SIMULATING[method](given.terms, run, given.how, loop)
    found = replace(found, notes=(*found.notes, *begins_elsewhere(loop, run)))
    if not asked.physical or method not in PHYSICAL:
        return found, None
    return found, PHYSICAL[method](given.terms, run, given.how, loop, found)


def _require_torques(controller: Any, wanted: Trajectory, motors: int) -> None:
    """An error where a controller of Python does not give a torque for each motor."""
    if isinstance(controller, Controller):
        return
    q, qd, _ = wanted(0.0)
    try:
        found = np.asarray(controller(0.0, q, qd), dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"controller: this is not a function of time, q and qd that gives torques ({error})"
        ) from None
    if found.shape != (motors,) or not np.isfinite(found).all():
        raise OptionError(f"controller gives {found!r:.60} (allowed: a torque for each of {motors} motors)")


_SIMULATING = {"iv": instrumental, "didim": direct_and_inverse, "cloe": output_error}


def _files(data: Any) -> list[str | Path]:
    """The files of a stream."""
    files = [data] if isinstance(data, str | Path) else list(data) if isinstance(data, list | tuple) else []
    if not files or not all(isinstance(file, str | Path) for file in files):
        raise OptionError("stream needs a file or several files (allowed: .npy, .parquet)")
    return files


def measured_for(subject: Subject, data: Measurements | Source, reading: Mapping[str, Any]) -> Measurements:
    """Measurements of a subject: read, or those that were read before for the same robot."""
    if not isinstance(data, Measurements):
        return measurements(subject, data, **reading)
    given = [name for name, x in reading.items() if x is not None and not (name == "side" and x == "joint")]
    if given:
        raise OptionError(f"{given[0]} is an option of symoro.measurements: the data has been read already")
    if data.subject.given != subject.given:
        raise DataError(f"the measurements are those of {data.subject.given.name}, not of {subject.given.name}")
    return replace(data, subject=subject)


def _require_plain(method: str, model: str, options: Mapping[str, Any]) -> None:
    """An error for what does not exist for parallel robots."""
    if method in CLOSED_LOOP or model != "dynamic":
        raise OptionError("parallel robots have the methods ols, wls, irls and tls, and the model dynamic")
    if given := [name for name, x in options.items() if x not in (None, False)]:
        raise OptionError(f"{given[0]} is not for parallel robots")


def _link(subject: Subject, payload: int | str | None) -> int | None:
    if payload is None:
        return None
    link = subject.given.frame_ref(payload)
    if not isinstance(link, int) or not 1 <= link <= subject.given.link_count:
        raise OptionError(f"payload = {payload!r} is not a link (allowed: 1 to {subject.given.link_count})")
    return link
