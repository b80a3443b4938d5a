"""Data frames, of polars or of pandas, as columns of numbers."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Frame(Protocol):
    """What data frames of polars and pandas have in common."""

    @property
    def columns(self) -> Any: ...

    @property
    def dtypes(self) -> Any: ...

    def __getitem__(self, name: Any, /) -> Any: ...


def is_frame(source: Any) -> bool:
    return all(hasattr(source, name) for name in ("columns", "dtypes", "__getitem__"))


def numbers_of(frame: Frame) -> dict[str, Any]:
    """The columns by name; dates and durations as seconds from the first row on."""
    found = {}
    for name in frame.columns:
        x = np.asarray(frame[name])
        found[str(name)] = (x - x[~np.isnat(x)][:1]) / np.timedelta64(1, "s") if x.dtype.kind in "mM" else x
    return found
