"""The interface that a backend provides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: An array of the type that a kernel computes in, float64 or float32.
Array = NDArray[Any]
#: The names of NumPy's types in C and in LLVM.
NUMBERS = {"float64": "double", "float32": "float"}


class BoundKernel(Protocol):
    """A kernel with its constants in place."""

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        """Compute n ≥ 1 states into outputs (n, elements), which are contiguous and lie on no input.

        An input has rows (n, elements) whose elements are contiguous, any distance apart, or is (elements,) for all n.
        """
        ...


class Kernel(Protocol):
    """A compiled main program (see `ir.program`)."""

    #: The type that it computes in.
    dtype: np.dtype[Any]

    def bind(self, constants: Array) -> BoundKernel:
        """The kernel for these constants."""
        ...
