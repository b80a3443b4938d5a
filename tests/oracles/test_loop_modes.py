"""Closed forms of closed loops against a least-squares search by SciPy on the closure equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import symoro
from support.raised import raised
from symoro.errors import NotApplicable

#: Robots with loops, and positions of their motors around which they can be assembled.
MOTORS = {
    "four-bar": [0.3],
    "five-bar": [2.0, 1.0],
    "slider-crank": [0.4],
    "sr400": [0.3, -0.2, 0.4, 0.1, 0.2, 0.3],
    "akr3000": None,
    "test-loop": None,
    "two-loops": None,
}


def motors(name: str, procedure: symoro.Model, rng: np.random.Generator) -> np.ndarray:
    """Positions of the motors at which the loops close."""
    f, count = procedure.compile("numpy"), procedure.inputs["qa"][0]
    for _ in range(200):
        around = MOTORS[name] or np.zeros(count)
        qa = np.asarray(around) + rng.uniform(-0.3, 0.3, count) * (1 if MOTORS[name] else 3)
        if len(f.branches(qa, limits=False)):
            return qa
    raise AssertionError(f"{name}: no positions of the motors were found at which the loops close")


@pytest.mark.long
@pytest.mark.parametrize("name", MOTORS)
def test_every_way_to_close_the_loops_is_found(name):
    procedure = symoro.loop_geometry(name)
    f, modes = procedure.compile("numpy"), procedure.modes().compile("numpy")
    rng = np.random.default_rng(3)
    for _ in range(2):
        qa = motors(name, procedure, rng)
        found = modes(qa)
        ours = found.q[found.ok > 0.5]
        assert len(ours)
        assert np.abs(f.gap(ours)).max() < 1e-12
        for q in searched(procedure.closure.compile("numpy"), f.assembler().passive, ours[0], rng):
            turned = (ours - q + np.pi) % (2 * np.pi) - np.pi
            assert np.abs(turned).max(axis=1).min() < 1e-6, f"the search found {q}"


def searched(
    closure: Callable[..., Any], passive: Sequence[int], closed: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Configurations from random starts with the motors where they are in `closed`, and no axes opposite."""
    found = []

    def whole(x: np.ndarray) -> np.ndarray:
        q = closed.copy()
        q[list(passive)] = x
        return q

    for _ in range(25):
        start = rng.uniform(-3, 3, len(passive))
        result = least_squares(lambda x: closure(whole(x)).E, start, xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=60)
        reached = closure(whole(result.x))
        if np.abs(reached.E).max() < 1e-10 and (reached.ALIGN > 0).all():
            found.append(whole(result.x))
    return found


def test_coupled_loops_have_no_closed_form():
    with raised("geometry.no_equation", NotApplicable):
        symoro.loop_geometry("orthoglide").modes()
