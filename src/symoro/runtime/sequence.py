"""A program as the law of a sequence: its first output is its first input one row later, as in a simulation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from symoro.ir.program import Program, split
from symoro.runtime.function import ParameterValues
from symoro.runtime.kernel import Array
from symoro.runtime.llvm_machine import LlvmBound, LlvmKernel
from symoro.runtime.numpy import NumpyBound

_FAR = 1e12
"""A sequence with greater numbers diverges: it is not followed any more."""


class SequenceFunction:
    """Computes many rows in one call of machine code. All rows of one sequence depend on each other, in order."""

    def __init__(self, program: Program, defaults: Mapping[str, float], known: Collection[str] = ()) -> None:
        setup, self._main = split(program)
        self.parameters = ParameterValues(setup, defaults, known)
        self._kernel = LlvmKernel(self._main)
        self._sizes = [len(output.elements) for output in program.outputs]

    def bind(self, values: Mapping[str, float]) -> BoundSequence:
        """The function for these parameters."""
        constants = self.parameters.constants(values)
        return BoundSequence(self._main, self._kernel.bind(constants), constants, self._sizes)


class BoundSequence:
    """The function with its constants."""

    def __init__(self, program: Program, bound: LlvmBound, constants: Array, sizes: Sequence[int]) -> None:
        self._program, self._bound, self._constants, self._sizes = program, bound, constants, sizes

    def one(self, first: Array, others: Sequence[Array], n: int) -> tuple[Array, list[Array]]:
        """n steps from a first row: the rows (n + 1, size) of the sequence, and the other outputs, each (n, size).

        Other inputs have a row (n, size) for each step, or are (size,) for all.
        """
        rows = np.full((n + 1, self._sizes[0]), np.nan)
        rows[0] = first
        outputs = [np.empty((n, size)) for size in self._sizes[1:]]
        if self._bound.in_order([rows, *others], [rows[1:], *outputs], n):
            self._slowly(rows, others, outputs, n)
        return rows, outputs

    def _slowly(self, rows: Array, others: Sequence[Array], outputs: Sequence[Array], n: int) -> None:
        """Row by row by NumPy, from the first angle on that is too large for our own sine, while rows are finite."""
        bound = NumpyBound(self._program, self._constants, np.dtype(np.float64))
        for k in range(int(np.argmax(np.isnan(rows).any(axis=1))) - 1, n):
            if not np.isfinite(rows[k]).all() or np.abs(rows[k]).max() > _FAR:
                rows[k + 1 :] = np.nan
                return
            read = [rows[k : k + 1], *(x if x.ndim == 1 else x[k : k + 1] for x in others)]
            bound.fill(read, [rows[k + 1 : k + 2], *(o[k : k + 1] for o in outputs)], 1, 1)

    def step(self, here: Array, others: Sequence[Array], threads: int = 1) -> list[Array]:
        """One step of many sequences at once: all outputs, each (sequences, size)."""
        outputs = [np.empty((len(here), size)) for size in self._sizes]
        self._bound.fill([here, *others], outputs, len(here), threads)
        return outputs
