"""Every model of three parallel robots passes its self-test in every language, and so does the driver of tracking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.packages import run_self_test
from symoro.emit import Source, emit_all, target, targets
from symoro.emit.newton import solve
from symoro.errors import ModelError
from symoro.models.catalogue import entries
from symoro.models.parallel.platform import home, moved
from symoro.solve.assemblies import tracking
from symoro.solve.given import model

ROBOTS = ("3rps", "planar-3rrr", "gough-stewart")
#: Julia is not executed here, FMI and Simulink hold one model with its states.
PLATFORMS = [entry.name for entry in entries() if entry.of_kind("platform").methods]
EXECUTED = [name for name in targets() if target(name).check and name not in ("julia", "fmi", "simulink")]
#: They take a minute for all models of a robot.
SLOWEST = ("jax", "mathematica")
ITERATING = [name for name in EXECUTED if target(name).iterates]


def pairs(languages: list[str], *quick: str) -> list[Any]:
    """The first robot in quick languages in every run, in all languages in the long tests; then all robots."""
    found = []
    for robot in ROBOTS:
        for language in languages:
            marks = [] if robot == ROBOTS[0] and language in quick else [pytest.mark.long]
            if robot != ROBOTS[0] or language in SLOWEST:
                marks.append(pytest.mark.exhaustive)
            found.append(pytest.param(robot, language, marks=marks))
    return found


@cache
def sources(robot: str) -> tuple[Source, ...]:
    """All models, those with a space on the motors, too, and the inverse geometry."""
    found = [symoro.inverse_geometry(robot).source, *_models(robot)]
    assert len(found) >= 14
    return tuple(found)


def _models(robot: str) -> Iterator[Source]:
    # the plain form of a long sum can hold terms that cancel when it is written, of which compilers warn
    plain = {"optimize": False} if robot != "gough-stewart" else {}
    for name in PLATFORMS:
        spaces = ("platform", "motors") if name in ("inertia_matrix", "bias", "gravity") else ("",)
        for space in spaces:
            try:
                made = model(name, robot, **plain, **({"space": space} if space else {})).source
            except ModelError:  # forces that rigid bodies do not determine, and what iterates
                continue
            yield replace(made, name=f"{name}_{space}" if space else name)


@pytest.mark.parametrize(("robot", "language"), pairs(EXECUTED))
def test_all_models_of_a_parallel_robot_agree_with_evaluate(robot: str, language: str, tmp_path: Path) -> None:
    # Python has a module `platform` of its own, which JAX imports
    emit_all(sources(robot), language, tmp_path, "of_platform", f"The models of {robot}")
    run_self_test(target(language), tmp_path, sources(robot), "of_platform")


@cache
def tracked(robot: str) -> tuple[symoro.Model, Source]:
    forward = symoro.forward_geometry(robot)
    return forward, tracking(forward.step, forward.robot)


@pytest.mark.long
@pytest.mark.parametrize(("robot", "language"), pairs(ITERATING, "c"))
def test_the_driver_of_tracking_agrees(robot: str, language: str, tmp_path: Path) -> None:
    forward, source = tracked(robot)
    forward.emit(language, tmp_path)
    run_self_test(target(language), tmp_path, (source,))


def test_the_driver_tracks_as_the_function_does() -> None:
    """From the home pose to poses near it; and nothing is found for motors far out of reach."""
    forward, source = tracked("3rps")
    f, at = forward.compile("numpy"), home(forward.robot)
    inverse = symoro.inverse_geometry("3rps").compile("numpy")
    T = symoro.workspace("3rps", z=[0.85, 0.95], rx=[0.1, -0.2]).T.reshape(-1, 4, 4)
    for pose in T:
        q = inverse(pose).q[0]
        X, closed = solve(source.method, source.program, source.known, np.r_[q, at[:3].ravel()])  # type: ignore[arg-type]
        assert closed
        assert np.abs(X[3:].reshape(3, 4) - pose[:3]).max() < 1e-9
        assert np.abs(f(q, guess=at).T[0] - pose).max() < 1e-9
    far = np.r_[50.0, 60.0, 1.0, at[:3].ravel()]
    assert not solve(source.method, source.program, source.known, far)[1]  # type: ignore[arg-type]
    turned = np.r_[inverse(at).q[0], moved(at, np.zeros(6))[:3].ravel() * 1.1]  # no pose: its axes are too long
    assert not solve(replace(source.method, steps=0), source.program, source.known, turned)[1]  # type: ignore[type-var, arg-type]
