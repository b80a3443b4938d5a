"""The table of backends, and `compile_program`: a program becomes a function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module

from symoro.errors import TargetError
from symoro.ir.program import Program
from symoro.runtime.function import Function
from symoro.runtime.kernel import Kernel

#: A backend is a module of this package that defines `kernel(program) -> Kernel`, or, where its functions do not take
#: NumPy arrays alone, `function(program, defaults, known) -> Function`; it is imported at first use.
_BACKENDS = {
    "llvm": "machine code made in memory, no compiler needed",
    "numpy": "the reference interpreter, vectorised by NumPy",
    "cuda": "a CUDA kernel, one thread for each state, for arrays on the device (needs CuPy)",
}


def backends() -> Mapping[str, str]:
    """The names of the backends, each with a description."""
    return dict(_BACKENDS)


def compile_program(
    program: Program,
    backend: str = "llvm",
    defaults: Mapping[str, float] | None = None,
    known: Collection[str] = (),
) -> Function:
    """The program as a function. `known` are further symbols that `values=` accepts and ignores."""
    if backend not in _BACKENDS:
        raise TargetError(f"no backend {backend!r}: choose one of {', '.join(_BACKENDS)}")
    module = import_module(f"symoro.runtime.{backend}")
    if hasattr(module, "function"):
        found: Function = module.function(program, defaults or {}, known)
        return found
    make: Callable[[Program], Kernel] = module.kernel
    return Function(program, make, defaults or {}, known)
