"""The code of every target and every runtime means what `evaluate` says."""

from __future__ import annotations

import ctypes
import importlib.util
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.close import assert_close
from support.small_programs import (
    array,
    constants_only,
    every_operation,
    many_joints,
    reserved_words,
    result,
    six_equations,
)
from support.tools import COMPILER, needs_compiler
from symoro.emit import emit
from symoro.emit.selftest import Golden, golden
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program, Variable
from symoro.ir.spec import validate
from symoro.runtime import compile_program

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
Array = np.ndarray[Any, Any]


# programs


def random_program(seed: int) -> Program:
    """Random operations on random operands, kept within the domains of the functions."""
    r = random.Random(seed)
    g = Graph()
    q = array("q", 4)
    parameters = [Variable(f"P{i}") for i in range(3)]
    pool = [g.symbol(v.name) for v in (*q.variables, *parameters)] + [g.lift(r.choice([2, -0.5, 3])), g.pi]

    def pick() -> Expr:
        x = r.choice(pool[-12:] if r.random() < 0.7 else pool)
        return -x if r.random() < 0.3 else x

    def small(x: Expr) -> Expr:
        return x / (1 + abs(x))

    def solved() -> Expr:
        n = r.choice([2, 3])
        rows = [[small(pick()) + (3 if i == j else 0) for j in range(n)] for i in range(n)]
        return r.choice(g.solve(rows, [pick() for _ in range(n)]))

    make: list[Callable[[], Expr]] = [
        lambda: pick() + pick(),
        lambda: pick() - pick(),
        lambda: small(pick()) * pick(),
        lambda: pick() / (1 + abs(pick())),
        lambda: g.sqrt(abs(pick()) + 0.1),
        lambda: g.apply(r.choice([Op.SIN, Op.COS]), pick()),
        lambda: g.apply(r.choice([Op.TAN, Op.ASIN, Op.ACOS, Op.EXP]), 0.9 * small(pick())),
        lambda: g.atan2(pick(), 2 + abs(pick())),
        lambda: g.apply(r.choice([Op.MIN, Op.MAX]), pick(), pick()),
        lambda: g.apply(r.choice([Op.LESS, Op.LESS_EQUAL, Op.EQUAL]), pick(), pick()),
        lambda: g.select(g.less(pick(), pick()), pick(), pick()),
        lambda: g.select(pick(), pick(), g.sign(pick())),
        solved,
    ]
    for k in range(r.randint(5, 60)):
        x = r.choice(make)()
        pool.append(g.name(x, f"T{k}") if r.random() < 0.4 else x)
    return validate(extract(g, [q], parameters, [result("Z", (6,), pool[-6:])]))


PROGRAMS: dict[str, Program] = {
    "every": every_operation(),
    "reserved-words": reserved_words(),
    "joints": many_joints(),
    "six": six_equations(),
    "constants": constants_only(),
    **{f"random{seed}": random_program(seed) for seed in range(40)},
}


# the callables of each target: (inputs by name, parameters) -> outputs by name, for rows of cases


def run_function(program: Program, backend: str, case: Golden) -> dict[str, Array]:
    f = compile_program(program, backend)
    inputs = {i.name: case.inputs[i.name].reshape(20, *i.shape) for i in program.inputs}
    found = f(**inputs, values=case.parameters)
    outputs = found if isinstance(found, tuple) else (found,)
    return {o.name: a.reshape(len(a), -1) for o, a in zip(program.outputs, outputs, strict=True)}


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_agree(found: Mapping[str, Array], case: Golden) -> None:
    """Every case agrees on its own; cases whose reference is not finite are left out."""
    for name, wanted in case.outputs.items():
        rows = np.isfinite(wanted).all(axis=1)
        assert rows.any()
        mine = np.broadcast_to(found[name], wanted.shape)[rows]
        for one, other in zip(mine, wanted[rows], strict=True):
            assert_close(one, other, case.tolerance)


# the tests


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("name", [n for n in PROGRAMS if "random" not in n])
def test_runtimes_agree_with_evaluate(name: str, backend: str) -> None:
    case = golden(PROGRAMS[name], {})
    assert case.tolerance == 1e-12
    assert_agree(run_function(PROGRAMS[name], backend, case), case)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_runtimes_agree_with_evaluate_on_random_programs(seed: int) -> None:
    program = random_program(seed)
    case = golden(program, {}, seed=seed)
    assert_agree(run_function(program, "llvm", case), case)
    assert_agree(run_function(program, "numpy", case), case)


@pytest.mark.parametrize("name", PROGRAMS)
def test_python_module_agrees_with_evaluate(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, test = emit(PROGRAMS[name], "python", tmp_path, name, f'A "title" \'\'\'\\ """ of {name}')
    case = golden(PROGRAMS[name], {}, seed=1)
    module = load(path, path.stem)
    inputs = [case.inputs[i.name].reshape(20, *i.shape) for i in PROGRAMS[name].inputs]
    found = getattr(module, path.stem)(*inputs, constants=module.set_up(dict(case.parameters)))
    outputs = found if isinstance(found, tuple) else (found,)
    rows = {o.name: a.reshape(len(a), -1) for o, a in zip(PROGRAMS[name].outputs, outputs, strict=True)}
    assert_agree(rows, case)
    monkeypatch.setitem(sys.modules, path.stem, module)
    assert load(test, test.stem).main() == 0


@pytest.fixture(scope="module")
def c_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Every program in one shared library, compiled without a warning."""
    folder = tmp_path_factory.mktemp("c")
    sources = [str(emit(p, "c", folder / name, name)[1]) for name, p in PROGRAMS.items()]
    assert COMPILER is not None
    subprocess.run([COMPILER, *WARNINGS, "-fPIC", "-shared", *sources, "-lm", "-o", folder / "all.so"], check=True)
    return ctypes.CDLL(str(folder / "all.so"))


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_c_agrees_with_evaluate(name: str, c_library: ctypes.CDLL) -> None:
    program, symbol = PROGRAMS[name], name.replace("-", "_")
    case = golden(program, {}, seed=2)
    parameters = np.array([case.parameters[p.name] for p in program.parameters] or [0.0])
    setup = np.zeros(1 + len(program.parameters) + sum(len(i.results) for i in program.setup))
    pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)  # noqa: E731
    getattr(c_library, f"{symbol}_set_up")(pointer(parameters), pointer(setup))
    found = {o.name: np.zeros((20, len(o.elements))) for o in program.outputs}
    for k in range(20):
        inputs = [pointer(np.ascontiguousarray(case.inputs[i.name][k])) for i in program.inputs]
        getattr(c_library, symbol)(pointer(setup), *inputs, *(pointer(found[o.name][k]) for o in program.outputs))
    assert_agree(found, case)


@needs_compiler
@pytest.mark.parametrize("name", ["every", "reserved-words", "constants"])
def test_c_package_builds_and_passes_its_self_test(name: str, tmp_path: Path) -> None:
    emit(PROGRAMS[name], "c", tmp_path, name, "A title */ with ??/ traps \\")
    source = tmp_path / f"{name.replace('-', '_')}.c"
    assert COMPILER is not None
    for file in ("selftest.c", "main.c"):
        subprocess.run([COMPILER, *WARNINGS, source, tmp_path / file, "-lm", "-o", tmp_path / "a.out"], check=True)
        ran = subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=True)
        assert "passed" in ran.stdout or file == "main.c"


@needs_compiler
def test_the_self_test_fails_when_the_code_is_wrong(tmp_path: Path) -> None:
    emit(PROGRAMS["joints"], "c", tmp_path, "joints")
    source = tmp_path / "joints.c"
    right = source.read_text()
    source.write_text(right.replace("cosine[2];", "cosine[2] + 1e-10;"))
    assert source.read_text() != right
    assert COMPILER is not None
    subprocess.run([COMPILER, source, tmp_path / "selftest.c", "-lm", "-o", tmp_path / "a.out"], check=True)
    ran = subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "FAILED" in ran.stdout


@needs_compiler
@pytest.mark.parametrize("flags", ["-O0", "-O2", "-O3 -march=native -ffp-contract=fast", "-Ofast -march=native"])
def test_sines_and_cosines_in_c_are_right_for_small_and_large_angles(flags: str, tmp_path: Path) -> None:
    """Those of the C library for numbers with more digits tell: near multiples of pi/2, up to 1e5, and above."""
    g = Graph()
    x = g.symbol("q1")
    program = extract(g, [array("q", 1)], [], [result("Z", (2,), (g.name(g.sin(x), "S1"), g.name(g.cos(x), "C1")))])
    source = emit(program, "c", tmp_path, "turn")[1]
    assert "sines_and_cosines" in source.read_text()
    assert COMPILER is not None
    library = tmp_path / "turn.so"
    subprocess.run([COMPILER, *WARNINGS, *flags.split(), "-fPIC", "-shared", source, "-lm", "-o", library], check=True)
    turn = ctypes.CDLL(str(library)).turn
    rng = np.random.default_rng(0)
    quarters = np.arange(-2000, 2001) * (np.pi / 2)
    angles = np.concatenate((
        [0.0, 1e-300, -1e-8, 99999.99, 1e5, np.nextafter(1e5, 2e5), 1e9, 1e22],
        quarters, np.nextafter(quarters, 1e9), rng.uniform(-7, 7, 20_000), rng.uniform(-1.1e5, 1.1e5, 20_000),
    ))  # fmt: skip
    found = np.zeros((len(angles), 2))
    pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)  # noqa: E731
    setup = np.zeros(1)
    for q, z in zip(angles[:, None], found, strict=True):
        turn(pointer(setup), pointer(q), pointer(z))
    more = angles.astype(np.longdouble)
    wanted = np.stack((np.sin(more), np.cos(more)), axis=1)
    assert np.finfo(np.longdouble).eps < 1e-18
    assert np.all(np.abs(found - wanted) <= 3 * np.spacing(np.abs(wanted.astype(float))))


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_special_values_are_those_of_evaluate(backend: str) -> None:
    """sign(0), comparisons of equal numbers, infinities and NaN."""
    g = Graph()
    x, y = g.symbol("q1"), g.symbol("q2")
    elements = [
        *(g.apply(op, x, y) for op in (Op.MIN, Op.MAX, Op.LESS, Op.LESS_EQUAL, Op.EQUAL, Op.ATAN2)),
        g.sign(x),
        g.select(x, y, g.lift(7)),
        abs(x),
        *g.solve([[x, y], [y, x]], (g.one, g.one)),
    ]
    program = extract(g, [array("q", 2)], [], [result("Z", (len(elements),), elements)])
    f = compile_program(program, backend)
    special = (0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)
    for q in np.array([(a, b) for a in special for b in special]):
        wanted = evaluate(program, {"q": q}, {})["Z"]
        found = f(q)
        if not np.isfinite(q).all():  # an infinite matrix has no solution that all methods agree on
            wanted, found = wanted[:-2], found[:-2]
        np.testing.assert_array_equal(found, wanted, err_msg=str(q))
