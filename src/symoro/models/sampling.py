"""Matrices of expressions evaluated at random configurations: their rank there is their rank almost everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Input, Variable
from symoro.symbols import Symbols

Array = NDArray[Any]


def numbers_of(s: Symbols, seed: int = 0) -> dict[str, float]:
    """The robot's numbers for its parameters; arbitrary ones for those that have none."""
    rng = np.random.default_rng(seed)
    known = robot_numbers(s.robot)
    return {name: known.get(name, float(rng.uniform(0.3, 1.3))) for name in s.parameter_names}


def sample(s: Symbols, rows: Sequence[Sequence[Expr]], count: int, q: Array | None = None, seed: int = 1) -> Array:
    """The matrix at `count` random configurations, or at those given: (count, rows, columns)."""
    names = [str(s.q[j].node.value) for j in sorted(s.q)]
    array = Input("q", (len(names),), tuple(Variable(name) for name in names))
    elements = tuple(x for row in rows for x in row)
    program = extract(
        s.graph, (array,), map(Variable, s.parameter_names), [Result("X", (len(elements),), elements, ())]
    )
    at = np.random.default_rng(seed).uniform(-2.0, 2.0, (count, len(names))) if q is None else q
    numbers: Mapping[str, float] = numbers_of(s)
    values = evaluate(program, {"q": at}, {p.name: numbers[p.name] for p in program.parameters})["X"]
    return values.reshape(len(at), len(rows), -1)


def rank(matrix: Array, tolerance: float = 1e-9) -> int:
    """The number of singular values that are not small beside the largest."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > tolerance * max(1.0, values[0])).sum()) if values.size else 0
