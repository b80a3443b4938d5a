"""The interface that a backend provides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Bound(Protocol):
    """A kernel with its constants in place."""

    def one(self, inputs: Sequence[Any]) -> list[Array] | None:
        """The outputs for one state, without checks; None if the inputs need checks or conversions."""
        ...

    def many(self, inputs: Sequence[Array], n: int) -> list[Array]:
        """The outputs, each (n, elements), for contiguous inputs (n, elements), or (elements,) for all n."""
        ...


class Kernel(Protocol):
    """A compiled main program (see `ir.split`)."""

    def bind(self, constants: Array) -> Bound:
        """The kernel for these constants."""
        ...
