"""Values: what can be read, what is refused, and what they mean."""

import math
from fractions import Fraction

import pytest

from support.raised import raised
from symoro.errors import MissingParameter, ParameterError, ValueSyntaxError
from symoro.robot.values import (
    ONE,
    PI,
    ZERO,
    Apply,
    Bindings,
    Number,
    Symbol,
    as_value,
    evaluate,
    is_zero,
    parse,
    symbols,
    to_text,
)

A, B, C = Symbol("a"), Symbol("b"), Symbol("c")


def number(text: str) -> Number:
    return Number(Fraction(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.225", number("9/40")),
        (".5", number("1/2")),
        ("2.", number("2")),
        ("1e-3", number("1/1000")),
        ("-3", number("-3")),
        ("-1/3", number("-1/3")),
        ("(1)/(3)", Apply("/", (ONE, number("3")))),
        ("-(3)", Apply("neg", (number("3"),))),
        ("pi", PI),
        ("Pi", PI),
        ("PI", PI),
        ("-pi/2", Apply("/", (Apply("neg", (PI,)), number("2")))),
        ("a+b*c", Apply("+", (A, Apply("*", (B, C))))),
        ("a-b-c", Apply("-", (Apply("-", (A, B)), C))),
        ("a^b^c", Apply("^", (A, Apply("^", (B, C))))),
        ("a**b", Apply("^", (A, B))),
        ("-a^b", Apply("neg", (Apply("^", (A, B)),))),
        ("a^-b", Apply("^", (A, Apply("neg", (B,))))),
        ("atan2(a, b)", Apply("atan2", (A, B))),
        ("sqrt", Symbol("sqrt")),
        ("+a", A),
    ],
)
def test_text_is_read_as(text, value):
    assert parse(text) == value


@pytest.mark.parametrize("name", ["E", "I", "N", "Q", "S", "beta", "gamma", "lambda", "inf", "nan", "_x", "e1"])
def test_any_identifier_is_a_symbol(name):
    assert parse(name) == Symbol(name)


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "there is no value"),
        ("2*L1 +", 7, "a value is missing"),
        ("a b", 3, "an operator was expected"),
        ("foo(1)", 1, "unknown function 'foo' (allowed: numbers"),
        ("sin(1, 2)", 1, "sin takes 1 argument(s), not 2"),
        ("atan2(1)", 1, "atan2 takes 2"),
        ("sin()", 5, "a value was expected"),
        ("(a", 3, "')' was expected"),
        ("(a, b)", 3, "')' was expected"),
        ("1/0", 2, "division by 0"),
        ("a/(0)", 2, "division by 0"),
        ("1e9999", 1, "exponent beyond 400"),
        ("1e400", 1, "too large"),
        ("2e", 2, "an operator was expected, not 'e'"),
        ("a.b", 2, "'.' is not allowed"),
        ("a\u00e9", 2, "is not allowed"),
        ("__import__('os')", 12, "is not allowed"),
        ("a[0]", 2, "is not allowed"),
        ("a if b else c", 3, "an operator was expected"),
        ("9" * 2000, 1, "too many digits"),
        ("-" * 300 + "a", 1, "levels deep"),
        ("(" * 200 + "a" + ")" * 200, 67, "levels deep"),
        ("*".join("a" * 300), 130, "levels deep"),
        ("^".join("a" * 300), 134, "levels deep"),
        ("a" * 200, 1, "too long"),
    ],
)
def test_bad_text_is_refused_with_its_column(text, column, says):
    with pytest.raises(ValueSyntaxError) as caught:
        parse(text)
    assert f"column {column}:" in str(caught.value)
    assert says in str(caught.value)


def test_a_long_text_is_refused():
    with raised("values.long_text", ValueSyntaxError, count=20000):
        parse(" " * 20_000)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (0.1, number("1/10")),
        (3, number("3")),
        (Fraction(1, 3), number("1/3")),
        ("a", A),
        (A, A),
        (5e-324, number("5e-324")),
    ],
)
def test_as_value(given, value):
    assert as_value(given) == value


@pytest.mark.parametrize("given", [math.inf, math.nan, True, None, [1], 10**400])
def test_what_is_no_value_is_refused(given):
    with pytest.raises(ValueSyntaxError):
        as_value(given)


@pytest.mark.parametrize("name", ["pi", "Pi", "2a", "", "a b", "a-b"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ValueSyntaxError):
        Symbol(name)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("q2+pi/2", "q2 + pi/2"),
        ("0.225", "0.225"),
        ("2.50", "2.5"),
        ("1000000", "1000000"),
        ("1e20", "1e20"),
        ("1e-12", "1e-12"),
        ("0.001", "0.001"),
        ("1/3", "1/3"),
        ("a-(b-c)", "a - (b - c)"),
        ("a - -3", "a - (-3)"),
        ("(a+b)*c", "(a + b)*c"),
        ("(a*b)^2", "(a*b)^2"),
        ("-(a+b)", "-(a + b)"),
        ("max(a,b)", "max(a, b)"),
    ],
)
def test_printed(text, printed):
    assert to_text(parse(text)) == printed
    assert parse(printed) == parse(text)


def test_evaluate():
    value = parse("2*L1^2 + sin(pi/2) - min(a, 3)/2")
    assert evaluate(value, {"L1": 3, "a": 4}) == pytest.approx(17.5)
    assert [evaluate(parse(f"sign({x})"), {}) for x in ("-2", "0", "7")] == [-1, 0, 1]


def test_evaluate_names_what_is_missing():
    with pytest.raises(MissingParameter) as caught:
        evaluate(parse("D3 + R4*q"), {"q": 1})
    assert caught.value.names == ("D3", "R4")


@pytest.mark.parametrize("text", ["sqrt(a)", "1/(a + 1)", "9^9^9^9", "exp(1000)", "asin(2)", "a^0.5"])
def test_evaluate_says_where_there_is_no_value(text):
    with raised("values.cannot_be_evaluated", ParameterError):
        evaluate(parse(text), {"a": -1})


def test_symbols_and_zero():
    assert symbols(parse("a*sin(b) + pi - a")) == {"a", "b"}
    assert is_zero(ZERO)
    assert is_zero(parse("0.0"))
    assert not is_zero(parse("0*a"))


def test_bindings_are_equal_and_hashable_by_content():
    one, two = Bindings({"a": 1, "b": "2*a"}), Bindings({"b": parse("2*a"), "a": 1.0})
    assert one == two
    assert hash(one) == hash(two)
    assert one.numbers() == {"a": 1.0, "b": 2.0}


def test_bindings_leave_out_what_is_not_known_and_refuse_circles():
    assert Bindings({"a": "x + 1", "b": 2}).numbers() == {"b": 2.0}
    with raised("values.circular", ParameterError):
        Bindings({"a": "b", "b": "a"}).numbers()
