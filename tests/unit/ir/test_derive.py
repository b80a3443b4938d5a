"""Derivatives: of every operation, of arrays, by parameters, in both modes."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy

from support.close import assert_close
from support.precise import scalars, slopes
from support.raised import raised
from support.small_programs import angles, equations, program_of
from symoro.errors import ProgramError
from symoro.ir.derive import derivative
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import LEAVES, Op, solve_count
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.jacobian import PARTIALS, jacobian
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Output, Variable
from symoro.ir.spec import validate
from symoro.ir.sympy_bridge import to_sympy

MODES = ("forward", "reverse", "auto")


def test_the_table_has_every_operation_and_every_argument():
    from symoro.ir.expr import ARITY

    assert set(PARTIALS) == set(Op) - LEAVES - {Op.SOLVE, Op.ITEM}
    assert {op: len(row) for op, row in PARTIALS.items()} == ARITY


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("op", PARTIALS)
def test_each_operation_has_the_slope_of_finite_differences(op, mode):
    g = Graph()
    a, b, c = angles(g, 3)
    args = {1: (a,), 2: (-a, b), 3: (g.less(a, b), c * a, -b)}[len(PARTIALS[op])]
    program = program_of(g, [g.apply(op, *args), -g.apply(op, *args) * c])
    made = validate(derivative(program, "q", mode))
    for q in ([0.3, 0.7, -0.2], [0.9, 0.4, 2.0]):
        expected = slopes(program, scalars(program, {"q": q}, {}), ["q1", "q2", "q3"])["Y"]
        np.testing.assert_allclose(evaluate(made, {"q": q}, {})["dY_dq"], expected, atol=1e-14)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_system_of_equations(n, mode):
    g = Graph()
    q, p = angles(g, 4), g.symbol("a")
    matrix = [[g.sin(q[(i + j) % 4] * (i + 1)) + (5 if i == j else 0) * p for j in range(n)] for i in range(n)]
    x = g.solve(matrix, [q[i] * q[0] - p for i in range(n)])
    program = program_of(g, [x[0] * q[1], *x], n=4)
    point = {"q": [0.3, -0.8, 1.1, 0.5]}, {"a": 1.3}
    numbers = scalars(program, *point)
    for wrt, names, suffix in (("q", ["q1", "q2", "q3", "q4"], "q"), (["a"], ["a"], "parameters")):
        found = evaluate(validate(derivative(program, wrt, mode)), *point)[f"dY_d{suffix}"]
        np.testing.assert_allclose(found, slopes(program, numbers, names)["Y"], rtol=1e-12, atol=1e-14)


def test_derivatives_agree_with_sympy():
    g = Graph()
    a, b, c = angles(g, 3)
    y = [g.sin(a * b) / c + g.sqrt(a + b**2), g.atan2(a, c) * g.apply(Op.EXP, -b)]
    program = program_of(g, y)
    expressions = to_sympy(program)["Y"]
    symbols = sympy.symbols("q1 q2 q3")
    for mode in MODES:
        found = to_sympy(derivative(program, "q", mode))["dY_dq"]
        assert (found - expressions.jacobian(symbols)).applyfunc(sympy.simplify) == sympy.zeros(2, 3)


@pytest.mark.parametrize("mode", MODES)
def test_shapes_names_and_meanings(mode):
    g = Graph()
    x = Input("x", (2, 1), (Variable("x11", Meaning(unit="m")), Variable("x21")))
    u, v, k = g.symbol("x11"), g.symbol("x21"), g.symbol("k")
    results = [
        Result("M", (1, 2), (u * v, k * u), ("M11", "M12"), (Meaning("work", "J", 2, "K97:1"), Meaning())),
        Result("E", (), (k * k * v,), ("E",)),
    ]
    program = derivative(extract(g, [x], [Variable("k")], results), "x", mode)
    validate(program)
    first, second = program.outputs
    assert (first.name, first.shape) == ("dM_dx", (1, 2, 2, 1))
    assert first.names == ("dM11_dx11", "dM11_dx21", "dM12_dx11", "dM12_dx21")
    assert first.meanings[0] == Meaning("derivative by x11 of work", "(J)/(m)", 2)
    assert (second.name, second.shape) == ("dE_dx", (2, 1))
    assert equations(program) == {"X1": "k**2"}  # a variable that the program has keeps its name
    assert [i.results for i in program.setup] == [("X1",)]


def test_element_names_are_unique():
    g = Graph()
    program = program_of(g, [angles(g, 1)[0] * g.symbol("a"), g.symbol("b")])
    program = replace(program, outputs=tuple(replace(o, names=("Y", "Y")) for o in program.outputs))
    names = derivative(program, "q").outputs[0].names
    assert len(set(names)) == 6
    assert {"dY_dq1", "dY_dq1_2"} <= set(names)


def test_by_parameters_the_setup_stays_apart():
    g = Graph()
    q, a, b = angles(g, 1)[0], g.symbol("a"), g.symbol("b")
    program = program_of(g, [g.sin(a * b) * q, a / b])
    for mode in MODES:
        made = validate(derivative(program, ["b", "a"], mode))
        assert made.outputs[0].shape == (2, 2)
        assert made.outputs[0].names[:2] == ("dY1_db", "dY1_da")
        found = evaluate(made, {"q": [1.5, 0, 0]}, {"a": 2.0, "b": 3.0})["dY_dparameters"]
        assert_close(found, [[3 * math.cos(6), 4.5 * math.cos(6)], [-2 / 9, 1 / 3]], 1e-14)
        assert not any(i.op in (Op.COS, Op.DIV) for i in made.instructions)
    assert derivative(program, "a").outputs[0].shape == (2,)
    assert derivative(program, "a").outputs[0].name == "dY_da"


def test_by_several_arrays_each_has_its_output():
    g = Graph()
    x = Input("x", (1,), (Variable("x1"),))
    y = Input("y", (1,), (Variable("y1"),))
    z = g.symbol("x1") * g.symbol("y1") * g.symbol("k")
    program = extract(g, [x, y], [Variable("k")], [Result("Z", (), (z,), ("Z",))])
    made = derivative(program, ["y", "x", "k"])
    assert [o.name for o in made.outputs] == ["dZ_dy", "dZ_dx", "dZ_dparameters"]
    found = evaluate(made, {"x": [2.0], "y": [3.0]}, {"k": 5.0})
    assert [float(v[0]) for v in found.values()] == [10.0, 15.0, 6.0]


@pytest.mark.parametrize("wrt", ["nothing", ["q", "Z9"], [], ["a", "a"]])
def test_an_unknown_name_lists_what_is_allowed(wrt):
    g = Graph()
    program = program_of(g, [angles(g, 1)[0] * g.symbol("a")])
    with raised("programs.derivative", ProgramError):
        derivative(program, wrt)


def test_bad_modes_and_bad_symbols():
    g = Graph()
    q = angles(g, 1)[0]
    with raised("programs.mode", ProgramError):
        jacobian(g, [q], [q], "sideways")
    for wrt in ([q * q], [-q], [q, q]):
        with pytest.raises(ProgramError, match="a derivative is taken by"):
            jacobian(g, [q], wrt)


def test_what_does_not_depend_is_an_exact_zero_and_costs_nothing():
    g = Graph()
    a, b, c = angles(g, 3)
    program = derivative(program_of(g, [a + b, g.sign(c), g.less(a, b)]), "q")
    assert program.ops.total == 0
    assert evaluate(program, {"q": np.ones(3)}, {})["dY_dq"].tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_a_choice_not_taken_has_no_say_even_where_it_is_infinite():
    g = Graph()
    a = angles(g, 1)[0]
    y = g.select(g.less(g.zero, a), g.sqrt(a), a * 2)
    made = derivative(program_of(g, [y]), "q", "forward")
    assert evaluate(made, {"q": [0.0, 0, 0]}, {})["dY_dq"][0, 0] == 2.0


def test_tangents_carry_the_names_of_what_they_are_of():
    g = Graph()
    a, b, _ = angles(g, 3)
    w = g.name(g.sin(a) * b, "WI12")
    made = derivative(program_of(g, [w * w * b, w + a]), "q", "forward")
    assert equations(made)["dWI12_dq1"] == "q2*C1"


def test_auto_takes_the_cheaper_mode():
    g = Graph()
    q = angles(g, 20)
    gradient = g.zero
    for x in q:
        gradient = gradient * g.sin(x) + x
    ops = {mode: derivative(program_of(g, [gradient], n=20), "q", mode).ops.total for mode in MODES}
    assert ops["auto"] == ops["reverse"] < ops["forward"]
    spread = program_of(g, [g.sin(q[0]) * x for x in q[1:]], n=1, parameters=" ".join(f"q{j}" for j in range(2, 21)))
    ops = {mode: derivative(spread, "q", mode).ops for mode in MODES}
    assert ops["auto"].total == min(ops["forward"].total, ops["reverse"].total)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_long_chain_needs_no_recursion(mode):
    g = Graph()
    x, q = g.zero, angles(g, 2)
    for k in range(3000):
        x = g.sin(x + q[k % 2])
    made = derivative(program_of(g, [x]), "q", mode)
    assert np.isfinite(evaluate(made, {"q": np.ones(3)}, {})["dY_dq"]).all()


def test_a_derivative_by_a_system_reuses_the_matrix():
    g = Graph()
    a, b, c = angles(g, 3)
    program = program_of(g, g.solve([[a, g.one], [g.one, a]], [b, c]))
    forward = derivative(program, "q", "forward")
    assert sum(i.op is Op.SOLVE for i in forward.instructions) == 4
    assert forward.ops.total <= 4 * solve_count(2).total + 4


def test_second_derivatives():
    g = Graph()
    a, b, _ = angles(g, 3)
    program = derivative(derivative(program_of(g, [g.sin(a) * b**3]), "q"), "q")
    output: Output = program.outputs[0]
    assert (output.name, output.shape) == ("ddY_dq_dq", (1, 3, 3))
    found = evaluate(program, {"q": [0.4, 2.0, 0]}, {})["ddY_dq_dq"][0]
    np.testing.assert_allclose(found, found.T)
    expected = [[-math.sin(0.4) * 8, 12 * math.cos(0.4)], [12 * math.cos(0.4), 12 * math.sin(0.4)]]
    assert_close(found[:2, :2], expected, 1e-14)
