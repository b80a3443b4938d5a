"""Forms of the inverse of a symmetric matrix against NumPy."""

from __future__ import annotations

import numpy as np

from support.close import assert_close
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import inverse_form


def number(rows: list[list[object]], graph: Graph) -> np.ndarray:
    elements = tuple(x for row in rows for x in row)
    program = extract(graph, (), (), [Result("X", (len(rows), len(rows[0])), elements, ())])
    return evaluate(program, {}, {})["X"]


def test_forms() -> None:
    rng, graph = np.random.default_rng(0), Graph()
    root = rng.normal(size=(5, 5))
    A, B, C = root @ root.T + np.eye(5), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    a, b, c = ([[graph.lift(float(x)) for x in row] for row in table] for table in (A, B, C))
    assert_close(number(inverse_form(graph, a, b), graph), B.T @ np.linalg.solve(A, B), 1e-12)
    assert_close(number(inverse_form(graph, a, b, c), graph), B.T @ np.linalg.solve(A, C), 1e-12)


def test_a_pivot_that_is_zero() -> None:
    graph = Graph()
    zero, one = graph.zero, graph.one
    assert inverse_form(graph, [[one, zero], [zero, zero]], [[one], [one]]) is None
