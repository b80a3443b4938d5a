"""The options of `symoro.identify` and what each may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

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
from symoro.identification.measurements.settings import AUTO
from symoro.identification.physical.consistency import WAYS
from symoro.identification.processing.processing import MODELS
from symoro.identification.regression.essential import RULES
from symoro.identification.result.conclusion import METHODS
from symoro.identification.rows.friction import LAWS
from symoro.motion.controller import Controller
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
ALLOWED: Allowed = {
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


def require_options(**options: Any) -> None:
    """An error for the first option that is not allowed."""
    require(options, ALLOWED, OptionError)


def as_python(x: Any) -> Any:
    """Numbers and rows of NumPy as those of Python."""
    return x.tolist() if isinstance(x, np.ndarray | np.generic) else x
