"""L91 Tables I and II: operations of the inertia matrix and of the bias of n general revolute joints, beside ours.

python benchmarks/l91_tables.py [--joints 2 3 4 5 6 7 8] [--optimize]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import symoro
from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.ir.expr import OpCount
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.models.dynamic import lin
from symoro.robot.joint import Joint
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, Symbol, Value

Count = tuple[float, float]
Formula = Callable[[int], Count]
Table = dict[str, tuple[Formula, str | None]]

#: rows of Table I: the paper's formulas M, A, and our method
TABLE_1: Table = {
    "Walker and Orin": (lambda n: (11 * n**2 + 53 * n - 74, 8 * n**2 + 52 * n - 62), "walker-orin"),
    "Renaud": (lambda n: (13.5 * n**2 + 22.5 * n - 68, 9 * n**2 + 26 * n - 64), "renaud"),
    "Lin 1988": (
        lambda n: ((7 * n**3 + 99 * n**2 - 214 * n) / 6 + 19, n**3 + 13.5 * n**2 - 28.5 * n + 14),
        None,
    ),
    "Fijany and Bejczy": (lambda n: (4.5 * n**2 + 115.5 * n - 175, 4 * n**2 + 88 * n - 134), "composite-links"),
    "Lin 1991": (lambda n: (10.5 * n**2 + 38.5 * n - 85, 6 * n**2 + 39 * n - 70), "lin"),
}
TABLE_2: Table = {
    "Khalil and Kleinfinger": (lambda n: (101 * n - 129, 90 * n - 118), "newton-euler"),
    "Balafoutis et al.": (lambda n: (93 * n - 69, 81 * n - 66), None),
    "Lin 1991": (lambda n: (12.5 * n**2 + 5.5 * n + 3, 9 * n**2 + n), "lin"),
}

WHY = """\
Why ours differ. The paper counts numeric programs, ours are written out for the robot: an element that nobody reads is
not computed, products of parameters are computed once, sines and cosines of α are parameters.
- A rotation is two turns of 4 M + 2 A each; the paper takes 8 M + 4 A as well, and forms the matrix apart. A symmetric
  tensor turns by w = S(xx - yy) + 2C xy, twice 9 M + 6 A, where the paper takes 37 M + 25 A with the sum of A8.
- Walker and Orin: as the composite bodies are seen from their centres of mass, what moves is the centre too; the paper
  counts a reformulation of its own reference 13.
- Renaud: the lever arms of A9 for parameters that do not vanish; the first joint's are 0.
- Fijany and Bejczy: their recursion is that of composite links, K97:26-38, in body frames.
- Lin 1991: we keep the standard parameters M, MS, J, and nothing is divided: the second moments of a link about the
  common point take 12 M + 12 A against 6 M + 6 A with its centre of mass given. The bias is what it costs beside A, as
  in the paper. Lin 1988 and Balafoutis et al. are not implemented.
- Khalil and Kleinfinger: ours is their algorithm with q̈ = 0 put in before anything is written."""


def general(n: int) -> Robot:
    """n revolute joints with all parameters, but the first frame on the base (K97 Table II, L91:59)."""

    def length(letter: str, j: int, first: int, last: int) -> Value:
        return Symbol(f"{letter}{j}") if first <= j <= last else ZERO

    joints = tuple(
        Joint(j, f"joint{j}", j - 1, alpha=length("AL", j, 2, n), d=length("D", j, 2, n), r=length("RL", j, 2, n))
        for j in range(1, n + 1)
    )
    inertias = tuple(Inertia.symbolic(j) for j in range(1, n + 1))
    return Robot(f"general{n}r", joints, inertias, gravity=tuple(Symbol(f"G{k}") for k in (1, 2, 3)))


def row(name: str, counts: list[Count]) -> str:
    return f"{name:26}" + "".join(f"{f'{m:g}/{a:g}':>11}" for m, a in counts)


def ours(model: str, method: str, n: int, optimize: bool) -> Count:
    """The count of one of our methods; for Lin's bias, the operations that it adds to those of A."""
    robot = general(n)
    if (model, method) == ("bias", "lin"):
        both, alone = lin_count(robot, lin.inertia_matrix, lin.bias), lin_count(robot, lin.inertia_matrix)
        return both.mul - alone.mul, both.add - alone.add
    ops = getattr(symoro, model)(robot, method=method, optimize=optimize).ops
    return ops.mul, ops.add


def lin_count(robot: Robot, *algorithms: Callable[[Symbols], list[Result]]) -> OpCount:
    """The count of several models in one program."""
    s = Symbols(robot, Graph())
    results = [result for algorithm in algorithms for result in algorithm(s)]
    return extract(s.graph, inputs(s, ("q", "qd")), parameters(s), results).ops


def table(title: str, model: str, rows: Table, sizes: list[int], optimize: bool) -> None:
    print(f"\n{title} (M/A)\n{'n':26}" + "".join(f"{n:11}" for n in sizes))
    for name, (formula, method) in rows.items():
        print(row(name, [formula(n) for n in sizes]))
        if method is not None:
            print(row(f"  ours, {method}", [ours(model, method, n, optimize) for n in sizes]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joints", type=int, nargs="+", default=list(range(2, 9)))
    parser.add_argument("--optimize", action="store_true", help="our lower-count forms and passes too")
    options = parser.parse_args()
    table("Table I, inertia matrix", "inertia_matrix", TABLE_1, options.joints, options.optimize)
    table("Table II, bias", "bias", TABLE_2, options.joints, options.optimize)
    print(f"\n{WHY}")


if __name__ == "__main__":
    main()
