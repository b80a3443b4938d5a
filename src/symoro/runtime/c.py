"""Machine code for a program by the system's C compiler, or by the one in the package ziglang."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import numpy as np

from symoro.ir.program import Program
from symoro.runtime.c_text import source
from symoro.runtime.function import Function
from symoro.runtime.job import run
from symoro.runtime.kernel import NUMBERS, Array
from symoro.runtime.shared_library import loaded


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The backend `c`."""
    return Function(program, partial(CKernel, dtype=dtype), defaults, known)


class CKernel:
    """The code of a program in a library that is loaded into this process."""

    def __init__(self, program: Program, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self._library = loaded([("program.c", source(program, NUMBERS[dtype]))])
        self.address = int(ctypes.cast(self._library.states, ctypes.c_void_p).value or 0)

    def bind(self, constants: Array) -> CBound:
        return CBound(self, constants)


class CBound:
    """The code with its constants."""

    def __init__(self, kernel: CKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        run(self.kernel.address, n, self.constants, inputs, outputs, threads, self)
