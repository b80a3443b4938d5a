"""The packages of every target pass their self-tests: all models of small robots, and programs with every operation."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.packages import ROBOTS, models, run_self_test
from support.samples import named
from support.small_programs import constants_only, every_operation, many_joints, reserved_words, six_equations
from symoro.emit import Source, emit_all, target, targets
from symoro.emit.files import write_files
from symoro.emit.package import package
from symoro.solve.given import model

TITLE = "A title */ with ??/ traps \\ \" ' % { }} #} *) =#"
PROGRAMS = {
    "every-operation": every_operation,
    "reserved-words": reserved_words,
    "joints": many_joints,
    "six": six_equations,
    "constants": constants_only,
}
#: Targets that are a language: they have a self-test. The others are read back in test_readable_targets.
LANGUAGES = [name for name in targets() if target(name).check]
NOT_EXECUTED = ("julia", "fmi", "simulink")  # test_julia parses, test_fmi and test_s_function simulate
EXECUTED = [name for name in LANGUAGES if name not in NOT_EXECUTED]
SLOW = ("jax", "mathematica", "rust", "fortran")
SINGLE = [name for name in LANGUAGES if target(name).single]


#: They take minutes for all models of a robot: the long tests run the quick packages of them.
SLOWEST = ("jax", "mathematica", "maple", "casadi")


def marked(languages: list[str], packages: list[str], *quick: str) -> list[Any]:
    """Every pair; in every run are those of the quick packages, for languages whose tools start fast."""
    return [
        pytest.param(language, name, marks=_marks(language, name in quick))
        for language in languages
        for name in packages
    ]


def _marks(language: str, quick: bool) -> tuple[pytest.MarkDecorator, ...]:
    if quick and language not in SLOW:
        return ()
    rare = not quick and language in SLOWEST
    return (pytest.mark.long, pytest.mark.exhaustive) if rare else (pytest.mark.long,)


@pytest.mark.parametrize(("language", "name"), marked(EXECUTED, list(PROGRAMS), "every-operation", "reserved-words"))
def test_programs_agree_with_evaluate(language: str, name: str, tmp_path: Path) -> None:
    sources = (Source(PROGRAMS[name](), name, TITLE, {}, (TITLE,)),)
    emit_all(sources, language, tmp_path)
    run_self_test(target(language), tmp_path, sources)


@pytest.mark.parametrize(("language", "robot"), marked(EXECUTED, list(ROBOTS), "planar2r"))
def test_all_models_of_a_robot_agree_with_evaluate(language: str, robot: str, tmp_path: Path) -> None:
    emit_all(models(robot), language, tmp_path, robot, f"The models of {robot}")
    run_self_test(target(language), tmp_path, models(robot), robot)


@pytest.mark.parametrize(("language", "robot"), marked(SINGLE, ["planar2r", "scara", "four-bar"], "planar2r"))
def test_single_precision_agrees_to_1e_5(language: str, robot: str, tmp_path: Path) -> None:
    single = target(language, "float")
    emit_all(models(robot), language, tmp_path, robot, f"The models of {robot}", precision="float")
    run_self_test(single, tmp_path, models(robot), robot)


@pytest.mark.parametrize("language", [name for name in EXECUTED if target(name).piece])
@pytest.mark.parametrize("name", named(["every-operation", "four-bar"], ["four-bar"]))
def test_functions_in_pieces_agree_with_evaluate(language: str, name: str, tmp_path: Path) -> None:
    """A piece of seven lines cuts most functions, also between the parts of a sum."""
    cut = replace(target(language), piece=7)
    sources = models(name) if name in ROBOTS else (Source(PROGRAMS[name](), name),)
    made = package(sources, cut, name)
    assert any(len(f.pieces.routines) > 3 for f in made.functions)
    write_files(tmp_path, cut.write(made), made.name)
    run_self_test(cut, tmp_path, sources, name)


@pytest.mark.long
@pytest.mark.parametrize("language", EXECUTED)
def test_long_programs_compile(language: str, tmp_path: Path) -> None:
    """The direct model of an eel of 50 links: 13 000 instructions."""
    sources = (eel(),)
    assert len(sources[0].program.instructions) > 10_000
    emit_all(sources, language, tmp_path)
    run_self_test(target(language), tmp_path, sources)


@cache
def eel() -> Source:
    return symoro.direct_dynamics("eel50").source


#: How the example of a package is built and run.
EXAMPLES = {
    "c": "gcc -Wall -o example main.c {name}.c -lm && ./example",
    "cpp": "g++ -std=c++14 -Wall -o example main.cpp && ./example",
    "fortran": "gfortran -o example {name}.f90 main.f90 && ./example",
    "rust": "cargo run --quiet --offline --example {name}_example",
}


@pytest.mark.parametrize(("robot", "given"), [("four-bar", None), ("five-bar-legs", None), ("five-bar-legs", "joints")])
@pytest.mark.parametrize("language", [pytest.param(x, marks=pytest.mark.long if x in SLOW else ()) for x in EXAMPLES])
def test_the_example_of_a_package_starts_where_the_robot_is_assembled(
    language: str, robot: str, given: str | None, tmp_path: Path
) -> None:
    inverse = symoro.inverse_dynamics(symoro.load(robot).taking(given), optimize=False)
    inverse.emit(language, tmp_path)
    name = package([inverse.source], target(language)).name
    command = EXAMPLES[language].format(name=name)
    ran = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    printed = [float(x) for x in re.findall(r"-?\d+\.\d+(?:[eE][-+]?\d+)?|nan|NaN", ran.stdout)]
    at = {array: x[0] for array, x in inverse.source.inputs.items()}
    still = {array.name: np.zeros(array.shape) for array in inverse.program.inputs if not array.optional}
    assert_close(np.array(printed), inverse.compile("numpy")(*(still | at).values()), 1e-9)


@pytest.mark.parametrize("name", ["inverse_dynamics", "direct_dynamics"])
def test_the_example_of_a_floating_base_has_a_unit_quaternion(name: str, tmp_path: Path) -> None:
    given = getattr(symoro, name)("satellite", optimize=False)
    assert given.source.inputs["quat"][0].tolist() == [0, 0, 0, 1]
    assert_close(np.linalg.norm(given.source.inputs["quat"], axis=1), np.ones(64), 1e-8)
    given.emit("c", tmp_path)
    assert "in_quat[4] = {0.0, 0.0, 0.0, 1.0}" in (tmp_path / "main.c").read_text(encoding="utf-8")


@pytest.mark.parametrize("robot", ["four-bar", "five-bar", "sr400", "orthoglide"])
def test_self_tests_of_closed_loops_take_closed_configurations(robot: str) -> None:
    q = symoro.inverse_dynamics(robot, optimize=False).source.inputs["q"]
    assert np.abs(model("loop_closure", robot).compile("numpy")(q).E).max() < 1e-8
