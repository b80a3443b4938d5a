"""Models of closed loops from the motors alone, as a program and as code, against the function of numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.packages import run_self_test
from support.raised import raised
from symoro.emit import target
from symoro.errors import NotApplicable, TargetError
from symoro.solve.loops import LoopDriver

ROBOTS = ["four-bar", *(pytest.param(name, marks=pytest.mark.long) for name in ("five-bar", "slider-crank", "sr400"))]
LANGUAGES = [
    pytest.param(name, marks=() if name == "javascript" else pytest.mark.long)
    for name in ("c", "cpp", "fortran", "rust", "javascript", "matlab", "python", "jax", "casadi", "maple")
]


def from_motors(robot: str) -> Any:
    return symoro.loop_geometry(robot).from_motors(symoro.inverse_dynamics(robot))


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_program_computes_what_the_function_does(robot: str) -> None:
    """On the branch of the guess, whichever of the branches that is."""
    model = from_motors(robot)
    f, one, rng = model.compile(), replace(model, driver=None).compile(), np.random.default_rng(0)
    n, compared = len(f.assembly.assembler().active), 0
    for _ in range(5):
        qa, qd, qdd = rng.uniform(-0.4, 0.4, n), rng.normal(size=n), rng.normal(size=n)
        for q in f.assembly.branches(qa, limits=False):
            state = f.assembly.closure(q)
            if state.condition > 1e4:
                continue
            found = one(qa, qd, qdd, guess=q)
            assert found.CLOSED == 1
            assert_close(found.GAM, f(qa, qd, qdd, guess=q), 1e-10, float(state.condition))
            compared += 1
    assert compared >= 5


def test_motors_that_do_not_close_are_said() -> None:
    """The rod is 0.1 m long, and the pin of the crank 0.2 m away from its axis: it cannot stand across the slider."""
    one = replace(from_motors("slider-crank"), driver=None).compile()
    closes = [float(one([angle], [0.0], [0.0], values={"L2": 0.1}).CLOSED) for angle in (0.0, np.pi / 2)]
    assert closes == [1.0, 0.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_passes_its_self_test(language: str, tmp_path: Path) -> None:
    f = from_motors("four-bar")
    f.emit(language, tmp_path)
    run_self_test(target(language), tmp_path, (f.source,))


def test_loops_without_a_closed_form_have_a_driver_beside_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(self: LoopDriver) -> None:
        raise NotApplicable("there is no closed form")

    monkeypatch.setattr(LoopDriver, "modes", none)
    f = from_motors("four-bar")
    with raised("targets.iterates", TargetError):
        f.emit("jax", tmp_path / "jax")
    assert not (tmp_path / "jax").exists()
    f.emit("c", tmp_path / "c")
    sources = (f.closes.code, f.of.source)
    run_self_test(target("c"), tmp_path / "c", sources, "four_bar_inverse_dynamics_from_motors")
