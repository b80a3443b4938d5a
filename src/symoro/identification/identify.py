"""`symoro.identify`: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from symoro.errors import DataError, OptionError
from symoro.identification.diagnosis.readings import MOST_MOTORS, Sampled, misread
from symoro.identification.identify_options import Options
from symoro.identification.measurements.checks import cause_is_known, positions_are_wrong
from symoro.identification.measurements.measurements import Measurements, Source, measurements
from symoro.identification.measurements.settings import AUTO
from symoro.identification.physical.closed_loop import physical_closed_loop
from symoro.identification.physical.semidefinite import Boxes
from symoro.identification.physical.stribeck import physical_stribeck
from symoro.identification.regression.closed_loop import closed_loop_of, simulated
from symoro.identification.regression.regression import Regression, laws_of, regression
from symoro.identification.regression.streaming import streamed
from symoro.identification.regression.stribeck import refined
from symoro.identification.result.conclusion import concluded
from symoro.identification.result.result import Identification
from symoro.identification.result.wanted import Wanted
from symoro.identification.subject.described import expected_values
from symoro.identification.subject.platform_subject import PlatformSubject, subject_of
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
    return _identified(robot, data, Options(
        method=method, model=model, friction=friction, offset=offset, cutoff=cutoff, decimation=decimation, delay=delay,
        dead_zone=dead_zone, border=border, essential=essential, physical=physical, prior=prior, boxes=boxes,
        payload=payload, known=known, columns=columns, units=units, rate=rate, side=side, transmission=transmission,
        guess=guess, controller=controller, reference=reference, alike=alike, stream=stream, scheduler=scheduler,
        workers=workers,
    ))  # fmt: skip


def _identified(robot: Robot | str | Path, data: Measurements | Source, options: Options) -> Identification:
    """The steps: the robot, the measurements, their regression, the estimate, and what can be concluded from it."""
    laws = laws_of(options.friction, options.offset)
    subject = subject_of(robot, described_friction=laws is None, offset=options.offset, alike=options.alike)
    wanted = options.wanted_of(subject)
    if options.in_pieces:
        how = options.processing, options.reading, options.scheduler, options.workers
        return concluded(streamed(_files(data), subject, laws, *how), wanted)
    measured = _measured(subject, data, options.reading)
    given = regression(measured, subject, laws, options.processing)
    given = replace(given, warnings=(*given.warnings, *_misread(given, measured, wanted)))
    if wanted.simulates:
        loop = closed_loop_of(given, measured, wanted.method, options.controller, options.reference)
        found = simulated(given, wanted.method, loop)
        physical = physical_closed_loop(given, wanted.method, loop, found) if wanted.physical else None
        return concluded(given, wanted, found, physical)
    given = refined(given)
    return concluded(given, wanted, nonlinear=physical_stribeck(given) if wanted.physical else None)


def _files(data: Any) -> list[str | Path]:
    """The files of a stream."""
    files = [data] if isinstance(data, str | Path) else list(data) if isinstance(data, list | tuple) else []
    if not files or not all(isinstance(file, str | Path) for file in files):
        raise OptionError("stream needs a file or several files (allowed: .npy, .parquet)")
    return files


def _measured(subject: Subject, data: Measurements | Source, reading: Mapping[str, Any]) -> Measurements:
    """Measurements of a subject: read, or those that were read before for the same robot."""
    if not isinstance(data, Measurements):
        return measurements(subject, data, **reading)
    given = [name for name, x in reading.items() if x is not None and not (name == "side" and x == "joint")]
    if given:
        raise OptionError(f"{given[0]} is an option of symoro.measurements: the data has been read already")
    if data.subject.given != subject.given:
        raise DataError(f"the measurements are those of {data.subject.given.name}, not of {subject.given.name}")
    return replace(data, subject=subject)


def _misread(given: Regression, data: Measurements, wanted: Wanted) -> Iterable[str]:
    """A warning where another way to read the data would explain it far better; none where the cause is known."""
    subject, known = given.subject, cause_is_known((*data.warnings, *given.how.notes))
    if known or isinstance(subject, PlatformSubject) or wanted.payload is not None or len(subject.motors) > MOST_MOTORS:
        return ()
    rate = None if subject.has_free_base or positions_are_wrong(data.warnings) else given.rate
    sampled = Sampled.of(given.terms, given.runs, given.how, given.triangles.names, expected_values(subject))
    return misread(sampled, rate)
