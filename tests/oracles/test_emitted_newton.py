"""The driver that is written around the step of loop assembly does what the assembler of Python does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.packages import run_self_test
from support.raised import raised
from symoro.emit import Source, emit_all, target, targets
from symoro.emit.newton import driver, solve
from symoro.errors import TargetError

ROBOTS = ("four-bar", "slider-crank", "five-bar", "two-loops")
ITERATING = [name for name in targets() if target(name).iterates and name != "julia"]
QUICK = ("c", "python", "javascript")


def pairs() -> list[Any]:
    return [
        pytest.param(language, robot, marks=() if robot == "four-bar" and language in QUICK else pytest.mark.long)
        for language in ITERATING
        for robot in ROBOTS
    ]


def source(geometry: symoro.Model) -> Source:
    return replace(geometry.step.source, method=geometry.method)


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_reference_of_the_driver_is_the_assembler(robot: str) -> None:
    """From starts of which some do not close; near a singular configuration the assembler does more (pseudoinverse)."""
    geometry = symoro.loop_geometry(robot)
    assembler = geometry.compile().assembler()
    program, numbers = geometry.step.program, geometry.step.source.known
    starts = np.random.default_rng(3).uniform(-2, 2, (60, len(assembler.turning)))
    theirs, closes = assembler.newton(starts)
    agree = closing = 0
    for start, other, closed in zip(starts, theirs, closes, strict=True):
        q, mine = solve(geometry.method, program, numbers, start)
        agree += mine == closed
        if mine and closed:
            closing += 1
            assert np.abs(assembler.difference(q, other)).max() < 1e-6
    assert agree >= 57
    assert closing > 5


@pytest.mark.parametrize(("language", "robot"), pairs())
def test_the_driver_agrees(language: str, robot: str, tmp_path: Path) -> None:
    geometry = symoro.loop_geometry(robot)
    geometry.emit(language, tmp_path)
    run_self_test(target(language), tmp_path, (source(geometry),))


def test_the_cases_close_and_do_not_close() -> None:
    geometry = symoro.loop_geometry("five-bar")
    cases = driver(geometry.method, geometry.step.program, geometry.step.source.known, "double")
    assert set(cases.closes) == {True, False}


def test_a_language_that_cannot_iterate_gets_the_step(tmp_path: Path) -> None:
    geometry = symoro.loop_geometry("four-bar")
    with raised("targets.iterates", TargetError):
        emit_all([source(geometry)], "latex", tmp_path)
    assert not list(tmp_path.iterdir())
    assert geometry.emit("latex", tmp_path)
