"""Packages of CUDA: what their C interface does, run on the CPU, against `evaluate`; and nvcc compiles them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.packages import models
from support.raised import raised
from support.small_programs import array, every_operation, result
from symoro.emit import Source, emit, emit_all
from symoro.errors import TargetError
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.program import Variable

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
INVALID = 1  # cudaErrorInvalidValue


def library(folders: Sequence[Path], folder: Path) -> ctypes.CDLL:
    """The packages of these folders in one library that runs on the CPU."""
    objects = []
    for k, package in enumerate(folders):
        (source,) = package.glob("*.cu")
        for compiler, file in (("cc -x c", source.with_suffix(".c")), ("c++ -std=c++17 -x c++", source)):
            objects.append(f"{folder / f'{k}{file.suffix[1:]}'}.o")
            command = f"{compiler} -O0 -DON_CPU -fPIC -Wno-unknown-pragmas -c {file} -o {objects[-1]}"
            subprocess.run(command, shell=True, check=True)
    made = folder / "packages.so"
    subprocess.run(["c++", "-shared", *objects, "-pthread", "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


def pointer(values: Array | None) -> ctypes.c_void_p | None:
    return None if values is None else ctypes.c_void_p(values.ctypes.data)


@pytest.fixture(scope="module")
def torques() -> symoro.Model:
    return symoro.inverse_dynamics("rx90")


@pytest.fixture(scope="module")
def matrix() -> symoro.Model:
    return symoro.inertia_matrix("rx90")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, torques: symoro.Model, matrix: symoro.Model) -> ctypes.CDLL:
    """A short row of outputs and a long one, in two packages of one library."""
    folder = tmp_path_factory.mktemp("cuda")
    torques.emit("cuda", folder / "torques")
    matrix.emit("cuda", folder / "matrix")
    return library([folder / "torques", folder / "matrix"], folder)


def launched(made: ctypes.CDLL, model: symoro.Model, n: int, arrays: Sequence[Array | None], width: int) -> Array:
    """What a launch writes for n states, with the robot's numbers; a row more is given to see that it is left alone."""
    name = model.source.name
    parameters = (ctypes.c_double * len(model.parameters)).in_dll(made, f"{name}_default_parameters")
    setup, out = np.zeros(1000), np.full((n + 1, width), 7.5)
    getattr(made, f"{name}_set_up")(parameters, pointer(setup))
    status = getattr(made, f"{name}_launch")(
        pointer(setup), ctypes.c_longlong(n), *map(pointer, arrays), pointer(out), None
    )
    assert status == 0
    assert (out[n:] == 7.5).all()
    return out[:n]


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_any_number_of_states(both: ctypes.CDLL, torques: symoro.Model, matrix: symoro.Model, n: int) -> None:
    rng = np.random.default_rng(n)
    q, qd, qdd = rng.uniform(-2, 2, (3, n, 6))
    wrench = rng.uniform(-2, 2, (n, 1, 6))
    given = [q, qd, qdd, wrench][: len(torques.program.inputs)]
    if n:
        named = {i.name: x for i, x in zip(torques.program.inputs, given, strict=True)}
        wanted = evaluate(torques.program, named, torques.parameters)["GAM"]
        assert_close(launched(both, torques, n, given, 6), wanted, 1e-12)
        wanted = evaluate(matrix.program, {"q": q}, matrix.parameters)["A"]
        assert_close(launched(both, matrix, n, [q], 36), wanted.reshape(n, 36), 1e-12)
    else:
        assert launched(both, torques, n, given, 6).shape == (0, 6)


def test_wrong_numbers_of_states_are_refused(both: ctypes.CDLL) -> None:
    launch, setup, q = both.rx90_inertia_matrix_launch, np.zeros(1000), np.zeros(6)
    for n in (-1, 2**62):
        assert launch(pointer(setup), ctypes.c_longlong(n), pointer(q), pointer(np.zeros(36)), None) == INVALID
    assert launch(None, ctypes.c_longlong(1), pointer(q), pointer(np.zeros(36)), None) == INVALID


def test_null_stands_for_the_default_of_an_optional_input(tmp_path: Path) -> None:
    g = Graph()
    q, extra = array("q", 2), array("extra", 3, optional=True)
    a, b = (g.symbol(v.name) for v in q.variables)
    program = extract(g, [q, extra], [Variable("M")], [
        result("Y", (1,), [a * b + g.symbol("M") * (g.symbol("extra2") + g.symbol("extra3"))])
    ])  # fmt: skip
    emit(program, "cuda", tmp_path / "package", "optional", defaults={"M": 3.0})
    made = library([tmp_path / "package"], tmp_path)
    setup, out, rows = np.array([3.0]), np.zeros(2), np.array([[1.0, 2.0], [0.5, 0.5]])
    other = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    for given, wanted in ((None, [4.25, 2.5]), (other, [11.0, 0.25])):
        status = made.optional_launch(
            pointer(setup), ctypes.c_longlong(2), pointer(rows), pointer(given), pointer(out), None
        )
        assert status == 0
        np.testing.assert_allclose(out, wanted)


def test_what_a_kernel_cannot_hold_is_refused(tmp_path: Path) -> None:
    g = Graph()
    names = [f"P{k}" for k in range(4100)]
    q, parameters = array("q", 4100), [Variable(name) for name in names]
    sums = [g.symbol(v.name) * g.symbol(p) for v, p in zip(q.variables, names, strict=True)]
    program = extract(g, [q], parameters, [result("Y", (4100,), sums)])
    with raised("targets.too_large_for_cuda", TargetError):
        emit(program, "cuda", tmp_path, "large")
    assert not list(tmp_path.iterdir())


def nvcc_says(folder: Path) -> str:
    """All of a package, every warning an error."""
    command = "nvcc -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror *.c *.cu -o example"
    for unused in ("selftest.c", "main.c"):
        (folder / unused).rename(folder / f"{unused}.txt")
        ran = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        (folder / f"{unused}.txt").rename(folder / unused)
        if ran.returncode or ran.stderr:
            return ran.stderr
    return ""


if shutil.which("nvcc"):  # it is in no registry whole, so there is a test where there is one

    @pytest.mark.long
    @pytest.mark.parametrize("precision", ["double", "float"])
    def test_nvcc_compiles_a_package(precision: str, tmp_path: Path) -> None:
        emit_all([Source(every_operation(), "every")], "cuda", tmp_path, precision=precision)
        assert nvcc_says(tmp_path) == ""

    @pytest.mark.long
    @pytest.mark.parametrize("robot", ["scara", "satellite"])
    def test_nvcc_compiles_all_models_of_a_robot(robot: str, tmp_path: Path) -> None:
        emit_all(models(robot), "cuda", tmp_path, robot)
        assert nvcc_says(tmp_path) == ""
