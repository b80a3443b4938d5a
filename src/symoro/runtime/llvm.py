"""Machine code for a program, made in memory by LLVM: one state at a time, or as many at once as the machine can."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from symoro.ir.program import Program
from symoro.runtime.digest import digest
from symoro.runtime.job import CHUNK, run
from symoro.runtime.kernel import Array
from symoro.runtime.layout import LAYOUT
from symoro.runtime.llvm_machine import Code, code, machine
from symoro.runtime.llvm_module import rows_module, state_module
from symoro.runtime.numpy import NumpyBound

_NUMBERS = {"float64": "double", "float32": "float"}


def kernel(program: Program, dtype: str = "float64") -> LlvmKernel:
    return LlvmKernel(program, dtype)


class LlvmKernel:
    """The code of a program. The part for many states is compiled when it is first needed."""

    def __init__(self, program: Program, dtype: str = "float64") -> None:
        self.program = program
        self.dtype = np.dtype(dtype)
        self.width = machine().lanes(self.dtype.itemsize)
        self._number = _NUMBERS[self.dtype.name]
        self.digest = digest(program)
        self._lock = threading.RLock()

    @cached_property
    def one(self) -> Code:
        """`states` and, where Python can call it, `call`."""
        host = machine()
        with self._lock:
            key = "one", self.digest, self._number, self.width, LAYOUT
            names = ("states", "call") if LAYOUT else ("states",)
            return code(key, names, lambda: state_module(self.program, self._number, self.width, host.fma, LAYOUT))

    @cached_property
    def many(self) -> Code:
        """`rows`."""
        with self._lock:
            key = "rows", self.digest, self._number, self.width
            return code(key, ("rows",), lambda: rows_module(self.program, self._number, self.width, machine().fma))

    def bind(self, constants: Array) -> LlvmBound:
        return LlvmBound(self, constants)


class LlvmBound:
    """The code with its constants."""

    def __init__(self, kernel: LlvmKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        """Compute n states. Where an angle is too large for our own sine, by NumPy."""
        if not self._run(inputs, outputs, n, threads):
            return
        k = self.kernel
        for start in range(0, n, CHUNK):
            piece = slice(start, min(start + CHUNK, n))
            given = [a if a.ndim == 1 else a[piece] for a in inputs]
            wanted = [o[piece] for o in outputs]
            if self._run(given, wanted, piece.stop - start, 1):
                NumpyBound(k.program, self.constants, k.dtype).fill(given, wanted, piece.stop - start, 1)

    def in_order(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int) -> int:
        """Compute n states one after the other, so that an output may be an input of the next state.

        1 where an angle is too large for our own sine, else 0.
        """
        return run(self.kernel.one.address("states"), n, self.constants, inputs, outputs)

    def _run(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> int:
        k = self.kernel
        if n >= k.width > 1:
            return run(k.many.address("rows"), n, self.constants, inputs, outputs, threads)
        return run(k.one.address("states"), n, self.constants, inputs, outputs)
