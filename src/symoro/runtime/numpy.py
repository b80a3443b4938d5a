"""The reference `evaluate` as a backend: slow for one state, fast for many."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from symoro.ir.evaluate import evaluator
from symoro.ir.program import Program
from symoro.runtime.function import Function
from symoro.runtime.kernel import Array

#: States that are computed at a time: every intermediate value of each takes memory.
_PIECE = 4096


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The backend `numpy`."""
    return Function(program, partial(NumpyKernel, dtype=dtype), defaults, known)


class NumpyKernel:
    def __init__(self, program: Program, dtype: str) -> None:
        self.program = program
        self.dtype = np.dtype(dtype)

    def bind(self, constants: Array) -> NumpyBound:
        return NumpyBound(self.program, constants, self.dtype)


class NumpyBound:
    def __init__(self, program: Program, constants: Array, dtype: np.dtype[Any]) -> None:
        self.program = program
        values = {p.name: float(c) for p, c in zip(program.parameters, constants, strict=True)}
        self.evaluated = evaluator(program, values, dtype.type)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        """In this thread alone: NumPy has no others for what is done here. All values of a piece are in memory."""
        for start in range(0, n, _PIECE):
            piece = slice(start, start + _PIECE)
            self._fill([a if a.ndim == 1 else a[piece] for a in inputs], [o[piece] for o in outputs])

    def _fill(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        arrays = {
            i.name: a.reshape((*a.shape[:-1], *i.shape)) for i, a in zip(self.program.inputs, inputs, strict=True)
        }
        results = self.evaluated(arrays)
        for output, rows in zip(self.program.outputs, outputs, strict=True):
            rows[...] = results[output.name].reshape(-1, len(output.elements)) if output.elements else 0
