"""The code of every target and every runtime means what `evaluate` says."""

from __future__ import annotations

import ctypes
import importlib.util
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.close import assert_close
from support.tools import COMPILER, needs_compiler
from symoro.emit import emit
from symoro.emit.selftest import Golden, golden
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.ops import Op
from symoro.ir.program import Input, Program, Variable
from symoro.ir.spec import validate
from symoro.runtime import compile_program

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
Array = np.ndarray[Any, Any]


# programs


def array(name: str, n: int, optional: bool = False) -> Input:
    variables = tuple(Variable(f"{name}{i + 1}", default=0.25 * i if optional else None) for i in range(n))
    return Input(name, (n,), variables, optional, Meaning("given */ // \\ values", "rad"))


def result(name: str, shape: tuple[int, ...], elements: Sequence[Expr]) -> Result:
    return Result(name, shape, tuple(elements), tuple(f"{name}{i + 1}" for i in range(len(elements))))


def every_operation() -> Program:
    """Each operation with variables, with signs, inside others and alone."""
    g = Graph()
    q, qd = array("q", 4), array("qd", 2, optional=True)
    a, b, c, d = (g.symbol(v.name, str(i + 1)) for i, v in enumerate(q.variables))
    e, f = (g.symbol(v.name) for v in qd.variables)
    m, k = g.symbol("M1"), g.symbol("K")
    safe = a / (1 + abs(a))
    unary = [g.apply(op, safe) for op in (Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.ABS, Op.SIGN)]
    sums = [g.sqrt(abs(b)), g.atan2(a, -b), -g.atan2(-m, k), g.sign(a - a * g.one), g.sign(e), a - (b - (c - d))]
    extremes = [g.apply(Op.MIN, a, -b), -g.apply(Op.MAX, a, b * c), g.apply(Op.MIN, m, k), g.apply(Op.MAX, m, -a)]
    truths = [g.apply(op, x, y) for op in (Op.LESS, Op.LESS_EQUAL, Op.EQUAL) for x, y in ((a, b), (m, k), (c, c * 1))]
    mixed = [truths[0] - truths[1] * 3, -g.apply(Op.LESS, b, a), g.apply(Op.LESS, d, c) / (2 + g.apply(Op.LESS, c, d))]
    chosen = [
        g.select(g.less(a, b), g.sqrt(abs(a)), -b),
        g.select(a - b, c, d),
        -g.select(g.less(m, k), a, m),
        g.select(g.apply(Op.EQUAL, a, a + 0 * b), b, c),
        a * g.select(g.less(c, d) * g.less(a, b), m, k),
    ]
    matrix = [[a + 3, b, -m], [c, 4 - d, a * b], [g.one, g.zero, 2 + abs(k)]]
    three = g.solve(matrix, (a, -b, m))
    fixed = g.solve([[m + 2, k], [g.one, k + 3]], (m, k))
    products = [-a * b * (c - d), (a - b) ** 2, 1 / (2 + a * a), -(a + b) / (3 + c * c), 2 * a, a * 1e-7 - 3.5e9]
    everything = [*unary, *sums, *extremes, *truths, *mixed, *chosen, *products, f]
    results = [
        result("all", (len(everything),), everything),
        result("X", (3,), three),
        result("Y", (1,), fixed[1:]),
        result("A", (2, 3), (a, g.zero, g.pi, -g.one, m, -(b + c))),
    ]
    return validate(extract(g, [q, qd], [Variable("M1"), Variable("K", Meaning("stiffness", "N/m"))], results))


def reserved_words() -> Program:
    """Names that languages forbid, as arrays, inputs, parameters and intermediate variables."""
    words = ["lambda", "I", "E", "y0", "j1", "gamma", "double", "sin", "np", "abs", "for", "None", "setup", "main", "α"]
    g = Graph()
    inputs = [
        Input("in", (3,), tuple(Variable(n) for n in ("if", "and", "exp"))),
        Input("class", (2, 2), tuple(Variable(n) for n in ("x", "X", "new", "_"))),
    ]
    symbols = [g.symbol(v.name) for i in inputs for v in i.variables]
    parameters = [Variable(w) for w in words]
    total = g.zero
    for k, word in enumerate(words):
        total = g.name(total * g.sin(symbols[k % 7]) + g.symbol(word), f"while{k % 3}" if k % 2 else "switch")
    setup = g.name(g.symbol("I") * g.symbol("E") + g.symbol("lambda"), "return")
    results = [result("float", (2,), (total, setup * symbols[0])), result("def", (), (g.name(total * setup, "int"),))]
    return validate(extract(g, inputs, parameters, results))


def many_joints(n: int = 13) -> Program:
    """More than 12 joints: names of sums of angles must stay distinct."""
    g = Graph()
    q = [g.symbol(f"q{i + 1}", str(i + 1)) for i in range(n)]
    sines = [g.sin(q[0] + q[i]) * g.cos(q[i]) for i in range(n)] + [g.sin(q[0] + q[1] + q[i]) for i in range(n)]
    return validate(extract(g, [array("q", n)], [], [result("GAM", (2 * n,), sines)]))


def six_equations() -> Program:
    g = Graph()
    entries = array("a", 36), array("b", 6)
    a, b = ([g.symbol(v.name) for v in i.variables] for i in entries)
    rows = [[a[6 * i + j] + (2 if i == 5 - j else 0) for j in range(6)] for i in range(6)]
    return validate(extract(g, entries, [], [result("x", (6,), g.solve(rows, b))]))


def constants_only() -> Program:
    """No parameters, an input that nothing reads, an input without elements, outputs that are numbers."""
    g = Graph()
    return extract(g, [array("q", 2), array("none", 0)], [], [result("J", (2, 2), (g.one, g.zero, -g.pi, g.lift(2.5)))])


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
    setup = np.zeros(1 + len(program.parameters) + len(program.setup_results()))
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
    source.write_text(source.read_text().replace("cos(q3)", "cos(q3) + 1e-10"))
    assert COMPILER is not None
    subprocess.run([COMPILER, source, tmp_path / "selftest.c", "-lm", "-o", tmp_path / "a.out"], check=True)
    ran = subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "FAILED" in ran.stdout


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
