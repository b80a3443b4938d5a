"""Small programs for the tests."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.infix import statements, write
from symoro.ir.program import Input, Program, Variable


def joints(n: int) -> Input:
    return Input("q", (n,), tuple(Variable(f"q{j}", label=str(j)) for j in range(1, n + 1)))


def angles(graph: Graph, n: int) -> list[Expr]:
    return [graph.symbol(f"q{j}", str(j)) for j in range(1, n + 1)]


def program_of(
    graph: Graph, elements: Sequence[Expr], n: int = 3, parameters: str = "a b c d", name: str = "Y"
) -> Program:
    """A program of q (n) and the parameters with one output vector."""
    names = tuple(f"{name}{i + 1}" for i in range(len(elements)))
    result = Result(name, (len(elements),), tuple(elements), names)
    return extract(graph, [joints(n)], [Variable(p) for p in parameters.split()], [result])


def equations(program: Program) -> dict[str, str]:
    """What infix prints, by the names."""
    found = (*statements(program.setup), *statements(program.instructions))
    return {" ".join(s.names): write(s.right) for s in found}
