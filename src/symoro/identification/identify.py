"""`symoro.identify`: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import NumberOrRow
from symoro.identification.estimate.estimate import RULES
from symoro.identification.estimate.regression import columns_and_processing, laws_of, regression_of
from symoro.identification.estimate.task import BY_ROWS, BY_TRIANGLES, METHODS, SIMULATING, WAYS, FitRequest, fitted
from symoro.identification.one_thread import one_thread
from symoro.identification.process.measurements import READING, Measurements, Source, measured
from symoro.identification.process.processing import MODELS
from symoro.identification.read.array_file import ENDINGS
from symoro.identification.regress.rows import DataPieces, InMemory, of_files
from symoro.identification.regress.terms import LAWS
from symoro.identification.report.result import Identification, concluded
from symoro.identification.subject.subject import Subject
from symoro.motion.trajectory import Trajectory
from symoro.options import (
    AUTO,
    FLAG,
    NONE,
    Choice,
    Kind,
    Option,
    RealNumber,
    Reference,
    Schema,
    Text,
    Value,
    Whole,
    is_number,
)
from symoro.robot.robot import Robot

# The options of `symoro.identify`: one row for each, in the group of the step that reads it.
#
# READING are arguments of `measured`, PROCESSING those of `processing`, FIT the fields of `FitRequest`. The function
# `identify` reads the others itself.


class NumbersByName(Kind):
    """A dictionary of numbers by name; NAME=NUMBER on the command line, which may be repeated."""

    annotation = "Mapping[str, float]"
    repeated = True

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, Mapping) and all(isinstance(k, str) and is_number(x) for k, x in value.items())

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("estimates.by_name")]

    def read(self, text: Any) -> Any:
        words = [one.partition("=") for one in text]
        try:
            return {name.strip(): float(number) for name, _, number in words}
        except ValueError:
            return text


def _are_boxes(x: Any) -> bool:
    return isinstance(x, Mapping) and all(Whole().accepts(link) and _are_corners(box) for link, box in x.items())


def _are_corners(box: Any) -> bool:
    try:
        corners = np.asarray(box, dtype=float)
    except (TypeError, ValueError):
        return False
    return corners.shape == (2, 3) and bool(np.isfinite(corners).all())


def _is_controller(x: Any) -> bool:
    from symoro.motion.controller import Controller

    return isinstance(x, Controller) or callable(x)


PROCESSING = (
    Option(
        "model", Choice(MODELS), "dynamic",
        "dynamic; filtered or energy need no accelerations.",
        "dynamic ; filtered ou energy n'ont pas besoin d'accélérations.",
        metavar="NAME",
    ),
    Option(
        "cutoff", RealNumber("Hz", more_than=0) | AUTO | NONE, "auto",
        "Of the filter of positions.",
        "Du filtre des positions.",
        metavar="HZ",
    ),
    Option(
        "decimation", Whole(1) | AUTO | NONE, "auto",
        "How many samples become one.",
        "Combien d'échantillons en deviennent un.",
        metavar="N",
    ),
    Option(
        "delay", NumberOrRow("motor", "s") | AUTO, 0.0,
        "Of torques, or auto.",
        "Des couples, ou auto.",
        metavar="SECONDS",
    ),
    Option(
        "dead_zone", NumberOrRow("joint") | AUTO | NONE, "auto",
        "Speeds below which rows are left out: one, or by joint.",
        "Vitesses au-dessous desquelles les lignes sont omises : une, ou par articulation.",
        metavar="V1,V2,…",
    ),
    Option(
        "border", Whole(0) | NONE, None,
        "Samples that are left out at each end of a run.",
        "Échantillons omis à chaque bout d'un essai.",
        metavar="N",
    ),
)  # fmt: skip
FIT = (
    Option(
        "method", Choice(METHODS), "wls",
        f"{', '.join((*BY_TRIANGLES, *BY_ROWS))}; {', '.join(SIMULATING)} simulate the robot.",
        f"{', '.join((*BY_TRIANGLES, *BY_ROWS))} ; {', '.join(SIMULATING)} simulent le robot.",
        metavar="NAME", short="-m",
    ),
    Option(
        "essential", Choice(RULES) | NONE, None,
        "Fewer parameters: sigma, bic or aic.",
        "Moins de paramètres : sigma, bic ou aic.",
        metavar="RULE",
    ),
    Option(
        "physical", FLAG | Choice(WAYS), False,
        "Standard parameters of bodies that can exist.",
        "Paramètres standard de corps qui peuvent exister.",
    ),
    Option(
        "prior", RealNumber(more_than=0) | NONE, None,
        "The description's values are known with this relative deviation.",
        "Les valeurs de la description sont connues avec cet écart relatif.",
        metavar="PART",
    ),
    Option(
        "boxes",
        Value("Mapping[int, Sequence[Sequence[float]]]", _are_boxes, Finding("estimates.corners")) | NONE, None,
        "Corners of links, in which their masses are.",
        "Coins de corps, entre lesquels sont leurs masses.",
        flag=False,
    ),
    Option(
        "payload", Reference(Finding("estimates.link")) | NONE, None,
        "Identify what a link of a known robot carries.",
        "Identifier ce que porte un corps d'un robot connu.",
        metavar="LINK",
    ),
    Option(
        "known", NumbersByName() | NONE, None,
        "A parameter that is known; may be repeated.",
        "Un paramètre connu ; peut être répété.",
        metavar="NAME=NUMBER",
    ),
)  # fmt: skip
IDENTIFY = Schema(
    "identify",
    (
        *FIT,
        Option(
            "friction", Choice(("auto", *LAWS)) | NONE, None,
            "A law, or auto; else as the robot describes it.",
            "Une loi, ou auto ; sinon comme le robot la décrit.",
            metavar="LAW",
        ),
        Option(
            "offset", FLAG | NONE, None,
            "Add a constant torque to each motor.",
            "Ajouter un couple constant à chaque moteur.",
        ),
        *PROCESSING,
        *READING,
        Option(
            "controller", Value("Controller | Law", _is_controller, Finding("estimates.controller")) | NONE, None,
            "The controller of the robot, for methods that simulate it.",
            "La commande du robot, pour les méthodes qui le simulent.",
            flag=False,
        ),
        Option(
            "reference",
            Value("Trajectory", lambda x: isinstance(x, Trajectory), Finding("estimates.trajectory")) | NONE, None,
            "The motion that it followed.",
            "Le mouvement qu'elle suivait.",
            flag=False,
        ),
        Option(
            "alike", FLAG, False,
            "The legs of a parallel robot share their parameters.",
            "Les jambes d'un robot parallèle partagent leurs paramètres.",
        ),
        Option(
            "stream", FLAG, False,
            "Read .npy and .parquet files in pieces.",
            "Lire les fichiers .npy et .parquet par morceaux.",
        ),
        Option(
            "scheduler", Text(Finding("estimates.scheduler")) | NONE, None,
            "Pieces by Dask: local, or an address.",
            "Les morceaux par Dask : local, ou une adresse.",
            metavar="ADDRESS",
        ),
        Option(
            "workers", Whole(1), 2,
            "How many pieces are read at a time.",
            "Combien de morceaux sont lus à la fois.",
            metavar="N",
        ),
    ),
)  # fmt: skip


def values_of(group: Sequence[Option], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a group with their values."""
    return {option.name: options[option.name] for option in group}


# `symoro.identify`: parameters of a robot from measurements.


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
    subject = Subject.of(robot, described_friction=laws is None, offset=options["offset"], alike=options["alike"])
    request = _request(subject, options)
    pieces = _read(subject, data, options)
    terms, how = columns_and_processing(pieces.sample, laws, values_of(PROCESSING, options))
    regression = regression_of(pieces, terms, how, laws)
    fit = fitted(regression, request, options["controller"], options["reference"])
    return concluded(fit)


_NEED_INERTIAL_COLUMNS = ("physical", "prior", "payload", "stream", "scheduler")
"""Options that need columns of links and rotors without friction: legs with the friction of a description have none."""


def _request(subject: Subject, options: Mapping[str, Any]) -> FitRequest:
    """What is asked of the fit; an error for what the structure of the robot does not have."""
    request = FitRequest(**{**values_of(FIT, options), "payload": _link(subject, options["payload"])})
    if subject.regroups_friction:
        if request.simulates or options["model"] != "dynamic":
            raise OptionError("estimates.methods_of_legs", methods=[*BY_TRIANGLES, *BY_ROWS])
        for name in _NEED_INERTIAL_COLUMNS:
            if options[name] not in (None, False):
                raise OptionError("estimates.not_for_legs", option=Argument(name))
    if subject.coordinates.followers and options["model"] == "filtered":
        raise OptionError("estimates.filtered_of_legs", option=Argument("model"))
    return request


def _link(subject: Subject, payload: int | str | None) -> int | None:
    """The number of the link that carries a payload."""
    if payload is None:
        return None
    link, links = subject.description.frame_ref(payload), subject.description.link_count
    if not isinstance(link, int) or not 1 <= link <= links:
        raise OptionError("estimates.not_a_link", option=Argument("payload"), value=payload, links=links)
    return link


def _read(subject: Subject, data: Measurements | Source, options: Mapping[str, Any]) -> DataPieces:
    """The pieces of the data: files that are read in pieces, or runs in memory."""
    reading = values_of(READING, options)
    if options["stream"] or options["scheduler"] is not None:
        if options["model"] == "energy":
            raise OptionError("estimates.energy_of_stream")
        return of_files(_files(data), subject, reading, options["scheduler"], options["workers"])
    if not isinstance(data, Measurements):
        return InMemory(measured(subject, data, **reading))
    if ignored := [option for option in READING if reading[option.name] != option.default]:
        raise OptionError("estimates.option_of_measurements", option=ignored[0].argument)
    other, robot = data.subject.description, subject.description
    if other != robot:
        raise DataError("measurements.of_other_robot", other=other.name, robot=robot.name)
    # `symoro.measurements` does not know which columns of friction are asked for here
    return InMemory(replace(data, subject=subject))


def _files(data: Any) -> list[str | Path]:
    """The files of a stream."""
    files = [data] if isinstance(data, str | Path) else list(data) if isinstance(data, list | tuple) else []
    if not files or not all(isinstance(file, str | Path) for file in files):
        raise OptionError("estimates.stream_of_files", allowed=ENDINGS)
    return files
