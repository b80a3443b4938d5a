"""`symoro.identify`: parameters of a robot from measurements, and its options: what each may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import DataError, OptionError
from symoro.identification.arrays import (
    Allowed,
    are_numbers,
    either,
    is_flag,
    is_number,
    is_positive,
    is_text,
    is_whole,
    one_of,
    optional,
    require,
)
from symoro.identification.estimate.essential import RULES
from symoro.identification.estimate.methods import METHODS, SIMULATING, closed_loop_of, simulated
from symoro.identification.estimate.physical import WAYS, Boxes, physical_closed_loop, physical_stribeck
from symoro.identification.estimate.regression import Regression, laws_of, refined, regression
from symoro.identification.estimate.streaming import streamed
from symoro.identification.process.checks import cause_is_known, positions_are_wrong
from symoro.identification.process.measurements import Measurements, Source, measurements
from symoro.identification.process.processing import MODELS
from symoro.identification.process.settings import AUTO
from symoro.identification.regress.friction import LAWS
from symoro.identification.report.conclusion import Wanted, concluded
from symoro.identification.report.readings import MOST_MOTORS, Sampled, misread
from symoro.identification.report.result import Identification
from symoro.identification.subject.subject import Subject, expected_values
from symoro.motion.controller import Controller
from symoro.motion.scenario import Law
from symoro.motion.trajectory import Trajectory
from symoro.robot.robot import Robot

# The options of `symoro.identify`: what each may be, and which belong together.


def _is_link(x: Any) -> bool:
    return is_text(x) or is_whole(0)(x)


def _are_boxes(x: Any) -> bool:
    return isinstance(x, Mapping) and all(is_whole(0)(link) and _are_corners(box) for link, box in x.items())


def _are_corners(box: Any) -> bool:
    try:
        corners = np.asarray(box, dtype=float)
    except (TypeError, ValueError):
        return False
    return corners.shape == (2, 3) and bool(np.isfinite(corners).all())


def _are_values(x: Any) -> bool:
    return isinstance(x, Mapping) and all(is_text(name) and is_number(value) for name, value in x.items())


_FLAG = "True, False"
_ALLOWED: Allowed = {
    "method": (one_of(*METHODS), ", ".join(METHODS)),
    "model": (one_of(*MODELS), ", ".join(MODELS)),
    "friction": (optional(one_of(AUTO, *LAWS)), f"None, auto, {', '.join(LAWS)}"),
    "offset": (optional(is_flag), f"None, {_FLAG}"),
    "cutoff": (optional(one_of(AUTO), is_positive), "auto, None, a frequency in Hz, more than 0"),
    "decimation": (optional(one_of(AUTO), is_whole(1)), "auto, None, a whole number from 1 on"),
    "delay": (either(one_of(AUTO), are_numbers), "auto, seconds, or seconds for each motor"),
    "dead_zone": (optional(one_of(AUTO), are_numbers), "auto, None, one speed, or one for each joint"),
    "border": (optional(is_whole(0)), "None, samples, from 0 on"),
    "essential": (optional(one_of(*RULES)), f"None, {', '.join(RULES)}"),
    "physical": (either(is_flag, one_of(*WAYS)), f"{_FLAG}, {', '.join(WAYS)}"),
    "prior": (optional(is_positive), "None, σ as a part of each value, more than 0"),
    "boxes": (optional(_are_boxes), "None, {link: [[x, y, z], [x, y, z]]}, two corners of each link"),
    "payload": (optional(_is_link), "None, the number or the name of a link"),
    "known": (optional(_are_values), "None, {name: number}"),
    "controller": (
        optional(callable, lambda x: isinstance(x, Controller)),
        "None, a controller such as symoro.pid(…), or a function of time, q and qd",
    ),
    "reference": (optional(lambda x: isinstance(x, Trajectory)), "None, a trajectory"),
    "alike": (is_flag, _FLAG),
    "stream": (is_flag, _FLAG),
    "scheduler": (optional(is_text), "None, local, the address of a scheduler"),
    "workers": (is_whole(1), "1 and more"),
}


_OF_PROCESSING = ("cutoff", "decimation", "delay", "dead_zone", "border", "model")
_OF_READING = ("columns", "units", "rate", "side", "transmission", "guess")
_WITHOUT_FRICTION = ("physical", "prior", "payload", "stream", "scheduler")


@dataclass(frozen=True)
class Options:
    """All options of `symoro.identify`; an error for the first one that is not allowed.

    Those of reading are looked at where data is read.
    """

    method: str
    model: str
    friction: str | None
    offset: bool | None
    cutoff: float | str | None
    decimation: int | str | None
    delay: float | str | Sequence[float]
    dead_zone: Any
    border: int | None
    essential: str | None
    physical: bool | str
    prior: float | None
    boxes: Boxes | None
    payload: int | str | None
    known: Mapping[str, float] | None
    columns: Mapping[str, Any] | None
    units: Mapping[str, Any] | None
    rate: float | None
    side: str
    transmission: Any
    guess: ArrayLike | None
    controller: Controller | Law | None
    reference: Trajectory | None
    alike: bool
    stream: bool
    scheduler: str | None
    workers: int

    def __post_init__(self) -> None:
        require(self._some(_ALLOWED), _ALLOWED, OptionError)

    def _some(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}

    @property
    def in_pieces(self) -> bool:
        """Whether files are read in pieces."""
        return self.stream or self.scheduler is not None

    @property
    def reading(self) -> dict[str, Any]:
        """The options of `symoro.measurements`."""
        return self._some(_OF_READING)

    @property
    def processing(self) -> dict[str, Any]:
        """The options of `settings.processing`, with numbers and rows of NumPy as those of Python."""
        given = self._some(_OF_PROCESSING)
        return {name: x.tolist() if isinstance(x, np.ndarray | np.generic) else x for name, x in given.items()}

    def wanted_of(self, subject: Subject) -> Wanted:
        """What is asked of the regression of a robot; an error for what its structure does not have."""
        if subject.regroups_friction:
            self._require_plain()
        if subject.coordinates.followers and self.model == "filtered":
            raise OptionError("model = 'filtered' is not for parallel robots: its rows are not those of the motors")
        part = None if self.prior is None else float(self.prior)
        link = _link(subject, self.payload)
        return Wanted(self.method, self.essential, self.physical, part, self.boxes, link, self.known)

    def _require_plain(self) -> None:
        """An error for options that need columns of links and rotors without those of friction."""
        if self.method in SIMULATING or self.model != "dynamic":
            raise OptionError(
                "with the friction of its description, a parallel robot has the methods ols, wls, irls and tls, and "
                "the model dynamic (allowed: a law, such as friction='viscous-coulomb')"
            )
        if given := [name for name, x in self._some(_WITHOUT_FRICTION).items() if x not in (None, False)]:
            raise OptionError(
                f"{given[0]} is not for a parallel robot with the friction of its description (allowed: a law, such as "
                "friction='viscous-coulomb')"
            )


def _link(subject: Subject, payload: int | str | None) -> int | None:
    if payload is None:
        return None
    link = subject.given.frame_ref(payload)
    if not isinstance(link, int) or not 1 <= link <= subject.given.link_count:
        raise OptionError(f"payload = {payload!r} is not a link (allowed: 1 to {subject.given.link_count})")
    return link


# `symoro.identify`: parameters of a robot from measurements.


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
    subject = Subject.of(robot, described_friction=laws is None, offset=options.offset, alike=options.alike)
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
    if known or subject.coordinates.followers or wanted.payload is not None or len(subject.motors) > MOST_MOTORS:
        return ()
    rate = None if subject.has_free_base or positions_are_wrong(data.warnings) else given.rate
    sampled = Sampled.of(given.terms, given.runs, given.how, given.triangles.names, expected_values(subject))
    return misread(sampled, rate)
