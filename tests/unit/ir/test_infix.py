"""Printed formulas have the value of their expressions: Python evaluates them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings

from support.program_strategies import points, programs
from support.small_programs import program_of, rebuild
from symoro.errors import ProgramError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import ONE, PI, Constant, Op, constant
from symoro.ir.graph import Graph
from symoro.ir.infix import Dialect, OperationTree, Statement, Term, statements, write
from symoro.ir.program import Program
from symoro.ir.spec import validate


def tree(op, *args):
    return OperationTree(op, tuple(a if isinstance(a, Term) else Term(a) for a in args))


def neg(value):
    return Term(value, True)


TWO, HALF = constant(2), constant(0.5)
FUNCTIONS = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan2": math.atan2,
    "exp": math.exp,
    "abs": abs,
    "sign": lambda x: float(np.sign(x)),
    "min": min,
    "max": max,
    "select": lambda c, a, b: a if c else b,
    "pi": math.pi,
    "solve": lambda *args: np.linalg.solve(*_system(args)),
}


def _system(args):
    n = math.isqrt(len(args))
    return np.reshape(args[: n * n], (n, n)), np.array(args[n * n :])


def run(made: list[Statement], names: dict) -> dict:
    for statement in made:
        value = eval(write(statement.right), dict(FUNCTIONS), names)
        values = value if statement.right.op is Op.SOLVE else [value]
        names.update(zip(statement.names, map(float, values), strict=True))
    return names


@pytest.mark.parametrize(
    ("right", "text"),
    [
        (tree(Op.DIV, "a", tree(Op.MUL, "b", "c")), "a/(b*c)"),
        (tree(Op.DIV, "a", tree(Op.DIV, "b", "c")), "a/(b/c)"),
        (tree(Op.DIV, tree(Op.DIV, "a", "b"), "c"), "a/b/c"),
        (tree(Op.DIV, tree(Op.MUL, "a", "b"), "c"), "a*b/c"),
        (tree(Op.MUL, neg(tree(Op.ADD, "a", "b")), "c"), "-(a + b)*c"),
        (tree(Op.ADD, neg("a"), "b"), "b - a"),
        (tree(Op.ADD, neg("a"), neg("b")), "-a - b"),
        (tree(Op.ADD, "a", neg(tree(Op.ADD, "b", neg("c")))), "a + c - b"),
        (tree(Op.MUL, "a", "a"), "a**2"),
        (tree(Op.MUL, neg("a"), "a"), "-a**2"),
        (tree(Op.MUL, tree(Op.MUL, "a", "a"), tree(Op.MUL, "a", "a")), "(a**2)**2"),
        (tree(Op.MUL, tree(Op.MUL, neg("a"), "a"), "b"), "-a**2*b"),
        (tree(Op.MUL, tree(Op.ADD, "a", "b"), tree(Op.ADD, "a", "b")), "(a + b)**2"),
        (tree(Op.DIV, "a", tree(Op.MUL, "b", "b")), "a/(b**2)"),
        (tree(Op.MUL, "a", tree(Op.MUL, TWO, "b")), "2*a*b"),
        (tree(Op.MUL, "a", tree(Op.DIV, ONE, "b")), "a/b"),
        (tree(Op.MUL, tree(Op.DIV, ONE, tree(Op.ADD, "a", "b")), tree(Op.MUL, "c", TWO)), "2*c/(a + b)"),
        (tree(Op.MUL, tree(Op.DIV, neg(ONE), "b"), "a"), "-a/b"),
        (tree(Op.MUL, tree(Op.DIV, ONE, "b"), tree(Op.DIV, ONE, neg("c"))), "-1/b/c"),
        (tree(Op.MUL, tree(Op.DIV, "a", neg("b")), "c"), "-a/b*c"),
        (tree(Op.MUL, "a", tree(Op.MUL, HALF, "a")), "1/2*a**2"),
        (tree(Op.MUL, tree(Op.MUL, "a", "b"), neg("a")), "-a**2*b"),
        (tree(Op.MUL, tree(Op.MUL, "a", "a"), "a"), "a**2*a"),
        (tree(Op.MUL, TWO, tree(Op.MUL, HALF, "a")), "a"),
        (tree(Op.ADD, "a", tree(Op.ADD, "b", "a")), "2*a + b"),
        (tree(Op.ADD, neg("a"), tree(Op.ADD, neg("b"), neg("a"))), "-2*a - b"),
        (tree(Op.ADD, tree(Op.MUL, "a", "b"), tree(Op.ADD, "c", neg(tree(Op.MUL, "b", "a")))), "c"),
        (tree(Op.ADD, tree(Op.MUL, HALF, "a"), tree(Op.MUL, "a", HALF)), "a"),
        (tree(Op.ADD, ONE, neg(tree(Op.ADD, ONE, tree(Op.MUL, "a", "a")))), "-a**2"),
        (tree(Op.ADD, "a", neg("a")), "0"),
        (tree(Op.MUL, tree(Op.ADD, "a", neg("a")), "b"), "(0)*b"),
        (tree(Op.DIV, "a", Constant(PI.coefficient * 3, pi=True)), "a/(3*pi)"),
        (tree(Op.SIN, neg(tree(Op.MUL, "a", neg("b")))), "sin(a*b)"),
        (tree(Op.LESS, "a", neg("b")), "(a < -b)"),
        (tree(Op.ATAN2, "a", tree(Op.ADD, "b", "c")), "atan2(a, b + c)"),
        (tree(Op.SELECT, "a", "b", neg("c")), "select(a, b, -c)"),
    ],
)
def test_text(right, text):
    assert write(right) == text
    numbers = {"a": 1.7, "b": -0.3, "c": 2.9}
    assert eval(text, dict(FUNCTIONS), numbers) == pytest.approx(_value(right, numbers))


def _value(item, numbers):
    """The meaning of a tree, without its text."""
    if isinstance(item, Term):
        value = _value(item.value, numbers)
        return -value if item.negative else value
    if isinstance(item, str):
        return numbers[item]
    if isinstance(item, Constant):
        return float(item)
    binary = {Op.ADD: lambda x, y: x + y, Op.MUL: lambda x, y: x * y, Op.DIV: lambda x, y: x / y}
    binary[Op.LESS] = lambda x, y: x < y
    return (binary.get(item.op) or FUNCTIONS[item.op.value])(*(_value(a, numbers) for a in item.args))


def test_a_dialect_changes_names_numbers_functions_and_squares():
    dialect = Dialect(
        name=lambda n: f"p.{n}",
        number=lambda c: f"{float(c):.1f}",
        functions={Op.ABS: "fabs"},
        select="{0} ? {1} : {2}",
        square=None,
    )
    assert write(tree(Op.MUL, "a", "a"), dialect) == "p.a*p.a"
    assert write(tree(Op.ADD, tree(Op.ABS, "a"), PI), dialect) == "fabs(p.a) + 3.1"
    assert write(tree(Op.SELECT, "a", "b", "c"), dialect) == "p.a ? p.b : p.c"


def test_long_sums_and_products_need_no_recursion():
    g = Graph()
    total, power = g.zero, g.one
    for i in range(3000):
        total = total + g.symbol(f"s{i}")
        power = power * g.symbol(f"s{i}")
    program = program_of(g, [total, power], parameters=" ".join(f"s{i}" for i in range(3000)))
    first, second = (write(s.right) for s in statements(program.setup))
    assert first.count(" + ") == second.count("*") == 2999


def test_deep_formulas_are_cut_into_lines():
    g = Graph()
    x = g.symbol("a")
    for _ in range(3000):
        x = g.sin(x) * g.symbol("b") + 1
    program = validate(program_of(g, [x]))
    assert 10 < len([write(s.right) for s in statements(program.setup)]) < 1000


@settings(max_examples=150, deadline=None)
@given(programs(), points)
def test_python_reads_back_what_is_printed(program: Program, point):
    """Of the program itself, and of what building makes of it, where intermediate results are written out."""
    inputs, parameters = point
    expected = evaluate(program, inputs, parameters)
    assume(all(np.abs(v).max() < 1e6 for v in expected.values()))
    for one in (program, *_built(program)):
        names = dict(parameters)
        for array in one.inputs:
            names.update(zip((v.name for v in array.variables), inputs[array.name], strict=True))
        found = run([*statements(one.setup), *statements(one.instructions)], names)
        for output in one.outputs:
            for element, value in zip(output.elements, expected[output.name].reshape(-1), strict=True):
                mine = (-1 if element.negative else 1) * found[element.name] if hasattr(element, "name") else None
                assert mine is None or mine == pytest.approx(value, rel=1e-9, abs=1e-9)


def _built(program):
    try:
        return [rebuild(program)]
    except ProgramError:
        return []


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (constant(0.5), "1/2"),
        (constant(Fraction(2, 3)), "2/3"),
        (constant(Fraction(22, 7)), "22/7"),
        (constant(0.3), "0.3"),
        (constant(0.1157), "0.1157"),
        (constant(0.449033000000006), "0.449033000000006"),
        (constant(1e-7), "1e-07"),
        (constant(Fraction(1, 5**60)), f"1/{5**60}"),
        (Constant(Fraction(1, 10), pi=True), "pi/10"),
    ],
)
def test_a_number_is_a_decimal_where_that_is_exact_and_no_fraction_is_usual(number, text):
    assert write(Term(number)) == text
    if "pi" not in text and "e" not in text:
        assert Fraction(text) == number.coefficient
