"""Passes on small programs."""

from symoro.ir.graph import Graph
from symoro.ir.passes.equal import merge_equal
from symoro.ir.passes.resubstitute import resubstitute
from unit.ir.build import angles, equations, program_of


def test_equal_variables_become_one():
    g = Graph()
    x, y, z = angles(g, 3)
    program = program_of(g, [(x + y) * z, z * x + z * y, -(y * z) - x * z])
    merged = merge_equal(program)
    assert equations(merged) == {"Y1": "q3*(q1 + q2)"}
    assert [e.negative for e in merged.outputs[0].elements] == [False, False, True]


def test_what_is_always_zero_or_one_is_left_out():
    g = Graph()
    x, y, _ = angles(g, 3)
    s, c = g.sin(x), g.cos(x)
    program = program_of(g, [(x + y) * (x - y) - x * x + y * y, s * s + c * c])
    assert merge_equal(program).ops.total == 0


def test_what_a_rotation_leaves_as_it_is_is_found():
    g = Graph()
    x, y, z = angles(g, 3)
    s, c = g.sin(z), g.cos(z)
    u, v = c * x - s * y, s * x + c * y
    program = program_of(g, [x * x + y * y, u, v, u * u + v * v])
    assert merge_equal(program).ops.total == resubstitute(program).ops.total == program.ops.total - 3
