"""Machine code for a program, made in memory by LLVM: one state at a time, or as many at once as the machine can."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from symoro.ir.program import Program
from symoro.runtime.digest import digest
from symoro.runtime.job import CHUNK, run
from symoro.runtime.kernel import NUMBERS, Array
from symoro.runtime.layout import LAYOUT
from symoro.runtime.llvm_machine import Code, code, machine
from symoro.runtime.llvm_module import rows_module, state_module
from symoro.runtime.numpy import NumpyBound
from symoro.runtime.once import Once

#: The bits of a NaN that no computation gives, by the bytes of a number.
_MARKS: dict[int, np.unsignedinteger[Any]] = {8: np.uint64(0x7FF8_7379_6D6F_726F), 4: np.uint32(0x7FC5_A5A5)}


def kernel(program: Program, dtype: str = "float64") -> LlvmKernel:
    return LlvmKernel(program, dtype)


class LlvmKernel:
    """The code of a program. The part for many states is compiled when it is first needed."""

    def __init__(self, program: Program, dtype: str = "float64") -> None:
        self.program = program
        self.dtype = np.dtype(dtype)
        self.width = machine().lanes(self.dtype.itemsize)
        self._number = NUMBERS[self.dtype.name]
        self.digest = digest(program)

    @Once
    def one(self) -> Code:
        """`states` and, where Python can call it, `call`."""
        key = "one", self.digest, self._number, self.width, LAYOUT
        names = ("states", "call") if LAYOUT else ("states",)
        fma = machine().fma
        make = partial(state_module, self.program, self._number, self.width, fma, LAYOUT)
        return code(key, names, make)

    @Once
    def many(self) -> Code:
        """`rows`."""
        key = "rows", self.digest, self._number, self.width
        make = partial(rows_module, self.program, self._number, self.width, machine().fma)
        return code(key, ("rows",), make)

    def bind(self, constants: Array) -> LlvmBound:
        return LlvmBound(self, constants)


class LlvmBound:
    """The code with its constants."""

    def __init__(self, kernel: LlvmKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        """Compute n states. Those with an angle that is too large for our own sine are computed by NumPy."""
        if not self._run(inputs, outputs, n, threads):
            return
        for start in range(0, n, CHUNK):
            piece = slice(start, min(start + CHUNK, n))
            given = [a if a.ndim == 1 else a[piece] for a in inputs]
            wanted = [o[piece] for o in outputs]
            if self._run(given, wanted, piece.stop - start, 1):
                self._fill_with_large_angles(given, wanted, piece.stop - start)

    def _fill_with_large_angles(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int) -> None:
        """Compute some states one by one: the code leaves the results of a state with a large angle as they are."""
        first = next((o for o in outputs if o.shape[1]), None)
        if first is None:
            return
        mark = _MARKS[first.itemsize]
        bits = first.view(mark.dtype)
        bits[:, 0] = mark
        self.in_order(inputs, outputs, n)
        large = np.flatnonzero(bits[:, 0] == mark)
        found = [np.empty((len(large), o.shape[1]), o.dtype) for o in outputs]
        given = [a if a.ndim == 1 else a[large] for a in inputs]
        k = self.kernel
        NumpyBound(k.program, self.constants, k.dtype).fill(given, found, len(large), 1)
        for output, rows in zip(outputs, found, strict=True):
            output[large] = rows

    def in_order(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int) -> int:
        """Compute n states one after the other, so that an output may be an input of the next state.

        1 where an angle is too large for our own sine, else 0.
        """
        return run(self.kernel.one.address("states"), n, self.constants, inputs, outputs)

    def _run(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> int:
        k = self.kernel
        if n >= k.width > 1:
            return run(k.many.address("rows"), n, self.constants, inputs, outputs, threads, self)
        return run(k.one.address("states"), n, self.constants, inputs, outputs)
