"""The options of `symoro.identify`: what each may be, and which belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import OptionError
from symoro.identification.allowed import (
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
from symoro.identification.estimators.methods import METHODS, SIMULATING
from symoro.identification.measurements.settings import AUTO
from symoro.identification.physical.consistency import WAYS
from symoro.identification.physical.semidefinite import Boxes
from symoro.identification.processing.processing import MODELS
from symoro.identification.regression.essential import RULES
from symoro.identification.result.wanted import Wanted
from symoro.identification.rows.friction import LAWS
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.subject import Subject
from symoro.motion.controller import Controller
from symoro.motion.scenario import Law
from symoro.motion.trajectory import Trajectory


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
_NOT_OF_PLATFORMS = ("physical", "prior", "payload", "stream", "scheduler")


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
        if isinstance(subject, PlatformSubject):
            self._require_platform()
        part = None if self.prior is None else float(self.prior)
        link = _link(subject, self.payload)
        return Wanted(self.method, self.essential, self.physical, part, self.boxes, link, self.known)

    def _require_platform(self) -> None:
        """An error for options that parallel robots do not have."""
        if self.method in SIMULATING or self.model != "dynamic":
            raise OptionError("parallel robots have the methods ols, wls, irls and tls, and the model dynamic")
        if given := [name for name, x in self._some(_NOT_OF_PLATFORMS).items() if x not in (None, False)]:
            raise OptionError(f"{given[0]} is not for parallel robots")


def _link(subject: Subject, payload: int | str | None) -> int | None:
    if payload is None:
        return None
    link = subject.given.frame_ref(payload)
    if not isinstance(link, int) or not 1 <= link <= subject.given.link_count:
        raise OptionError(f"payload = {payload!r} is not a link (allowed: 1 to {subject.given.link_count})")
    return link
