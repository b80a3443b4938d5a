"""`symoro.identify`: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symoro.errors import DataError, OptionError
from symoro.findings import Argument, Finding
from symoro.identification.estimate.regression import laws_of, processed, reduced
from symoro.identification.estimate.task import FitRequest, fitted
from symoro.identification.one_thread import one_thread
from symoro.identification.options import FIT, IDENTIFY, PROCESSING, chosen
from symoro.identification.process.measurements import READING, Measurements, Source, measured
from symoro.identification.read.array_file import ENDINGS
from symoro.identification.regress.pieces import DataPieces, InMemory, of_files
from symoro.identification.report.conclusion import concluded
from symoro.identification.report.result import Identification
from symoro.identification.subject.subject import Subject
from symoro.models.results import say
from symoro.robot.robot import Robot


@IDENTIFY.function
@one_thread()
def identify(robot: Robot | str | Path, data: Measurements | Source, **options: Any) -> Identification:
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
    laws = laws_of(options["friction"], options["offset"])
    subject = Subject.of(robot, laws is None, options["offset"], options["alike"])
    request = _request(subject, options)
    say(Finding("progress.reading"))
    pieces = _read(subject, data, options)
    say(Finding("progress.processing"))
    terms, how = processed(pieces.sample, laws, chosen(PROCESSING, options))
    say(Finding("progress.rows"))
    regression = reduced(pieces, terms, how, laws)
    say(Finding("progress.fitting", method=request.method))
    fit = fitted(regression, request, options["controller"], options["reference"])
    say(Finding("progress.concluding"))
    return concluded(fit)


_WITHOUT_FRICTION = ("physical", "prior", "payload", "stream", "scheduler")
"""Options that need columns of links and rotors without those of friction."""


def _request(subject: Subject, options: Mapping[str, Any]) -> FitRequest:
    """What is asked of the fit; an error for what the structure of the robot does not have."""
    request = FitRequest(**{**chosen(FIT, options), "payload": _link(subject, options["payload"])})
    if subject.regroups_friction:
        if request.simulates or options["model"] != "dynamic":
            raise OptionError("estimates.methods_of_legs")
        for name in _WITHOUT_FRICTION:
            if options[name] not in (None, False):
                raise OptionError("estimates.not_for_legs", option=Argument(name))
    if subject.coordinates.followers and options["model"] == "filtered":
        raise OptionError("estimates.filtered_of_legs", option=Argument("model"))
    return request


def _link(subject: Subject, payload: int | str | None) -> int | None:
    if payload is None:
        return None
    link, links = subject.description.frame_ref(payload), subject.description.link_count
    if not isinstance(link, int) or not 1 <= link <= links:
        raise OptionError("estimates.not_a_link", option=Argument("payload"), value=payload, links=links)
    return link


def _read(subject: Subject, data: Measurements | Source, options: Mapping[str, Any]) -> DataPieces:
    """The pieces of the data: files that are read in pieces, or runs in memory."""
    reading = chosen(READING, options)
    if options["stream"] or options["scheduler"] is not None:
        if options["model"] == "energy":
            raise OptionError("estimates.energy_of_stream")
        return of_files(_files(data), subject, reading, options["scheduler"], options["workers"])
    if not isinstance(data, Measurements):
        return InMemory(measured(subject, data, **reading))
    if late := [option for option in READING if reading[option.name] != option.default]:
        raise OptionError("estimates.option_of_measurements", option=late[0].argument)
    other, robot = data.subject.description, subject.description
    if other != robot:
        raise DataError("measurements.of_other_robot", other=other.name, robot=robot.name)
    return InMemory(replace(data, subject=subject))


def _files(data: Any) -> list[str | Path]:
    """The files of a stream."""
    files = [data] if isinstance(data, str | Path) else list(data) if isinstance(data, list | tuple) else []
    if not files or not all(isinstance(file, str | Path) for file in files):
        raise OptionError("estimates.stream_of_files", allowed=ENDINGS)
    return files
