"""The general method as code of arms with joints that are given: f(T, r) against products of matrices by NumPy."""

from __future__ import annotations

import ctypes
import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tree_sitter
import tree_sitter_julia

import symoro
from support.arms import apart, arm, configuration, forward
from support.packages import run_check
from symoro.robot.robot import Robot
from symoro.runtime.shared_library import shared_library
from symoro.solve.general.robot import GeneralDriver

Array = np.ndarray[Any, Any]
#: Eight joints of which a slide and a turn are given, in the order 7, 2; joint 2 is before and 7 behind unknown ones.
EIGHT = arm(
    "eight",
    (0, 70, -50, 80, 40, -65, 30, 95),
    (0.1, 0.2, 0.3, 0.1, 0.25, 0.15, 0.2, 0.1),
    (0.2, 20, 0.1, 0.3, 0.1, 0.2, 0.15, 0.1),
    "RPRRRRRR",
)
GIVEN = (7, 2)


@cache
def made() -> symoro.Model:
    ik = symoro.inverse_geometry(EIGHT, redundant={j: f"q{j}" for j in GIVEN})
    assert isinstance(ik.driver, GeneralDriver)
    return ik


@cache
def of_snake() -> symoro.Model:
    ik = symoro.inverse_geometry("snake20", redundant={j: f"q{j}" for j in range(1, 15)})
    assert isinstance(ik.driver, GeneralDriver)
    return ik


class Branches(ctypes.Structure):
    """The struct of the generated header."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("continuum", ctypes.c_int),
        ("q", ctypes.c_double * 6 * 64),
        ("error", ctypes.c_double * 64),
        ("free_motion", ctypes.c_double * 6 * 64),
    )


def in_c(ik: symoro.Model, folder: Path) -> Any:
    """A function (T, r) to the branches of the unknown joints; None where the code refuses."""
    files = [path for path in ik.emit("c", folder) if path.stem.endswith("geometry") and path.suffix in (".h", ".c")]
    name = files[0].stem
    library = shared_library(tuple((path.name, path.read_text(encoding="utf-8")) for path in files))

    def call(T: Array, r: Array) -> Array | None:
        found, pose, given = Branches(), np.ascontiguousarray(T), np.ascontiguousarray(r, dtype=float)
        count = getattr(library, f"{name}_at")(
            ctypes.c_void_p(pose.ctypes.data), ctypes.c_void_p(given.ctypes.data), ctypes.byref(found)
        )
        n = len(ik.joints) - len(ik.given)
        return None if count < 0 else np.array(found.q)[:count, :n]

    return call


def whole(robot: Robot, ik: symoro.Model, q: Array, r: Array) -> Array:
    """Positions of all joints from those of the unknown joints and the given ones."""
    found = np.empty((len(q), len(ik.joints)))
    places = [ik.joints.index(j) for j in ik.given]
    found[:, places] = r
    found[:, np.delete(np.arange(len(ik.joints)), places)] = q
    return found


@pytest.mark.parametrize("make", [made, pytest.param(of_snake, marks=pytest.mark.long)])
def test_every_branch_reaches_the_pose_and_the_generating_one_is_among_them(make, tmp_path):
    ik = make()
    robot, call, rng = ik.robot, in_c(ik, tmp_path), np.random.default_rng(1)
    f = ik.compile()
    for _ in range(20):
        q = configuration(robot, rng)
        T, r = forward(robot, q), q[[ik.joints.index(j) for j in ik.given]]
        found = whole(robot, ik, call(T, r), r)
        assert apart(robot, found, q).min() < 1e-7
        assert np.abs(forward(robot, found) - T).max() < 1e-9
        assert len(found) == f(T, r).valid.sum()


def test_the_second_input_is_checked(tmp_path):
    call = in_c(made(), tmp_path)
    T = forward(EIGHT, np.full(8, 0.3))
    assert call(T, np.array([0.3, 0.3])) is not None
    assert call(T, np.array([np.nan, 0.3])) is None
    assert call(T, np.array([0.3, np.inf])) is None


def languages() -> list[Any]:
    quick = ("c", "javascript", "python")
    every = (*quick, "cpp", "fortran", "rust")
    return [pytest.param(language, marks=() if language in quick else pytest.mark.long) for language in every]


@pytest.mark.parametrize("language", languages())
def test_the_code_passes_its_self_test(language, tmp_path):
    made().emit(language, tmp_path)
    ran = run_check(language, tmp_path, "eight_inverse_geometry")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"passed, \d\d+ branches", ran.stdout)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "r has the joints 7, 2, q the joints 1, 3, 4, 5, 6, 8" in readme


@pytest.mark.long
@pytest.mark.parametrize("language", ["c", "javascript"])
def test_the_self_test_sees_a_wrong_input(language, tmp_path):
    """Where the code exchanges the given joints, the self-test fails."""
    made().emit(language, tmp_path)
    source = next(tmp_path.glob(f"eight_inverse_geometry.{'mjs' if language == 'javascript' else language}"))
    text = source.read_text(encoding="utf-8")
    wrong = re.sub(r"(given_places.* = .*)0, 1", r"\g<1>1, 0", text)
    assert wrong != text
    source.write_text(wrong, encoding="utf-8")
    ran = run_check(language, tmp_path, "eight_inverse_geometry")
    assert ran.returncode != 0
    assert "FAILED" in ran.stdout


@pytest.mark.long
def test_octave_takes_the_given_joints(tmp_path):
    robot = arm("small", (0, 0, 0, 180), (0, 0.325, 0.275, 0), (0.1, 0, 0, 0), "RRRP")
    symoro.inverse_geometry(robot, method="general", redundant={2: "q2"}).emit("matlab", tmp_path)
    ran = run_check("matlab", tmp_path, "small_inverse_geometry")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "passed" in ran.stdout


def test_julia_is_grammatical(tmp_path):
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
    for path in made().emit("julia", tmp_path):
        if path.suffix == ".jl":
            assert not parser.parse(path.read_bytes()).root_node.has_error


def test_the_python_module_refuses_other_shapes(tmp_path, monkeypatch):
    made().emit("python", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("eight_inverse_geometry")
    with pytest.raises(ValueError, match=r"r: the shape is \(3,\), expected is \(2,\)"):
        module.eight_inverse_geometry(np.eye(4), [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="not finite"):
        module.eight_inverse_geometry(np.eye(4), [0.1, np.nan])
