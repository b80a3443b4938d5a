"""Each parameter that a model lists has an effect on it, and no other parameter of the robot has."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

import symoro
from support.samples import named
from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.model import Model, model
from symoro.models.catalogue import entries
from symoro.robot import library

SMALL = {"planar2r", "scara", "four-bar", "diff-drive-2r"}
ROBOTS = named(library.names(), set(library.names()) - SMALL)
#: They take minutes, and what holds for the other robots holds for them.
LARGE = {"eel50", "snake20", "humanoid", "orthoglide"}


def models(robot: str) -> list[tuple[str, Model]]:
    described, found = symoro.load(robot), []
    wanted: dict[str, Any] = {"i": 0, "j": described.link_count, "link": described.link_count}
    for entry in entries():
        if entry.reason(described) is not None:
            continue
        options = {o.name: wanted[o.name] for o in entry.options if o.name in wanted}
        for params in ("standard", "base") if any(o.name == "params" for o in entry.options) else (None,):
            given = options | ({"params": params} if params else {})
            try:
                found.append((f"{entry.name} {params}", model(entry.name, described, **given)))
            except NotApplicable:  # such as the inverse of a Jacobian that is singular everywhere
                continue
    return found


def without_effect(built: Model) -> list[str]:
    """The listed parameters that change no output when they change by a third, in four arbitrary states."""
    rng = np.random.default_rng(11)
    inputs = {name: rng.uniform(-1, 1, (4, *shape)) for name, shape in built.inputs.items()}
    numbers = {name: 0.6 + zlib.crc32(name.encode()) / 2**33 for name in built.parameters}
    first = evaluate(built.program, inputs, numbers)

    def changes(name: str) -> bool:
        second = evaluate(built.program, inputs, {**numbers, name: numbers[name] * 4 / 3})
        return any(not np.allclose(first[k], second[k], rtol=1e-10, atol=1e-10) for k in first)

    return [name for name in numbers if not changes(name)]


@pytest.mark.parametrize("robot", [r for r in ROBOTS if getattr(r, "values", (r,))[0] not in LARGE])
def test_each_listed_parameter_matters(robot: str) -> None:
    idle = {name: found for name, built in models(robot) if (found := without_effect(built))}
    assert not idle


def test_a_parameter_without_effect_may_have_any_value() -> None:
    built = symoro.inverse_dynamics("planar2r")
    others = {"XX1", "YY1", "XX2", "YY2"}
    assert not others & built.parameters.keys()
    f, state = built.compile(), ([0.1, -0.7], [0.3, 0.4], [0.5, -0.6])
    for value in (float("nan"), 1e17):
        assert np.array_equal(f(*state, values=dict.fromkeys(others, value)), f(*state))
