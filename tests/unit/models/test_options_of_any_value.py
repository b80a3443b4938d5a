"""Values of no meaning for options: what is allowed is said, whatever the type of the value is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised


@pytest.mark.parametrize("name", ["given", "method", "optimize", "params"])
@pytest.mark.parametrize("value", [np.zeros(0), np.zeros(2)], ids=["empty", "two numbers"])
def test_arrays_are_not_allowed_for_words(name: str, value: Any) -> None:
    with raised("options.value" if name != "given" else "positions.given"):
        symoro.inverse_dynamics("planar2r", **{name: value})


def test_none_is_the_default() -> None:
    none: dict[str, Any] = {"method": None, "optimize": None}
    assert symoro.gravity("planar2r", **none).ops == symoro.gravity("planar2r").ops


@pytest.mark.parametrize(
    ("robot", "given"),
    [
        ("planar2r", {"friction": "no"}),
        ("planar2r", {"alike": "no"}),
        ("planar2r", {"every_branch": 1}),
        ("five-bar", {"guess": np.inf}),
        ("delta", {"alike": {}}),
    ],
)
def test_base_parameters_refuse_what_is_no_flag_or_number(robot: str, given: dict[str, Any]) -> None:
    with raised("options.value"):
        symoro.base_parameters(robot, **given)
