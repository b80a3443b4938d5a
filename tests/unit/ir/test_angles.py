"""Sines and cosines: exact angles, quarter turns, and sums of angles."""

from fractions import Fraction
from itertools import product

import pytest
import sympy

from support.raised import raised
from support.small_programs import angles, equations, program_of
from symoro.errors import ProgramError
from symoro.ir.expr import Op
from symoro.ir.graph import Graph
from symoro.ir.sympy_bridge import to_sympy


@pytest.fixture
def g():
    return Graph(angle_sums=True)


@pytest.mark.parametrize("twelfths", range(-30, 31))
def test_sines_of_multiples_of_pi_are_those_of_sympy(g, twelfths):
    angle = g.pi * Fraction(twelfths, 12)
    for ours, theirs in ((g.sin, sympy.sin), (g.cos, sympy.cos)):
        exact = theirs(sympy.pi * sympy.Rational(twelfths, 12))
        found = ours(angle).constant
        assert float(found) == pytest.approx(float(exact), abs=1e-15)
        if exact.is_rational:
            assert found.exact
            assert found.coefficient == Fraction(int(exact.p), int(exact.q))


def test_a_right_angle_costs_nothing(g):
    assert g.cos(g.pi / 2) is g.zero
    assert g.sin(g.pi / 2) is g.one
    assert g.sin(g.pi) is g.zero
    assert g.sin(g.pi / 6) is g.constant(Fraction(1, 2))
    assert g.cos(g.pi * Fraction(2, 3)) is -g.constant(Fraction(1, 2))


def test_equal_sines_are_equal_constants(g):
    assert g.sin(g.pi / 4) is g.cos(g.pi / 4)
    assert g.sin(g.pi / 3) is g.sin(g.pi * Fraction(2, 3))


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_quarter_turns_come_out(g, quarters):
    q = angles(g, 1)[0]
    turned = q + g.pi * Fraction(quarters, 2)
    sine, cosine = g.sin(q), g.cos(q)
    assert g.sin(turned) is [sine, cosine, -sine, -cosine][quarters % 4]
    assert g.cos(turned) is [cosine, -sine, -cosine, sine][quarters % 4]
    assert g.sin(-q + g.pi * Fraction(quarters, 2)) is [-sine, cosine, sine, -cosine][quarters % 4]


def test_the_order_of_a_sum_of_angles_does_not_matter(g):
    a, b, c = angles(g, 3)
    assert g.sin((a + b) + c) is g.sin(a + (c + b))
    assert g.sin(a - b) is -g.sin(b - a)
    assert g.sin(a + b - a) is g.sin(b)
    assert g.sin((a + b) + (a - b)) is g.sin(2 * a)


def test_a_sum_shared_many_times_is_no_trap(g):
    x, y = angles(g, 2)
    for _ in range(200):  # written out, 2^100 terms
        x, y = x + y, x
    assert g.sin(x).node.op is Op.SIN


def test_tangents(g):
    assert g.apply(Op.TAN, g.pi / 4) is g.one
    assert g.apply(Op.TAN, g.pi * Fraction(3, 4)) is -g.one
    assert g.apply(Op.TAN, g.pi) is g.zero
    assert float(g.apply(Op.TAN, g.one).constant) == pytest.approx(1.5574077246549023)
    with raised("programs.infinite_tangent", ProgramError):
        g.apply(Op.TAN, g.pi / 2)


def test_products_of_two_angles(g):
    a, b, _ = angles(g, 3)
    S, C = g.sin, g.cos
    assert S(a) * C(b) + C(a) * S(b) is S(a + b)
    assert C(a) * C(b) - S(a) * S(b) is C(a + b)
    assert S(a) * C(b) - C(a) * S(b) is S(a - b)
    assert C(a) * C(b) + S(a) * S(b) is C(a - b)
    assert S(a) * S(b) - C(a) * C(b) is -C(a + b)
    assert -(S(a) * C(b)) - C(a) * S(b) is -S(a + b)
    assert S(a) ** 2 + C(a) ** 2 is g.one


def test_three_angles_and_common_factors(g):
    a, b, c = angles(g, 3)
    S, C, L = g.sin, g.cos, g.symbol("L")
    s12 = S(a) * C(b) + C(a) * S(b)
    c12 = C(a) * C(b) - S(a) * S(b)
    assert s12 * C(c) + c12 * S(c) is S(a + b + c)
    assert L * C(a) * C(b) - L * (S(a) * S(b)) is L * C(a + b)
    assert C(c) * (C(a) * C(b)) - C(c) * (S(a) * S(b)) is C(c) * C(a + b)
    assert L * L * S(a) * C(b) + L * L * (C(a) * S(b)) is L * (L * S(a + b))


def test_equal_products_in_another_order_are_no_identity(g):
    a, b, _ = angles(g, 3)
    S, C, L = g.sin, g.cos, g.symbol("L")
    twice = (L * S(a)) * C(b) + L * (S(a) * C(b))
    assert twice is not L * S(a + b)


def test_every_pair_of_products_means_what_it_says():
    x, y, L = sympy.symbols("q1 q2 a")
    for kinds in product((0, 1), repeat=4):
        for sign in (1, -1):
            g = Graph(angle_sums=True)
            (a, b, _), f = angles(g, 3), g.symbol("a")
            one, two, three, four = (((g.cos, g.sin)[k])(q) for k, q in zip(kinds, (a, b, a, b), strict=True))
            found = to_sympy(program_of(g, [(f * one) * two + sign * f * (three * four)]))["Y"][0]
            p, q, r, s = (((sympy.cos, sympy.sin)[k])(z) for k, z in zip(kinds, (x, y, x, y), strict=True))
            assert sympy.expand_trig(sympy.expand_trig(found) - L * (p * q + sign * r * s)).simplify() == 0


def test_without_angle_sums_products_stay():
    g = Graph()
    a, b, _ = angles(g, 3)
    assert (g.sin(a) * g.cos(b) + g.cos(a) * g.sin(b)).node.op is Op.ADD


def test_names_of_sums_of_angles(g):
    a, b, c = angles(g, 3)
    made = equations(program_of(g, [g.sin(b + c), g.cos(c + (a + b)), g.cos(a - b), g.sin(a)]))
    assert set(made) == {"S23", "C123", "C1_m2", "S1"} | {n for n in made if n.startswith("X")}


def test_names_stay_unique_with_twelve_joints(g):
    q = angles(g, 12)
    program = program_of(g, [g.cos(q[11]), g.cos(q[0] + q[1]), g.sin(q[0] + q[10]), g.sin(q[9] + q[0])], n=12)
    made = equations(program)
    assert made["C12"] == "cos(q12)"
    assert made["C1_2"] == "cos(q1 + q2)"
    assert made["S1_11"] == "sin(q1 + q11)"
    assert made["S1_10"] == "sin(q1 + q10)"
