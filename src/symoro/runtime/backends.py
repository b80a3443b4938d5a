"""The table of backends, and `compile_program`: a program becomes a function."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from symoro.errors import TargetError
from symoro.ir.program import Program


class _Backend(NamedTuple):
    """A module of this package with `function(program, defaults, known, dtype)`; it is imported at first use."""

    module: str
    title: str
    #: The package that it needs, and the extra of symoro that brings it.
    needs: str | None = None
    extra: str | None = None


_BACKENDS = {
    "llvm": _Backend("call", "machine code made in memory, no compiler needed"),
    "numpy": _Backend("numpy", "the reference interpreter, vectorised by NumPy"),
    "c": _Backend("c", "code of the system's C compiler, or of the package ziglang"),
    "jax": _Backend("jax", "a function of JAX arrays, for jit, vmap and grad", "jax", "jax"),
    "casadi": _Backend("casadi", "a CasADi Function with derivatives", "casadi", "casadi"),
    "cuda": _Backend("cuda", "a CUDA kernel, one thread for each state, for arrays on the device", "cupy", "cuda"),
}
#: The types that a function can compute in.
_TYPES = ("float64", "float32")


def of_arrays() -> tuple[str, ...]:
    """The backends whose functions are a `Function` of NumPy arrays."""
    return tuple(name for name, backend in _BACKENDS.items() if not backend.needs)


def backends() -> Mapping[str, str]:
    """The names of the backends, each with a description."""
    return {name: backend.title for name, backend in _BACKENDS.items()}


def compile_program(
    program: Program,
    backend: str = "llvm",
    defaults: Mapping[str, float] | None = None,
    known: Collection[str] = (),
    dtype: DTypeLike = "float64",
) -> Any:
    """The program as a function that computes in float64 or float32: a `Function`, or what JAX and CasADi have.

    `known` are further symbols that `values=` accepts and ignores.
    """
    if not isinstance(backend, str) or backend not in _BACKENDS:
        raise TargetError(f"no backend {backend!r}: choose one of {', '.join(_BACKENDS)}")
    chosen = _BACKENDS[backend]
    if chosen.needs and find_spec(chosen.needs) is None:
        raise TargetError(f"backend {backend!r} needs a package: pip install 'symoro[{chosen.extra}]'")
    module = import_module(f"symoro.runtime.{chosen.module}")
    return module.function(program, defaults or {}, known, _checked_type(dtype))


def _checked_type(dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError):
        name = repr(dtype)
    if name not in _TYPES:
        raise TargetError(f"no type {name}: choose one of {', '.join(_TYPES)}")
    return name
