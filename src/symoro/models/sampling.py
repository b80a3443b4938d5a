"""Matrices of expressions evaluated at random configurations: their rank there is their rank almost everywhere.

At given numbers (`rank`) singular values are exact to 1e-15 of the largest. Those below ZERO are zero, and one near it
comes from the numbers of the robot. At configurations that were solved for (`rank_of`) a gap decides: values above
NOT_ZERO are not zero, those below ZERO are zero, GAP lies between them, and a value there decides nothing. Loops are
closed to 1e-13. At a regular configuration singular values are nearly as exact. At a singular one Newton's method finds
half of the digits, √1e-13 = 3e-7: values that are zero there come out between ZERO and 3e-7. No threshold can tell them
from small values, and they differ between processors.

NumPy is loaded when a matrix is evaluated: the models of many robots need no numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from symoro.bind.interface import inputs, robot_numbers
from symoro.bind.symbols import Symbols
from symoro.findings import Finding
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result, extract, reachable
from symoro.ir.program import Input, Variable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

#: Singular values beside the largest one: those above the first are not zero, those below the second are zero.
NOT_ZERO, ZERO = 1e-6, 1e-9
#: The least quotient of the last value that is not zero and the first that is.
GAP = 1e4


class Rank(NamedTuple):
    """The number of singular values that are not zero, and the values before and after the gap, beside the largest."""

    rank: int
    kept: float
    dropped: float

    @property
    def clear(self) -> bool:
        """Whether the gap decides the rank."""
        return self.dropped < ZERO and self.kept > GAP * self.dropped

    @property
    def finding(self) -> Finding:
        """The rank with the values beside its gap; what is zero is rounding errors."""
        if self.clear:
            return Finding("models.clear_rank", rank=self.rank, kept=self.kept, zero=ZERO)
        return Finding("models.rank", rank=self.rank, kept=self.kept, dropped=self.dropped)

    def __str__(self) -> str:
        return str(self.finding)


def numbers_of(s: Symbols, seed: int = 0) -> dict[str, float]:
    """The robot's numbers for its parameters; arbitrary ones for those that have none."""
    import numpy as np

    rng = np.random.default_rng(seed)
    known = robot_numbers(s.robot)
    return {name: known.get(name, float(rng.uniform(0.3, 1.3))) for name in s.parameter_names}


def sample(s: Symbols, rows: Sequence[Sequence[Expr]], count: int, q: Array | None = None, seed: int = 1) -> Array:
    """The matrix at `count` random configurations, or at those given: (count, rows, columns).

    Those of a robot with a platform are such that it reaches them, unless the matrix is one of joints beside its legs.
    """
    import numpy as np

    from symoro.ir.evaluate import evaluate

    names = [str(s.q[j].node.value) for j in (s.beside_legs if s.free else sorted(s.q))]
    arrays: tuple[Input, ...] = (Input("q", (len(names),), tuple(Variable(name) for name in names)),)
    at = {"q": np.random.default_rng(seed).uniform(-2.0, 2.0, (count, len(names))) if q is None else q}
    elements = tuple(x for row in rows for x in row)
    if s.free and not (names and _symbols(elements) <= {*names, *s.parameter_names}):
        name, configurations = s.configurations(count, seed)
        beside = () if name == "q" else arrays
        arrays, at = (*inputs(s, (name,)), *beside), (at if beside else {}) | {name: configurations}
    program = extract(s.graph, arrays, map(Variable, s.parameter_names), [Result("X", (len(elements),), elements, ())])
    numbers: Mapping[str, float] = numbers_of(s)
    values = evaluate(program, at, {p.name: numbers[p.name] for p in program.parameters})["X"]
    return values.reshape(len(at["q"]), len(rows), -1)


def _symbols(elements: Iterable[Expr]) -> set[str]:
    return {str(node.value) for node in reachable(elements) if node.op is Op.SYMBOL}


def rank(matrix: Array) -> int:
    """The rank of a matrix of given numbers: the number of singular values that are not small beside the largest."""
    import numpy as np

    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > ZERO * max(1.0, values[0])).sum()) if values.size else 0


def rank_of(matrix: Array, size: float | None = None, above: float = NOT_ZERO) -> Rank:
    """The rank at a configuration that was solved for; values are compared with `size`, by default the largest one.

    `above` is ZERO for configurations that are known to be regular.
    """
    import numpy as np

    if not np.isfinite(matrix).all():  # a division by zero at a singular configuration
        return Rank(0, 1.0, np.inf)
    values = np.linalg.svd(matrix, compute_uv=False)
    if not values.size or values[0] <= ZERO * (1.0 if size is None else size):
        return Rank(0, 1.0, float(values[0]) if values.size else 0.0)
    values = values / (values[0] if size is None else size)
    count = int((values > above).sum())
    kept, dropped = (float(values[n]) if 0 <= n < len(values) else x for n, x in ((count - 1, 1.0), (count, 0.0)))
    return Rank(count, kept, dropped)


def largest_rank(tables: Iterable[Array]) -> Rank:
    """The largest clear rank at several solved configurations; where none is clear, the largest."""
    return max(map(rank_of, tables), key=lambda one: (one.clear, one.rank))


def independent_rows(tables: Array, order: Iterable[int], first: Sequence[int] = ()) -> list[int]:
    """The rows that those before them, and the first ones, do not imply at one of several solved configurations.

    The samples are (configurations, rows, columns).
    """
    import numpy as np

    sizes = np.linalg.norm(tables, axis=(1, 2))
    chosen = list(first)
    for row in order:
        ranks = [rank_of(table[[*chosen, row]], size).rank for table, size in zip(tables, sizes, strict=True)]
        if max(ranks) > len(chosen):
            chosen.append(row)
    return chosen
