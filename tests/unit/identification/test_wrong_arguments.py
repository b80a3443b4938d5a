"""Every argument of identify, measurements and excite with wrong types: an error of symoro says what is allowed."""

from __future__ import annotations

from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.synthetic import fourier
from symoro.errors import SymoroError

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


@pytest.mark.parametrize(("name", "argument", "value", "said"), [
    ("identify", "prior", "a", "prior = 'a' is not allowed (allowed: None, σ as a part of each value"),
    ("identify", "known", 3, "known = 3 is not allowed (allowed: None, {name: number})"),
    ("identify", "known", {"FV1": "a"}, "known = {'FV1': 'a'} is not allowed"),
    ("identify", "units", 3, "units = 3 is not allowed (allowed: {channel: …}"),
    ("identify", "units", {"q": [1, "a"]}, "units: q: 'a' is not a unit (allowed: rad, deg"),
    ("identify", "columns", 3, "columns = 3 is not allowed (allowed: {channel: …}"),
    ("identify", "rate", "a", "rate = 'a' is not allowed (allowed: samples in a second"),
    ("identify", "boxes", {1: [1, 2]}, "boxes = {1: [1, 2]} is not allowed (allowed: None, {link: [[x, y, z]"),
    ("identify", "dead_zone", np.zeros((2, 2)), "(allowed: auto, None, one speed, or one for each joint)"),
    ("identify", "stream", "a", "stream = 'a' is not allowed (allowed: True, False)"),
    ("identify", "friction", ["a"], "friction = ['a'] is not allowed (allowed: None, auto, none"),
    ("identify", "reference", 3, "reference = 3 is not allowed (allowed: None, a trajectory)"),
    ("identify", "controller", 3, "controller = 3 is not allowed (allowed: None, a controller such as"),
    ("measurements", "transmission", 3, "transmission is an option of side='motor'"),
    ("identify", "cutoff", 1e-30, "cutoff = 1e-30 Hz is not allowed (allowed: from 0.0001, below 100 Hz"),
    ("identify", "decimation", 10**30, f"too few samples for decimation = {10**30}"),
    ("excite", "starts", 10**30, "is not allowed (allowed: whole numbers from 1 to 1000)"),
    ("excite", "steps", 10**30, "is not allowed (allowed: whole numbers from 1 to 100000)"),
    ("excite", "seed", "a", "seed = 'a' is not allowed (allowed: whole numbers from 0 on)"),
    ("excite", "duration", "a", "duration = 'a' is not allowed (allowed: seconds, more than 0)"),
    ("excite", "starts", True, "starts = True is not allowed (allowed: whole numbers from 1 to 1000)"),
    ("excite", "position", {"a": 1}, "position is not allowed (allowed: a lower and an upper limit"),
])  # fmt: skip
def test_a_wrong_argument_is_named_with_what_is_allowed(name: str, argument: str, value: Any, said: str) -> None:
    with pytest.raises(SymoroError) as caught:
        FUNCTIONS[name](**{argument: value})
    assert said in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=lambda x: str(x))
def test_wrong_types_end_in_an_error_of_symoro_or_in_a_result(name: str, argument: str) -> None:
    for value in VALUES.values():
        try:
            FUNCTIONS[name](**{argument: value})
        except SymoroError:
            continue


OF_THE_FIT: dict[str, Any] = {
    "essential": "sigma", "physical": True, "prior": 0.1, "payload": 2, "known": {"FV1": 0.1},
    "boxes": {1: [[-1, -1, -1], [1, 1, 1]]}, "model": "energy", "friction": "stribeck",
}  # fmt: skip


@pytest.mark.parametrize("option", OF_THE_FIT)
@pytest.mark.parametrize("method", ["ols", "wls", "irls", "tls", "iv", "didim", "cloe"])
def test_a_method_with_an_option_ends_in_parameters_or_in_words(method: str, option: str) -> None:
    said = told(method, **{option: OF_THE_FIT[option]})
    assert f"method: {method}\n" in said or f"method={method!r}" in said or option in said


def told(method: str, **options: Any) -> str:
    """The text of a result, or of an error."""
    try:
        return str(symoro.identify(ROBOT, channels(), method=method, **options))
    except SymoroError as error:
        return str(error)


def test_numbers_of_numpy_are_numbers() -> None:
    given = {"decimation": np.int64(2), "dead_zone": np.array([0.01, 0.02]), "delay": np.float64(0.0)}
    found = symoro.identify(ROBOT, channels(), **given)
    same = symoro.identify(ROBOT, channels(), decimation=2, dead_zone=[0.01, 0.02], delay=0.0)
    assert np.array_equal(found.estimate.beta, same.estimate.beta)
