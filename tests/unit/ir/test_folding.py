"""Simplifications while expressions are built; algebra is compared with SymPy."""

from fractions import Fraction

import pytest
import sympy

from support.raised import raised
from support.small_programs import program_of
from symoro.errors import ProgramError
from symoro.ir.expr import Op
from symoro.ir.graph import Graph
from symoro.ir.sympy_bridge import to_sympy


@pytest.fixture
def g():
    return Graph()


@pytest.fixture
def abc(g):
    return [g.symbol(n) for n in "abc"]


def test_equal_expressions_are_one_object(g, abc):
    a, b, c = abc
    assert (a + b) * c is c * (b + a)
    assert a - b is -(b - a)
    assert (-a) * b is -(a * b)
    assert (-a) * (-b) is a * b
    assert (-a) / b is a / -b
    assert g.symbol("a") is a


def test_zero_and_one_vanish(g, abc):
    a, b, _ = abc
    assert a + 0 is a
    assert 0 - a is -a
    assert a * 0 is g.zero
    assert a * 1 is a
    assert a * -1 is -a
    assert 0 / a is g.zero
    assert a - a is g.zero
    assert (a + b) - (b + a) is g.zero
    assert -g.zero is g.zero


def test_division(g, abc):
    a, b, _ = abc
    assert a / a is g.one
    assert a / -a is -g.one
    assert a / 2 is a * Fraction(1, 2)
    assert (a / b).node.op is Op.DIV
    with raised("programs.division_by_zero", ProgramError):
        a / 0


def test_constants_are_gathered_in_front_whatever_was_made_first(g, abc):
    a, b, _ = abc
    assert 3 * (2 * a) is 6 * a
    assert (a * 2) * Fraction(1, 2) is a
    assert (b * 7).node.args[0].constant is not None
    assert a + a is 2 * a
    assert -a - a is -(2 * a)


def test_powers(g, abc):
    a = abc[0]
    assert a**0 is g.one
    assert a**1 is a
    assert a**4 is (a * a) * (a * a)
    assert a**-2 is 1 / (a * a)
    assert a ** Fraction(1, 2) is g.sqrt(a)
    assert a ** Fraction(3, 2) is g.sqrt(a) ** 3
    for bad in (Fraction(1, 3), 65):
        with raised("programs.exponent", ProgramError):
            a**bad


def test_square_roots(g, abc):
    assert g.sqrt(g.constant(Fraction(9, 4))) is g.constant(Fraction(3, 2))
    assert float(g.sqrt(g.constant(2)).constant) == pytest.approx(2**0.5)
    with raised("programs.negative_root", ProgramError):
        g.sqrt(g.constant(-1))


def test_odd_and_even_functions_keep_the_sign_outside(g, abc):
    a = abc[0]
    assert g.sin(-a) is -g.sin(a)
    assert g.cos(-a) is g.cos(a)
    assert g.apply(Op.TAN, -a) is -g.apply(Op.TAN, a)
    assert abs(-a) is abs(a)
    assert abs(abs(a)) is abs(a)
    assert g.sign(-a) is -g.sign(a)


def test_inverse_functions_are_exact_at_exact_angles(g):
    assert g.apply(Op.ASIN, g.constant(Fraction(1, 2))) is g.pi / 6
    assert g.apply(Op.ACOS, g.constant(-1)) is g.pi
    assert g.apply(Op.ACOS, g.zero) is g.pi / 2
    assert g.atan2(g.zero, -g.one) is g.pi
    assert g.atan2(g.constant(3), g.constant(3)) is g.pi / 4
    assert g.atan2(-g.one, g.zero) is -(g.pi / 2)
    with raised("programs.outside", ProgramError):
        g.apply(Op.ASIN, g.constant(2))


def test_functions_of_constants(g):
    two, three = g.constant(2), g.constant(3)
    assert g.apply(Op.EXP, g.zero) is g.one
    assert g.apply(Op.MIN, two, three) is two
    assert g.apply(Op.MAX, two, three) is three
    assert abs(-two) is two
    assert g.sign(-two) is -g.one
    assert g.sign(g.zero) is g.zero
    with raised("programs.function", ProgramError, function="exp"):
        g.apply(Op.EXP, g.constant(10_000))


def test_comparisons_and_select(g, abc):
    a, b, c = abc
    assert g.less(a, a) is g.zero
    assert g.apply(Op.LESS_EQUAL, a, a) is g.one
    assert g.apply(Op.EQUAL, g.one, g.constant(2)) is g.zero
    assert g.select(g.one, a, b) is a
    assert g.select(g.zero, a, b) is b
    assert g.select(c, a, a) is a
    assert g.apply(Op.MIN, a, a) is a


def test_a_system_of_one_equation_is_a_division(g, abc):
    a, b, _ = abc
    assert g.solve([[a]], [b]) == (b / a,)
    for matrix, right in (([], []), ([[a, b]], [a]), ([[a], [b]], [a, b])):
        with raised("programs.solve", ProgramError):
            g.solve(matrix, right)


def test_leaves_are_not_functions(g, abc):
    with raised("programs.no_function", ProgramError):
        g.apply(Op.SOLVE, *abc)


def test_algebra_agrees_with_sympy(g, abc):
    a, b, c = abc
    A, B, C = sympy.symbols("a b c")
    pairs = [
        ((a + b) * (a - b) / c, (A + B) * (A - B) / C),
        (-((a - b) ** 3) + a / (b / c) - 2 * a, -((A - B) ** 3) + A / (B / C) - 2 * A),
        (g.sin(a + g.pi / 2) * g.cos(b - g.pi), -sympy.cos(A) * sympy.cos(B)),
        (1 / (1 / a + 1 / b) * Fraction(2, 3), sympy.Rational(2, 3) * A * B / (A + B)),
        (g.sqrt(a * a + b**2) / -c, -sympy.sqrt(A**2 + B**2) / C),
    ]
    found = to_sympy(program_of(g, [ours for ours, _ in pairs]))["Y"]
    for ours, theirs in zip(found, (t for _, t in pairs), strict=True):
        assert sympy.simplify(ours - theirs) == 0
