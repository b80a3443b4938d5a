"""Laws that hold for every program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.precise import precise, scalars, slopes
from support.program_strategies import PARAMETERS, meanings, points, programs, texts
from support.small_programs import rebuild
from symoro.errors import ProgramError
from symoro.ir.derive import derivative
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.passes import PASSES
from symoro.ir.program import Input, Program, Variable
from symoro.ir.spec import validate
from symoro.ir.text import dump, parse

law = settings(max_examples=100, deadline=None)


def built(program: Program, **options: bool) -> Program:
    """The program rebuilt through a graph. Programs whose constants have no value (tan of π/2) are left out."""
    try:
        return rebuild(program, Graph(**options))
    except ProgramError:
        assume(False)
        raise


def assert_same_meaning(one: Program, other: Program, point) -> None:
    inputs, parameters = point
    reference, largest = precise(one, scalars(one, inputs, parameters))
    assume(largest < 1e6)
    found = evaluate(other, inputs, parameters)
    assert set(found) == set(reference)
    for name, elements in reference.items():
        expected = np.array([float(e) for e in elements]).reshape(found[name].shape)
        np.testing.assert_allclose(found[name], expected, rtol=0, atol=1e-13 * (10 + largest**2))


@law
@given(programs(), points)
def test_evaluate_agrees_with_arithmetic_of_many_digits(program, point):
    assert_same_meaning(validate(program), program, point)


@law
@given(programs(), points)
def test_rebuilding_keeps_the_meaning(program, point):
    assert_same_meaning(program, validate(built(program)), point)


@law
@given(programs(), points)
def test_sums_of_angles_keep_the_meaning(program, point):
    assert_same_meaning(program, validate(built(program, angle_sums=True)), point)


@settings(max_examples=300, deadline=None)
@given(programs(3, angles=True), points)
def test_products_of_sines_and_cosines_merge_only_where_an_identity_says_so(program, point):
    assert_same_meaning(program, validate(built(program, angle_sums=True)), point)


@law
@given(programs())
def test_rebuilding_adds_no_operation_and_does_so_once(program):
    once = built(program)
    twice = built(once)
    assert twice.ops == once.ops
    assert twice.setup_ops == once.setup_ops


@law
@given(programs(), points)
def test_derivatives_are_slopes_in_both_modes(program, point):
    assume(built(program))
    inputs, parameters = point
    numbers = scalars(program, inputs, parameters)
    assume(precise(program, numbers)[1] < 1e3)
    for wrt, names in (("q", ["q1", "q2", "q3"]), (PARAMETERS, list(PARAMETERS))):
        expected = slopes(program, numbers, names)
        for mode in ("forward", "reverse"):
            made = validate(derivative(program, wrt, mode))
            found = evaluate(made, inputs, parameters)
            for name, slope in expected.items():
                value = found[f"d{name}_d{'q' if wrt == 'q' else 'parameters'}"]
                scale = 1 + np.abs(slope).max()
                assert value.size == slope.size
                np.testing.assert_allclose(value.reshape(slope.shape) / scale, slope / scale, atol=1e-8)


@law
@given(programs(), meanings, meanings, texts, st.floats(-10, 10))
def test_parsing_a_dump_is_identity(program, meaning, other, name, default):
    q, x = program.inputs
    odd = Input(name, (), (Variable(name + "?", meaning, default, name),), True, other)
    y, z = program.outputs
    z = replace(z, meanings=(meaning,))
    instructions = tuple(replace(i, meaning=(None, other, meaning)[k % 3]) for k, i in enumerate(program.instructions))
    program = replace(program, inputs=(q, x, odd), instructions=instructions, outputs=(y, z))
    assume(name not in ("q", "x"))
    text = dump(program)
    assert parse(text) == program
    assert dump(parse(text)) == text


@law
@given(programs())
def test_a_built_program_is_the_same_after_text(program):
    made = built(program, angle_sums=True)
    assert parse(dump(made)) == made


@law
@given(programs())
def test_the_cheaper_mode_is_taken(program):
    assume(built(program))
    auto, *modes = (derivative(program, "x", mode) for mode in ("auto", "forward", "reverse"))
    work = [sum(getattr(c, f) for c in (p.ops, p.setup_ops) for f in c.__slots__) for p in (auto, *modes)]
    assert work[0] == min(work[1:])


@law
@given(programs(), points, st.sampled_from(PASSES))
def test_a_pass_keeps_the_meaning(program, point, run):
    assert_same_meaning(program, run(built(program)), point)
