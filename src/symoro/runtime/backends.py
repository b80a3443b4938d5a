"""The table of backends, and `compile_program`: a program becomes a function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib import import_module

import numpy as np
from numpy.typing import DTypeLike

from symoro.errors import TargetError
from symoro.ir.program import Program
from symoro.runtime.function import Function

#: A backend is a module of this package that defines `kernel(program, dtype) -> Kernel`; it is imported at first use.
_BACKENDS = {
    "llvm": "machine code made in memory, no compiler needed",
    "numpy": "the reference interpreter, vectorised by NumPy",
    "cuda": "a CUDA kernel, one thread for each state, for arrays on the device (needs CuPy)",
}
#: The modules that make the functions of a backend (`make_function`), where they are not plain ones of NumPy arrays.
_FUNCTIONS = {"llvm": "symoro.runtime.call", "cuda": "symoro.runtime.cuda"}
#: The types that a function can compute in.
_TYPES = ("float64", "float32")


def backends() -> Mapping[str, str]:
    """The names of the backends, each with a description."""
    return dict(_BACKENDS)


def compile_program(
    program: Program,
    backend: str = "llvm",
    defaults: Mapping[str, float] | None = None,
    known: Collection[str] = (),
    dtype: DTypeLike = "float64",
) -> Function:
    """The program as a function that computes in float64 or float32.

    `known` are further symbols that `values=` accepts and ignores.
    """
    if backend not in _BACKENDS:
        raise TargetError(f"no backend {backend!r}: choose one of {', '.join(_BACKENDS)}")
    module = import_module(f"symoro.runtime.{backend}")
    make = partial(module.kernel, dtype=_checked_type(dtype))
    function: Callable[..., Function] = Function
    if backend in _FUNCTIONS:
        function = import_module(_FUNCTIONS[backend]).make_function
    return function(program, make, defaults or {}, known)


def _checked_type(dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = repr(dtype)
    if name not in _TYPES:
        raise TargetError(f"no type {name}: choose one of {', '.join(_TYPES)}")
    return name
