"""The table of backends, and `compile_program`: a program becomes a function."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from importlib import import_module

import numpy as np
from numpy.typing import DTypeLike

from symoro.errors import TargetError
from symoro.ir.program import Program
from symoro.runtime.function import Function

#: A backend is a module of this package that defines `kernel(program) -> Kernel`; it is imported at first use.
_BACKENDS = {
    "llvm": "machine code made in memory, no compiler needed",
    "numpy": "the reference interpreter, vectorised by NumPy",
}


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
    make = partial(import_module(f"symoro.runtime.{backend}").kernel, dtype=_checked_type(dtype))
    made_of = program, make, defaults or {}, known
    return import_module("symoro.runtime.call").make_function(*made_of) if backend == "llvm" else Function(*made_of)


def _checked_type(dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = repr(dtype)
    if name not in _TYPES:
        raise TargetError(f"no type {name}: choose one of {', '.join(_TYPES)}")
    return name
