"""`symoro.identify`: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symoro.errors import DataError, OptionError
from symoro.identification.conclusion import Wanted, concluded
from symoro.identification.consistency import Boxes
from symoro.identification.measurements import Measurements, Source, measurements
from symoro.identification.regression import laws_of, regression
from symoro.identification.result import Identification
from symoro.identification.settings import AUTO
from symoro.identification.subject import Subject
from symoro.robot.robot import Robot


def identify(
    robot: Robot | str | Path,
    data: Measurements | Source,
    *,
    method: str = "wls",
    friction: str | None = None,
    offset: bool | None = None,
    cutoff: float | str | None = AUTO,
    decimation: int | str | None = AUTO,
    delay: float | str = 0.0,
    dead_zone: Any = AUTO,
    border: int | None = None,
    essential: str | None = None,
    physical: bool = False,
    prior: float | None = None,
    boxes: Boxes | None = None,
    payload: int | str | None = None,
    known: Mapping[str, float] | None = None,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: str = "joint",
    transmission: Any = None,
) -> Identification:
    """The dynamic parameters of a robot from measured positions and torques.

    `data` is what `symoro.measurements` takes, with its options `columns`, `units`, `rate`, `side` and `transmission`,
    or its result. `method` is ols, wls (rows weighted by joint), irls (robust) or tls (total least squares).

    `friction` is a law (viscous-coulomb, asymmetric, root, stribeck …) for all motors, "auto" for the one with the
    least error in cross-validation, or None for what the robot's description has; `offset` adds a constant torque.
    `cutoff` (Hz), `decimation` and `dead_zone` (speeds) follow from the data with "auto"; so does `delay` (s).

    `essential` takes out parameters that matter little: "sigma", "bic" or "aic". `prior` is the relative deviation of
    the description's inertial parameters, as a Bayesian prior. `physical` gives standard parameters of bodies that can
    exist; `boxes` are corners of links. `payload` is a link: the robot is known, and what it carries is identified.
    `known` are parameters with their values.
    """
    laws = laws_of(friction, offset)
    subject = Subject.of(robot, described_friction=laws is None, offset=offset)
    wanted = Wanted(method, essential, physical, prior, boxes, _link(subject, payload), known)
    reading = {"columns": columns, "units": units, "rate": rate, "side": side, "transmission": transmission}
    measured = measured_for(subject, data, reading)
    options = {
        "cutoff": cutoff, "decimation": decimation, "delay": delay, "dead_zone": dead_zone, "border": border,
    }  # fmt: skip
    return concluded(regression(measured, subject, laws, options), wanted)


def measured_for(subject: Subject, data: Measurements | Source, reading: Mapping[str, Any]) -> Measurements:
    """Measurements of a subject: read, or those that were read before for the same robot."""
    if not isinstance(data, Measurements):
        return measurements(subject, data, **reading)
    given = [name for name, x in reading.items() if x is not None and (name, x) != ("side", "joint")]
    if given:
        raise OptionError(f"{given[0]} is an option of symoro.measurements: the data has been read already")
    if data.subject.given != subject.given:
        raise DataError(f"the measurements are those of {data.subject.given.name}, not of {subject.given.name}")
    return replace(data, subject=subject)


def _link(subject: Subject, payload: int | str | None) -> int | None:
    if payload is None:
        return None
    link = subject.given.frame_ref(payload)
    if not isinstance(link, int) or not 1 <= link <= subject.given.link_count:
        raise OptionError(f"payload = {payload!r} is not a link (allowed: 1 to {subject.given.link_count})")
    return link
