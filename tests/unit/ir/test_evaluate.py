"""Shapes, broadcasting and what is missing."""

import numpy as np
import pytest

from support.close import assert_close
from support.raised import raised
from support.small_programs import angles, joints, program_of
from symoro.errors import MissingParameter, ShapeError
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Variable


@pytest.fixture
def program():
    g = Graph()
    a, b, c = angles(g, 3)
    return program_of(g, [g.sin(a) * g.symbol("a"), b + c])


def test_leading_axes_broadcast(program):
    q = np.random.default_rng(0).normal(size=(4, 1, 5, 3))
    found = evaluate(program, {"q": q}, {"a": 2.0})["Y"]
    assert found.shape == (4, 1, 5, 2)
    assert_close(found, np.stack([2 * np.sin(q[..., 0]), q[..., 1] + q[..., 2]], axis=-1), 1e-14)


def test_inputs_broadcast_against_each_other():
    g = Graph()
    x = Input("x", (), (Variable("x"),))
    m = Input("m", (2, 2), tuple(Variable(f"m{i}") for i in range(4)))
    total = g.symbol("x") * g.symbol("m0") + g.symbol("m3")
    results = [Result("Z", (), (total,), ("Z",)), Result("K", (2,), (g.one, g.zero), ("K1", "K2"))]
    program = extract(g, [x, m], [], results)
    found = evaluate(program, {"x": np.arange(3.0), "m": np.ones((5, 1, 2, 2))}, {})
    assert found["Z"].shape == (5, 3)
    assert found["K"].shape == (5, 3, 2)
    assert evaluate(program, {"x": 2, "m": np.eye(2)}, {})["Z"].shape == ()


def test_a_missing_parameter_is_named(program):
    with raised("errors.no_value", MissingParameter):
        evaluate(program, {"q": np.zeros(3)}, {"b": 1.0})


@pytest.mark.parametrize("q", [np.zeros(2), np.zeros((3, 2)), np.zeros(())])
def test_a_wrong_shape_says_what_is_right(program, q):
    with raised("programs.shape", ShapeError, name="q", shape="(3,)"):
        evaluate(program, {"q": q}, {"a": 1})


def test_a_missing_input_is_named_and_an_optional_one_has_defaults():
    g = Graph()
    wrench = Input("w", (2,), (Variable("w1", default=3.0), Variable("w2")), optional=True)
    total = g.symbol("w1") + g.symbol("w2") + g.symbol("q1")
    program = extract(g, [joints(1), wrench], [], [Result("Z", (), (total,), ("Z",))])
    assert evaluate(program, {"q": [1.0]}, {})["Z"] == 4.0
    with raised("programs.missing_input", ShapeError, name="q"):
        evaluate(program, {}, {})


def test_one_singular_matrix_spoils_only_itself():
    g = Graph()
    a, b, c = angles(g, 3)
    program = program_of(g, g.solve([[a, b], [b, c]], [g.one, a]))
    found = evaluate(program, {"q": [[1.0, 1, 1], [2, 1, 2]]}, {})["Y"]
    assert np.isnan(found[0]).all()
    assert_close(found[1], np.linalg.solve([[2, 1], [1, 2]], [1, 2]), 1e-14)


def test_single_precision(program):
    assert evaluate(program, {"q": np.ones(3)}, {"a": 1}, dtype=np.float32)["Y"].dtype == np.float32


def test_a_program_without_inputs_has_outputs():
    g = Graph()
    program = extract(g, [], [Variable("a")], [Result("Z", (1,), (g.symbol("a") * 2,), ("Z1",))])
    assert evaluate(program, {}, {"a": 4.0})["Z"] == [8.0]
