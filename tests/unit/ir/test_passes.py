"""Passes on small programs."""

from support.small_programs import angles, equations, program_of
from symoro.ir.graph import Graph
from symoro.ir.passes.algebra import factor_and_share
from symoro.ir.passes.resubstitute import resubstitute
from symoro.ir.passes.turns import merge_equal, turn_by_three


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


def test_three_constant_pairs_turn_by_three_multiplications_each():
    g = Graph()
    q = angles(g, 3)[0]
    a, b, c, d, e, f = (g.symbol(name) for name in "abcdef")
    s, co = g.sin(q), g.cos(q)

    def turned(x, y):
        return [co * x - s * y, s * x + co * y]

    two = program_of(g, [*turned(a, b), *turned(-c, d)])
    three = program_of(g, [*turned(a, b), *turned(-c, d), *turned(e, f)], parameters="a b c d e f")
    assert turn_by_three(two).ops == two.ops
    assert (three.ops.mul, three.ops.add) == (12, 6)
    assert (turn_by_three(three).ops.mul, turn_by_three(three).ops.add) == (9, 8)


def test_a_free_factor_joins_those_of_the_terms():
    g = Graph()
    x, y, z = angles(g, 3)
    a, b, c, _ = (g.symbol(name) for name in "abcd")
    program = program_of(g, [z + c * (a * x - b * y)])
    assert program.ops.mul == 3
    assert factor_and_share(program).ops.mul == 2
    kept = program_of(g, [z + c * (a * x - y)])
    assert factor_and_share(kept).ops.mul == 2
