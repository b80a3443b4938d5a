"""Outputs as SymPy expressions."""

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings

from support.close import assert_close
from support.program_strategies import PARAMETERS, points, programs
from support.raised import raised
from support.small_programs import angles, program_of
from symoro.errors import ProgramError
from symoro.ir.evaluate import evaluate
from symoro.ir.expand import expanded_size
from symoro.ir.expr import Op
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.ir.sympy_bridge import to_sympy


def test_shapes_are_expressions_columns_matrices_and_arrays():
    g = Graph()
    q = angles(g, 3)
    results = [
        Result("E", (), (q[0] * q[1],), ("E",)),
        Result("V", (2,), (q[0], q[1]), ("V1", "V2")),
        Result("M", (2, 1), (q[0], -q[1]), ("M1", "M2")),
        Result("T", (1, 2, 1), (q[0], q[1]), ("T1", "T2")),
    ]
    program = extract(g, program_of(g, q).inputs, [], results)
    found = to_sympy(program)
    a, b = sympy.symbols("q1 q2")
    assert found["E"] == a * b
    assert found["V"] == sympy.Matrix([a, b])
    assert found["M"] == sympy.Matrix([[a], [-b]])
    assert found["T"].shape == (1, 2, 1)
    assert found["E"].subs({"q1": 2, "q2": 3}) == 6


def test_constants_are_exact():
    g = Graph()
    a = g.symbol("a")
    found = to_sympy(program_of(g, [a * g.pi / 3, a / 3, a * g.sqrt(g.constant(2))]))["Y"]
    x = sympy.Symbol("a")
    assert found[0] == x * sympy.pi / 3
    assert found[1] == x / 3
    assert float(found[2].subs(x, 1)) == pytest.approx(2**0.5)


def test_real_symbols_on_request():
    g = Graph()
    program = program_of(g, [g.sqrt(g.symbol("a") * g.symbol("a"))])
    assert to_sympy(program, real=True)["Y"][0] == sympy.Abs(sympy.Symbol("a", real=True))


def test_large_systems_and_endless_expressions_are_refused():
    g = Graph()
    q = angles(g, 5)
    x = g.solve([[q[(i * j + j) % 5] for j in range(5)] for i in range(5)], q)
    with raised("programs.large_system", ProgramError, count=5):
        to_sympy(program_of(g, x, n=5))
    a, b = q[:2]
    for _ in range(200):
        a, b = a * b + 1, a
    program = program_of(g, [a])
    assert expanded_size(program) > 10**40
    with pytest.raises(ProgramError, match=r"about 10\^\d+ operations"):
        to_sympy(program)


def test_size_counts_every_use():
    g = Graph()
    a, b, _ = angles(g, 3)
    s = a + b
    assert expanded_size(program_of(g, [s * s, s])) == 4


def _uses(program: Program, *ops: Op) -> bool:
    return any(i.op in ops for i in (*program.setup, *program.instructions))


@settings(max_examples=60, deadline=None)
@given(programs(4), points)
def test_sympy_means_what_evaluate_means(program, point):
    assume(not _uses(program, Op.SOLVE, Op.MIN, Op.MAX))  # SymPy orders these itself, slowly
    inputs, parameters = point
    numbers = dict(zip(PARAMETERS, parameters.values(), strict=True))
    for array in program.inputs:
        numbers.update(zip((v.name for v in array.variables), inputs[array.name], strict=True))
    expected = evaluate(program, inputs, parameters)
    for name, expression in to_sympy(program).items():
        elements = list(expression) if isinstance(expression, sympy.MatrixBase) else [expression]
        found = [complex(sympy.N(e.subs(numbers))) for e in elements]
        np.testing.assert_allclose(found, expected[name].reshape(-1), rtol=1e-9, atol=1e-9)


def test_systems_minimum_and_choice():
    g = Graph()
    a, b, c = angles(g, 3)
    x, y = g.solve([[a, b], [c, a]], [g.one, b])
    low = g.apply(Op.MIN, a, b) + g.select(g.less(a, b), c, g.apply(Op.MAX, a, c))
    program = program_of(g, [x, y, low, g.apply(Op.EQUAL, a, b) + g.apply(Op.LESS_EQUAL, a, b)])
    q = [1.5, 0.25, 2.0]
    found = [float(e.subs(dict(zip(("q1", "q2", "q3"), q, strict=True)))) for e in to_sympy(program)["Y"]]
    assert_close(found, evaluate(program, {"q": q}, {})["Y"], 1e-14)
