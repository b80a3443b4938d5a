"""The general inverse geometric model in every language: the branches are those of Python, on all kinds of poses."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tree_sitter
import tree_sitter_julia

import symoro
from support.packages import run_check as run
from support.packages import search_path
from support.raised import raised
from support.serial_arms import SPECIAL, Arm, Peer, arm_mdh, random_arm, random_positions
from support.tools import needs_cargo, needs_cplusplus, needs_fortran, needs_node
from symoro.emit import target, targets
from symoro.emit.files import MANIFEST
from symoro.emit.inverse import InverseCase, emit_inverse
from symoro.errors import TargetError
from symoro.solve.general.code import GeneralInverse, golden_case
from symoro.solve.general.solve import solve

Array = np.ndarray[Any, Any]
#: Julia is parsed only; in Octave a pose takes seconds, and a continuous set minutes.
EXECUTED = ("c", "cpp", "fortran", "rust", "javascript", "python", "matlab")
ARMS = {
    "kr6": SPECIAL["kr6"],
    "general": random_arm("RRRRRR", np.random.default_rng(5)),
    "5R1P": random_arm("RRPRRR", np.random.default_rng(6)),
    "4R2P": random_arm("RRPPRR", np.random.default_rng(7)),
    "3R3P": random_arm("PRPRRP", np.random.default_rng(8)),
    "scara": arm_mdh([0, 0, 0, 180], [0, 0.325, 0.275, 0], [0, 0, 0, 0], "RRRP"),
    "five": random_arm("RPRRR", np.random.default_rng(9)),
}


def singular_pose(arm: Arm) -> Array:
    """A pose with a continuous set of branches: joints at multiples of 45°."""
    peer, rng = Peer(arm), np.random.default_rng(7)
    poses = (peer.pose(rng.integers(-3, 5, len(arm.kinds)) * np.pi / 4) for _ in range(200))
    return next(pose for pose in poses if solve(*arm, pose).continuum)


@cache
def cases(name: str) -> tuple[InverseCase, ...]:
    """Regular poses, one that cannot be reached, and singular ones where the arm has some."""
    arm, rng = ARMS[name], np.random.default_rng(1)
    peer = Peer(arm)
    poses = [peer.pose(random_positions(arm, rng)) for _ in range(4)]
    far = poses[0].copy()
    far[:3, 3] = [30.0, 20.0, 10.0]
    far[:3, :3] = far[:3, :3] @ poses[1][:3, :3]
    poses += [far, *([singular_pose(arm)] if name == "kr6" else [])]
    return tuple(golden_case(pose, solve(*arm, pose)) for pose in poses)


def written(name: str, language: str, folder: Path, chosen: tuple[InverseCase, ...]) -> None:
    made = GeneralInverse(*ARMS[name], name="ik", title="A title */ with ??/ traps \\ ' \" =#")
    emit_inverse(made._package(language, "ik", list(chosen)), folder)


def listed(folder: Path) -> list[Path]:
    """The files that symoro wrote, but for the README."""
    return [folder / name for name in json.loads((folder / MANIFEST).read_text())["files"] if name != "README.md"]


def pairs() -> list[Any]:
    quick = {(language, "kr6") for language in ("cpp", "fortran", "rust", "javascript", "python")}
    return [
        pytest.param(language, arm, marks=() if (language, arm) in quick else pytest.mark.long)
        for language in EXECUTED
        for arm in ARMS
    ]


def test_the_cases_are_of_all_kinds() -> None:
    assert {case.continuum for case in cases("kr6")} == {True, False}
    assert {bool(case.count) for name in ("kr6", "scara", "general") for case in cases(name)} == {True, False}
    assert max(case.count for name in ("kr6", "general", "5R1P") for case in cases(name)) >= 8


@pytest.mark.long
@pytest.mark.parametrize(("language", "arm"), pairs())
def test_every_branch_is_found(language: str, arm: str, tmp_path: Path) -> None:
    chosen = cases(arm)
    if language == "matlab":
        chosen = tuple(case for case in chosen if not case.continuum)[-3:]
    written(arm, language, tmp_path, chosen)
    ran = run(language, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"passed, {sum(len(case.branches) for case in chosen)} branches" in ran.stdout
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in readme for path in listed(tmp_path))
    assert target(language).check.format(name="ik") in readme


def test_octave_finds_the_branches_of_a_pose(tmp_path: Path) -> None:
    case = cases("scara")[0]
    written("scara", "matlab", tmp_path, (case,))
    ran = run("matlab", tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"passed, {len(case.branches)} branches" in ran.stdout


def mistakes() -> list[Any]:
    quick = {("javascript", "branch"), ("javascript", "continuum"), ("python", "count")}
    every = {(language, "branch") for language in EXECUTED} | quick
    return [pytest.param(*pair, marks=() if pair in quick else pytest.mark.long) for pair in sorted(every)]


@pytest.mark.parametrize(("language", "wrong"), mistakes())
def test_the_self_test_fails_when_something_differs(language: str, wrong: str, tmp_path: Path) -> None:
    case = cases("scara")[0]
    first, *others = case.branches
    different = {
        "branch": replace(case, branches=[[first[0] + 1e-7, *first[1:]], *others]),
        "count": replace(case, count=case.count + 1),
        "continuum": replace(case, continuum=True),
    }
    written("scara", language, tmp_path, (different[wrong],))
    ran = run(language, tmp_path)
    assert ran.returncode != 0
    assert "FAILED" in ran.stdout


def test_julia_is_grammatical(tmp_path: Path) -> None:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
    written("kr6", "julia", tmp_path, cases("kr6"))
    for file in ("ik.jl", "selftest.jl"):
        assert not parser.parse((tmp_path / file).read_bytes()).root_node.has_error


EXAMPLES = {
    "cpp": "c++ -std=c++14 -Wall -Wextra -Werror main.cpp -o a.out && ./a.out",
    "fortran": "gfortran -Wall -Werror ik.f90 main.f90 -o a.out && ./a.out",
    "rust": "cargo run --offline --quiet --example ik_example",
}


@pytest.mark.long
@pytest.mark.parametrize(
    "language",
    [
        pytest.param("cpp", marks=needs_cplusplus),
        pytest.param("fortran", marks=needs_fortran),
        pytest.param("rust", marks=needs_cargo),
    ],
)
def test_the_example_prints_the_branches(language: str, tmp_path: Path) -> None:
    written("kr6", language, tmp_path, cases("kr6"))
    ran = subprocess.run(EXAMPLES[language], shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split()[:2] == [str(cases("kr6")[0].count), "branches"]
    assert ran.stdout.count("error") == cases("kr6")[0].count


def test_a_python_package_needs_numpy_alone(tmp_path: Path) -> None:
    written("kr6", "python", tmp_path, cases("kr6")[:1])
    code = (tmp_path / "ik.py").read_text(encoding="utf-8")
    assert "symoro." not in code
    found = subprocess.run(
        [
            "python",
            "-c",
            "import sys, ik, numpy as np; np.testing.assert_(not any('symoro' in m for m in sys.modules))",
        ],
        cwd=tmp_path,
        env=os.environ | {"PATH": search_path()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("language", [name for name in targets() if name not in (*EXECUTED, "julia")])
def test_other_targets_are_refused_before_anything_is_written(language: str, tmp_path: Path) -> None:
    with raised("targets.no_inverse", TargetError):
        GeneralInverse(*ARMS["scara"]).emit(language, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@needs_node
@needs_fortran
@pytest.mark.parametrize(
    "name", ["Loop", "x" * 90, *(pytest.param(name, marks=pytest.mark.long) for name in ("chain", "end", "7 of 9"))]
)
def test_names_that_the_code_has_are_not_taken(name: str, tmp_path: Path) -> None:
    for language in ("javascript", "fortran"):
        folder = tmp_path / language
        made = GeneralInverse(*ARMS["scara"], name=name)
        code = emit_inverse(made._package(language, name, list(cases("scara")[:1])), folder)[0]
        if language == "javascript":
            ran = subprocess.run(["node", "selftest.mjs"], cwd=folder, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr
        else:
            files = [code, "main.f90", "selftest.f90"]
            subprocess.run(["gfortran", "-fsyntax-only", "-std=f2008", *files], cwd=folder, check=True)


@pytest.mark.long
@pytest.mark.parametrize("language", ["rust", "python"])
def test_a_robot_without_closed_form_is_written(language: str, tmp_path: Path) -> None:
    ik = symoro.inverse_geometry("general6r")
    files = ik.emit(language, tmp_path)
    assert {file.name for file in files} >= {"README.md"}
    ran = run(language, tmp_path, "general6r_inverse_geometry")
    assert ran.returncode == 0, ran.stdout + ran.stderr
