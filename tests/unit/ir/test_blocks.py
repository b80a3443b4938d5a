"""Block-triangular form, determinants and solutions of matrices of expressions."""

from __future__ import annotations

import numpy as np
import pytest

from support.close import assert_close
from symoro.ir.blocks import block_triangular, determinant, sign, solve
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Variable


def matrix(graph: Graph, pattern: list[str]) -> list[list[Expr]]:
    return [
        [graph.symbol(f"a{i}{k}") if mark == "x" else graph.zero for k, mark in enumerate(row)]
        for i, row in enumerate(pattern)
    ]


def numbers(graph: Graph, pattern: list[str], exprs: list[Expr]) -> tuple[np.ndarray, np.ndarray]:
    n = len(pattern)
    names = tuple(Variable(f"a{i}{k}") for i in range(n) for k in range(n))
    program = extract(graph, (Input("a", (n, n), names),), (), [Result("x", (len(exprs),), tuple(exprs), ())])
    A = np.random.default_rng(0).normal(size=(n, n))
    A *= np.array([[mark == "x" for mark in row] for row in pattern])
    return A, evaluate(program, {"a": A}, {})["x"]


PATTERNS = [["x"], ["xx", "xx"], [".x", "x."], ["xx.", ".xx", "x.x"], ["x..", "xx.", ".xx"], ["xxxx"] * 4]
PATTERNS += [["xx...", "xx...", "..xx.", "xxxx.", "x.x.x"]]


@pytest.mark.parametrize("pattern", PATTERNS, ids="-".join)
def test_determinant_and_solution(pattern: list[str]) -> None:
    graph = Graph()
    rows = matrix(graph, pattern)
    n = len(rows)
    eye = [[graph.lift(int(i == k)) for k in range(n)] for i in range(n)]
    X = solve(graph, rows, eye)
    blocks = block_triangular(rows)
    assert X is not None
    assert blocks is not None
    product = graph.lift(sign(blocks))
    for block in blocks:
        product = product * determinant(block.of(rows), graph.zero, graph.one)
    whole = determinant(rows, graph.zero, graph.one)
    A, found = numbers(graph, pattern, [whole, product, *(x for row in X for x in row)])
    assert_close(found[:2], [np.linalg.det(A)] * 2, 1e-12)
    assert_close(found[2:].reshape(n, n), np.linalg.inv(A), 1e-12)


def test_blocks_are_small() -> None:
    blocks = block_triangular(matrix(Graph(), ["xx...", "xx...", "..xx.", "xxxx.", "x.x.x"]))
    assert blocks is not None
    assert [len(b.rows) for b in blocks] == [2, 2, 1]


def test_zeros_that_make_it_singular() -> None:
    graph = Graph()
    rows = matrix(graph, ["xx.", "x..", "x.."])
    assert block_triangular(rows) is None
    assert solve(graph, rows, rows) is None
    assert determinant(rows, graph.zero, graph.one).is_zero
