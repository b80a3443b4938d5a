"""Every argument of identify, measurements and excite with wrong types: an error of symoro says what is allowed."""

from __future__ import annotations

from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.synthetic import fourier
from symoro.errors import OptionError, RobotError, SymoroError
from symoro.identification.estimate.task import BY_ROWS, METHODS, SIMULATING, FitRequest
from symoro.identification.identify import FIT, PROCESSING
from symoro.identification.process.measurements import READING, measured
from symoro.identification.process.processing import processing

ROBOT, COUNT, PERIOD = "planar2r", 400, 5e-3


@cache
def channels() -> dict[str, Any]:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd)
    noise = np.random.default_rng(0).normal(size=tau.shape) * 0.02
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau + noise}


class Strange:
    """Nothing that an argument can be."""

    def __repr__(self) -> str:
        return "<strange>"


VALUES: dict[str, Any] = {
    "3": 3, "-1": -1, "0": 0, "2.5": 2.5, "nan": float("nan"), "inf": float("inf"), "a": "a", "empty": "",
    "bytes": b"x", "True": True, "list": [], "dict": {}, "tuple": (), "mixed": [1, "a"], "ragged": [[1], [1, 2]],
    "by name": {"a": 1},
    "by number": {1: 2}, "nested": {"q": {"q": 1}}, "object": Strange(), "zeros": np.zeros(3), "matrix": np.eye(2),
    "texts": ["a", "b"], "complex": 1j, "function": lambda: None, "path": Path("nothing.csv"), "large": 10**30,
    "negative": [-1.0, -2.0], "type": int,
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    "identify": lambda **given: symoro.identify(**{"robot": ROBOT, "data": channels()} | given),
    "measurements": lambda **given: symoro.measurements(**{"robot": ROBOT, "source": channels()} | given),
    "excite": lambda **given: symoro.excite(**{"robot": ROBOT, "starts": 1, "steps": 1, "harmonics": 2} | given),
}
ARGUMENTS = [(name, argument) for name in FUNCTIONS for argument in signature(getattr(symoro, name)).parameters]


@pytest.mark.parametrize(("name", "argument", "value", "code"), [
    ("identify", "prior", "a", "options.value"),
    ("identify", "known", 3, "options.value"),
    ("identify", "known", {"FV1": "a"}, "options.value"),
    ("identify", "units", 3, "options.value"),
    ("identify", "columns", 3, "options.value"),
    ("identify", "rate", "a", "options.value"),
    ("identify", "boxes", {1: [1, 2]}, "options.value"),
    ("identify", "dead_zone", np.zeros((2, 2)), "options.value"),
    ("identify", "stream", "a", "options.value"),
    ("identify", "friction", ["a"], "options.value"),
    ("identify", "reference", 3, "options.value"),
    ("identify", "controller", 3, "options.value"),
    ("identify", "cutoff", 1e-30, "measurements.cutoff"),
    ("identify", "decimation", 10**30, "measurements.few_for_decimation"),
    ("excite", "starts", 10**30, "options.value"),
    ("excite", "steps", 10**30, "options.value"),
    ("excite", "seed", "a", "options.value"),
    ("excite", "duration", "a", "options.value"),
    ("excite", "starts", True, "options.value"),
    ("excite", "position", {"a": 1}, "options.value"),
])  # fmt: skip
def test_a_wrong_argument_is_named(name: str, argument: str, value: Any, code: str) -> None:
    with raised(code) as error:
        FUNCTIONS[name](**{argument: value})
    assert error.value.finding.fields["option"] == argument


@pytest.mark.parametrize(("argument", "value", "said"), [
    ("prior", "a", "prior = 'a' is not allowed (allowed: a number, more than 0, None)"),
    ("stream", "a", "stream = 'a' is not allowed (allowed: True, False)"),
    ("controller", 3, "controller = 3 is not allowed (allowed: a controller such as symoro.pid(…)"),
    ("dead_zone", "a", "dead_zone = 'a' is not allowed (allowed: a number, or one for each joint, auto, None)"),
])  # fmt: skip
def test_what_is_allowed_is_said(argument: str, value: Any, said: str) -> None:
    with pytest.raises(OptionError) as error:
        FUNCTIONS["identify"](**{argument: value})
    assert said in str(error.value)


OTHER_CODES: dict[str, tuple[str, ...]] = {
    "known": ("estimates.known",),
    "dead_zone": ("estimates.no_row",),
    "units": ("recordings.unit", "recordings.factor", "recordings.units_of_joints"),
    "transmission": ("recordings.transmission_of_joints",),
    "stream": ("estimates.stream_of_files",),
    "scheduler": ("estimates.stream_of_files",),
}
"""Codes beside those that name the option, by argument."""


def is_about(error: SymoroError, argument: str) -> bool:
    """Whether an error is one of an argument."""
    if argument in ("robot", "payload") and isinstance(error, RobotError):
        return True
    code = error.finding.code
    if argument in ("data", "source") and code.startswith("recordings."):
        return True
    return error.finding.fields.get("option") == argument or code in OTHER_CODES.get(argument, ())


@pytest.mark.long
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=lambda x: str(x))
def test_wrong_types_end_in_an_error_about_the_argument_or_in_a_result(name: str, argument: str) -> None:
    for value in VALUES.values():
        error = error_of(name, argument, value)
        assert error is None or is_about(error, argument), error


def error_of(name: str, argument: str, value: Any) -> SymoroError | None:
    """The error of a call; None where it has a result."""
    try:
        FUNCTIONS[name](**{argument: value})
    except SymoroError as error:
        return error
    return None


OF_THE_FIT: dict[str, Any] = {
    "essential": "sigma", "physical": True, "prior": 0.1, "payload": 2, "known": {"FV1": 0.1},
    "boxes": {1: [[-1, -1, -1], [1, 1, 1]]}, "model": "energy", "friction": "stribeck",
}  # fmt: skip
REFUSED: dict[tuple[str, str], str] = {
    **{(method, "prior"): "prior_needs_wls" for method in METHODS if method != "wls"},
    **{(method, "boxes"): "boxes_need_physical" for method in METHODS},
    **{(method, "payload"): "payload_without_rows" for method in BY_ROWS},
    **{
        (method, option): code
        for method in SIMULATING
        for option, code in {
            "essential": "excluded_by_method",
            "payload": "excluded_by_method",
            "known": "excluded_by_method",
            "physical": "needs_controller",
            "model": "needs_dynamic",
            "friction": "one_run_of_a_tree",
        }.items()
    },
}
"""Method and option: the code of the error; the others give parameters."""


@pytest.mark.parametrize("option", OF_THE_FIT)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_with_an_option_gives_parameters_or_the_error_that_names_why(method: str, option: str) -> None:
    options = {option: OF_THE_FIT[option]}
    if (method, option) in REFUSED:
        with raised(f"estimates.{REFUSED[method, option]}"):
            symoro.identify(ROBOT, channels(), method=method, **options)
    else:
        r = symoro.identify(ROBOT, channels(), method=method, **options)
        assert r.method == method
        assert np.isfinite(r.estimate.beta).all()


def test_the_rows_of_a_group_are_what_their_step_takes() -> None:
    fit, read = signature(FitRequest).parameters, signature(measured).parameters
    assert [option.name for option in FIT] == list(fit)
    assert [option.default for option in FIT] == [argument.default for argument in fit.values()]
    assert [option.name for option in READING] == list(read)[2:]
    assert [option.default for option in READING] == [argument.default for argument in read.values()][2:]
    assert {option.name for option in PROCESSING} == signature(processing).parameters.keys() - {"data", "dry"}


def test_numbers_of_numpy_are_numbers() -> None:
    given = {"decimation": np.int64(2), "dead_zone": np.array([0.01, 0.02]), "delay": np.float64(0.0)}
    found = symoro.identify(ROBOT, channels(), **given)
    same = symoro.identify(ROBOT, channels(), decimation=2, dead_zone=[0.01, 0.02], delay=0.0)
    assert np.array_equal(found.estimate.beta, same.estimate.beta)
