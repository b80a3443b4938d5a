"""Exact constants."""

from fractions import Fraction

import pytest

from support.raised import raised
from symoro.errors import ProgramError
from symoro.ir.expr import ONE, PI, ZERO, Constant, constant, parse_constant
from symoro.ir.graph import Graph

HALF_PI = Constant(Fraction(1, 2), pi=True)


def test_a_float_keeps_its_shortest_decimal_text():
    assert constant(0.1) == Constant(Fraction(1, 10))


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_what_is_not_finite_is_not_a_constant(bad):
    with pytest.raises(ValueError, match="finite"):
        constant(bad)


def test_multiples_of_pi_add_and_scale_exactly():
    assert HALF_PI + HALF_PI == PI
    assert HALF_PI + -HALF_PI == ZERO
    assert HALF_PI * constant(2) == PI
    assert PI * ZERO == ZERO


def test_what_has_no_exact_value_is_a_float():
    assert not (PI + ONE).exact
    assert not (PI * PI).exact
    assert not PI.inverse().exact
    assert constant(3).inverse() == Constant(Fraction(1, 3))


def test_long_rationals_become_floats():
    tiny = constant(Fraction(1, 3**60))
    assert not (tiny * tiny).exact
    assert float(tiny * tiny) == pytest.approx(3.0**-120)


def test_what_is_too_large_is_an_error():
    with raised("programs.large_constant", ProgramError):
        constant(10**400)
    g = Graph()
    with raised("programs.infinite_constant", ProgramError):
        g.constant(10**300) * g.constant(10**300)


@pytest.mark.parametrize(
    "text", ["0", "1", "-3", "1/2", "-7/3", "pi", "-pi", "pi/2", "-pi/3", "3*pi/4", "-5*pi", "0.5", "1e-07", "-2.5"]
)
def test_text_reads_back(text):
    assert str(parse_constant(text)) == text
