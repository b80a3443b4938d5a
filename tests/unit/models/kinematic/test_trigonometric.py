"""Polynomials in sines and cosines: identities vanish, products are found, sums of angles come back."""

from __future__ import annotations

from fractions import Fraction

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.models.kinematic.trigonometric import TrigonometricRing


def trig(graph: Graph, name: str, label: str) -> tuple[Expr, Expr]:
    x = graph.symbol(name, label)
    return graph.cos(x), graph.sin(x)


def factors(graph: Graph, x: Expr) -> tuple[Fraction, set[Expr]]:
    ring = TrigonometricRing([x])
    number, found = ring.factors(ring.reduce(ring.polynomial(x)))
    return number, {ring.expression(graph, f.terms, lambda y: y) for f in found}


def test_pythagoras() -> None:
    g = Graph()
    c, s = trig(g, "q1", "1")
    ring = TrigonometricRing([c, s])
    assert ring.reduce(ring.polynomial(c * c + s * s)) == 1


def test_sums_of_angles_are_written_out_and_put_together() -> None:
    g = Graph()
    (c2, s2), (c3, s3) = trig(g, "q2", "2"), trig(g, "q3", "3")
    L = g.symbol("L")
    q23 = g.symbol("q2") + g.symbol("q3")
    x = (L * (s2 * c3 + c2 * s3) + c2) * s3
    number, found = factors(g, x)
    assert number == 1
    assert found == {L * g.sin(q23) + c2, s3} or found == {c2 + L * g.sin(q23), s3}
    ring = TrigonometricRing([x, g.sin(q23)])
    assert ring.polynomial(g.sin(q23)) == ring.polynomial(s2 * c3 + c2 * s3)


def test_a_square_of_a_sine_is_not_split() -> None:
    g = Graph()
    c, s = trig(g, "q1", "1")
    ring = TrigonometricRing([c, s])
    _, found = ring.factors(ring.reduce(ring.polynomial(s * s * c)))
    assert sorted(f.times for f in found) == [1, 2]


def test_differences_of_angles() -> None:
    g = Graph()
    (c2, s2), (c3, s3) = trig(g, "q2", "2"), trig(g, "q3", "3")
    _, found = factors(g, c2 * c3 + s2 * s3)
    assert found == {g.cos(g.symbol("q2") - g.symbol("q3"))}
