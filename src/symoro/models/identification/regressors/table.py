"""Outputs of identification models as tables: a column under the name of each parameter."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ModelError, ShapeError
from symoro.ir.program import Output, Program


def column_names(array: Output) -> tuple[str, ...]:
    """The parameter of each column: D1_ZZR1 is row 1 of the column ZZR1."""
    return tuple(name.partition("_")[2] for name in array.names[: len(array.columns)])


def by_column(program: Program, values: ArrayLike, output: str | None) -> dict[str, NDArray[Any]]:
    """The columns of one output by name; all axes before the last one become rows, in their order."""
    array = _chosen(program, output)
    names, given = column_names(array), np.asarray(values)
    if given.shape[-len(array.shape) :] != array.shape:
        expected = ", ".join(map(str, array.shape))
        raise ShapeError(f"{array.name} must have the shape (..., {expected}), not {given.shape}")
    return dict(zip(names, given.reshape(prod(given.shape[:-1]), len(names)).T, strict=True))


def _chosen(program: Program, output: str | None) -> Output:
    known = {array.name: array for array in program.outputs}
    if output is None and len(known) > 1:
        raise ModelError(f"there are several outputs: say which one it is with output= ({', '.join(known)})")
    name = next(iter(known)) if output is None else output
    if name not in known:
        raise ModelError(f"no output is called {name!r} (allowed: {', '.join(known)})")
    return known[name]
