"""Crates of Rust without the C library (feature libm), and without warnings of clippy."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.one_operation import operation
from support.small_programs import every_operation
from support.tools import needs_cargo
from symoro.emit import Source, emit, emit_all
from symoro.ir.expr import Op

#: Each function with a fair range of arguments, and the one of Python.
FUNCTIONS: dict[Op, tuple[float, float, Callable[[float], float]]] = {
    Op.SIN: (-1.5e6, 1.5e6, math.sin),
    Op.COS: (-1.5e6, 1.5e6, math.cos),
    Op.TAN: (-1.5, 1.5, math.tan),
    Op.ASIN: (-1, 1, math.asin),
    Op.ACOS: (-1, 1, math.acos),
    Op.EXP: (-700, 700, math.exp),
    Op.SQRT: (0, 1e9, math.sqrt),
}
SYMBOLS = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "floor", "fmod")


def cargo(folder: Path, *words: str) -> str:
    done = subprocess.run(["cargo", *words, "--offline"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_cargo
@pytest.mark.parametrize("precision", ["double", "float"])
def test_a_crate_needs_no_library_with_the_feature_libm(precision: str, tmp_path: Path) -> None:
    emit(every_operation(), "rust", tmp_path, "every", precision=precision)
    cargo(tmp_path, "test", "--quiet", "--features", "libm")
    cargo(tmp_path, "build", "--release", "--quiet", "--features", "libm")
    listed = subprocess.run(
        ["nm", "-u", "target/release/libevery.rlib"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    undefined = {line.split()[-1] for line in listed.stdout.splitlines() if " U " in f" {line}"}
    assert not undefined & {name + ending for name in SYMBOLS for ending in ("", "f")}


@needs_cargo
@pytest.mark.skipif(shutil.which("cargo-clippy") is None, reason="there is no clippy")
@pytest.mark.parametrize("feature", [[], ["--features", "libm"]])
def test_clippy_has_no_warning(feature: list[str], tmp_path: Path) -> None:
    symoro.direct_dynamics("scara").emit("rust", tmp_path / "model")
    symoro.inverse_geometry("general6r").emit("rust", tmp_path / "inverse")
    for name in ("model", "inverse"):
        cargo(
            tmp_path / name,
            "clippy",
            "--quiet",
            "--all-targets",
            *feature,
            "--config",
            'build.rustflags=["-Dwarnings"]',
        )
        assert "clippy::all" not in (tmp_path / name / "lib.rs").read_text()


@needs_cargo
def test_functions_of_the_crate_are_those_of_python(tmp_path: Path) -> None:
    sources = [Source(operation(op), f"f_{op.value}") for op in FUNCTIONS]
    emit_all([*sources, Source(operation(Op.ATAN2, 2), "f_atan2")], "rust", tmp_path, "own")
    rng = np.random.default_rng(5)
    points = {op: rng.uniform(low, high, 400) for op, (low, high, _) in FUNCTIONS.items()}
    pairs = [*rng.normal(size=(400, 2)), (0.0, -1.0), (-0.0, -1.0), (0.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (1e-9, 1.0)]
    lines = ["use own::*;", "fn main() { let p = Parameters::default(); let mut y = 0.0;"]
    for op, x in points.items():
        name = f"f_{op.value}"
        lines += [f"let s = {name}_set_up(&p);"]
        lines += [f'{name}(&s, &{float(a)!r}, &mut y); println!("{{y:e}}");' for a in x]
    lines += ["let s = f_atan2_set_up(&p);"]
    lines += [f'f_atan2(&s, &{float(a)!r}, &{float(b)!r}, &mut y); println!("{{y:e}}");' for a, b in pairs]
    (tmp_path / "main.rs").write_text("\n".join([*lines, "}"]))
    printed = cargo(tmp_path, "run", "--quiet", "--features", "libm", "--example", "own_example")
    found = iter(np.array(printed.split(), dtype=float))
    for op, x in points.items():
        for a in x:
            wanted = FUNCTIONS[op][2](a)
            assert abs(next(found) - wanted) <= 4e-16 * (1 + abs(wanted)), (op, a)
    for a, b in pairs:
        assert abs(next(found) - math.atan2(a, b)) <= 9e-16, (a, b)
