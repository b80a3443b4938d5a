"""Printing and reading are inverse: of values, and of whole robots in each format."""

from contextlib import suppress

from hypothesis import given, settings

from support.robot_strategies import robots, values
from symoro.errors import ValueSyntaxError
from symoro.formats import par, toml
from symoro.robot._expression import MAX_DEPTH
from symoro.robot.check import check
from symoro.robot.values import Apply, Symbol, Value, parse, to_text

ROBOTS = settings(deadline=None, max_examples=75)


@settings(deadline=None, max_examples=500)
@given(values)
def test_parse_of_print_is_identity(value: Value):
    assert parse(to_text(value)) == value


@settings(deadline=None, max_examples=500)
@given(values)
def test_a_text_is_read_or_refused(value: Value):
    text = to_text(value)
    for cut in range(0, len(text), 1 + len(text) // 8):
        with suppress(ValueSyntaxError):
            parse(text[:cut] + text[cut + 1 :])


def test_the_deepest_values_are_read_back():
    a, b = Symbol("a"), Symbol("b")
    for build in (
        lambda v: Apply("-", (a, v)),
        lambda v: Apply("-", (v, b)),
        lambda v: Apply("^", (a, v)),
        lambda v: Apply("^", (v, b)),
        lambda v: Apply("^", (a, Apply("neg", (v,)))),
        lambda v: Apply("neg", (v,)),
        lambda v: Apply("sin", (v,)),
        lambda v: Apply("atan2", (a, v)),
    ):
        value = a
        while build(value).depth < MAX_DEPTH - 1:
            value = build(value)
        assert parse(to_text(value)) == value


@ROBOTS
@given(robots)
def test_toml_is_read_back(robot):
    assert not [problem for problem in check(robot) if problem.severity == "error"]
    assert toml.read_text(toml.write_text(robot), "other").robot == robot


@ROBOTS
@given(robots)
def test_par_is_read_back(robot):
    assert par.read_text(par.write_text(robot), "other").robot == robot
