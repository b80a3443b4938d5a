"""The backend `llvm`: machine code made in memory, which Python calls directly where that is safe."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from symoro.ir.program import Program
from symoro.runtime import direct
from symoro.runtime.function import Function
from symoro.runtime.llvm_machine import LlvmKernel


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The program as a function of NumPy arrays."""
    called_directly = direct.function(program, defaults, known, dtype)
    return called_directly or Function(program, partial(LlvmKernel, dtype=dtype), defaults, known)
