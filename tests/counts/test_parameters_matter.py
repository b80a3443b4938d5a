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
from symoro.model import Model
from symoro.models.catalogue import entries
from symoro.robot import library
from symoro.solve.given import model

SMALL = {"planar2r", "four-bar"}
#: Their models take minutes to build.
LARGEST = {"eel50", "snake20", "humanoid", "orthoglide", "two-loops", "akr3000"}
#: Other numbers of a structure that another robot has.
ALIKE = {
    "puma560-symmetric", "rx90", "rx90-k13", "rx90-symmetric", "kr6", "tx40", "general6r", "stanford",
    "kuka-iiwa", "kuka-lwr", "panda", "sr400",
}  # fmt: skip
ROBOTS = named(sorted(library.names()), set(library.names()) - SMALL, LARGEST | ALIKE)


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
    """The listed parameters that change no output when they change by a third, in four arbitrary states.

    All are looked at together: in row n of the numbers, parameter n is changed; in the last row none is.
    """
    rng = np.random.default_rng(11)
    names = list(built.parameters)
    states = {name: rng.uniform(-1, 1, (4, *shape)) for name, shape in built.inputs.items()}
    inputs = {name: np.broadcast_to(x, (len(names) + 1, *x.shape)) for name, x in states.items()}
    numbers = {name: np.full((len(names) + 1, 1), 0.6 + zlib.crc32(name.encode()) / 2**33) for name in names}
    for n, name in enumerate(names):
        numbers[name][n] *= 4 / 3
    outputs = evaluate(built.program, inputs, numbers).values()
    changed = [any(not np.allclose(x[n], x[-1], rtol=1e-10, atol=1e-10) for x in outputs) for n in range(len(names))]
    return [name for name, has_changed in zip(names, changed, strict=True) if not has_changed]


def is_changed_by_others(built: Model) -> bool:
    """Whether a parameter of the robot that the model does not list changes a result when it is 1e17 or NaN."""
    rng = np.random.default_rng(12)
    f = built.compile("numpy", check=False)
    state = {name: rng.uniform(-1, 1, shape) for name, shape in built.inputs.items()}
    known = dict.fromkeys(built.parameters, 0.7)
    others = built.robot.values.keys() - built.parameters.keys()
    results = [f(**state, values=known | dict.fromkeys(others, x)) for x in (1.0, 1e17, float("nan"))]
    tables = [np.concatenate([np.ravel(x) for x in (r if isinstance(r, tuple) else (r,))]) for r in results]
    return not all(np.array_equal(tables[0], table, equal_nan=True) for table in tables[1:])


@pytest.mark.long
@pytest.mark.parametrize("robot", ROBOTS)
def test_the_listed_parameters_matter_and_no_others(robot: str) -> None:
    built = models(robot)
    assert not {name: found for name, one in built if (found := without_effect(one))}
    assert not [name for name, one in built if is_changed_by_others(one)]


def test_a_parameter_without_effect_may_have_any_value() -> None:
    built = symoro.inverse_dynamics("planar2r")
    others = {"XX1", "YY1", "XX2", "YY2"}
    assert not others & built.parameters.keys()
    f, state = built.compile(), ([0.1, -0.7], [0.3, 0.4], [0.5, -0.6])
    for value in (float("nan"), 1e17):
        assert np.array_equal(f(*state, values=dict.fromkeys(others, value)), f(*state))
