"""The functions of a package in a closed loop: a law and what it controls, called in turn, for the self-test.

Arrays are connected by their names: an output is the input of its name of the functions that follow, and an output
`next_x` is the input x in the next period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.parts import Source
from symoro.ir.evaluate import evaluate

NEXT = "next_"
_TOLERANCE = {"double": 1e-9, "float": 1e-3}


@dataclass(frozen=True, slots=True)
class Loop:
    """What a closed loop is given: arrays at its start, and arrays with a row for each period."""

    start: Mapping[str, ArrayLike]
    rows: Mapping[str, ArrayLike]


@dataclass(frozen=True, slots=True)
class LoopTest:
    """A closed loop with its result: `found` are the arrays that periods hand on, after the last one.

    `sizes` are those of all arrays that a function computes.
    """

    periods: int
    start: Mapping[str, list[float]]
    rows: Mapping[str, list[list[float]]]
    found: Mapping[str, list[float]]
    sizes: Mapping[str, int]
    tolerance: float


def loop_test(loop: Loop, sources: Sequence[Source], precision: str) -> LoopTest | None:
    """The closed loop by the reference interpreter; None where a parameter has no number."""
    if any(p.name not in source.known for source in sources for p in source.program.parameters):
        return None
    rows = {name: np.asarray(x, dtype=float) for name, x in loop.rows.items()}
    start = {name: np.asarray(x, dtype=float) for name, x in loop.start.items()}
    now: dict[str, NDArray[Any]] = dict(start)
    periods = len(next(iter(rows.values())))
    for k in range(periods):
        now |= {name: x[k] for name, x in rows.items()}
        for source in sources:
            given = {array.name: now[array.name] for array in source.program.inputs if not array.optional}
            now |= evaluate(source.program, given, source.known)
        now |= {name.removeprefix(NEXT): x for name, x in now.items() if name.startswith(NEXT)}
    return LoopTest(
        periods,
        {name: x.tolist() for name, x in start.items()},
        {name: x.tolist() for name, x in rows.items()},
        {name: now[name].tolist() for name in start},
        {o.name: len(o.elements) for source in sources for o in source.program.outputs},
        _TOLERANCE[precision],
    )
