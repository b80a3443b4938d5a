"""Counting."""

import numpy as np

from support.small_programs import angles, program_of
from symoro.ir.expr import COUNTED_AS, LEAVES, Op, OpCount, solve_count
from symoro.ir.graph import Graph


def test_every_operation_is_counted_as_something():
    assert set(COUNTED_AS) == set(Op) - LEAVES - {Op.SOLVE, Op.ITEM}


def test_a_square_and_a_doubling_are_one_multiplication_and_signs_are_free():
    g = Graph()
    a, b, c = angles(g, 3)
    assert program_of(g, [a * a]).ops == OpCount(mul=1)
    assert program_of(g, [a + a]).ops == OpCount(mul=1)
    assert program_of(g, [-a - b]).ops == OpCount(add=1)
    assert program_of(g, [g.sin(b + c)]).ops == OpCount(add=1, trig=1)
    assert program_of(g, [g.sqrt(a / b), abs(c)]).ops == OpCount(div=1, sqrt=1, other=1)


def test_total_is_multiplications_additions_and_divisions():
    count = OpCount(1, 2, 3, 4, 5, 6)
    assert count.total == 6
    assert count + count == OpCount(2, 4, 6, 8, 10, 12)
    assert str(OpCount(160, 113)) == "160 M + 113 A"
    assert str(count) == "1 M + 2 A + 3 D + 4 sqrt + 5 trig + 6 other"


def test_solve_counts_what_elimination_does():
    for n in range(1, 7):
        counted = _eliminate(np.random.default_rng(n).normal(size=(n, n)) + n * np.eye(n), np.ones(n))
        assert solve_count(n) == counted


def _eliminate(a, b):
    """Gauss, every operation counted as it is done."""
    n, mul, add, div = len(b), 0, 0, 0
    for k in range(n):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            div += 1
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
                mul, add = mul + 1, add + 1
            b[i] -= factor * b[k]
            mul, add = mul + 1, add + 1
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
            mul, add = mul + 1, add + 1
        b[i] /= a[i, i]
        div += 1
    return OpCount(mul=mul, add=add, div=div)


def test_a_program_counts_its_solve_blocks():
    g = Graph()
    a, b, c = angles(g, 3)
    x = g.solve([[a, b], [b, c]], [c, a])
    assert program_of(g, x).ops == solve_count(2)
