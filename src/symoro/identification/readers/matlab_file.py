"""Files of Matlab (.mat): up to version 7 by SciPy, version 7.3 by h5py, as it is a file of HDF5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.extras import needed
from symoro.identification.readers.columns import Columns, in_columns

_NO_NUMBERS = (b"char", b"cell", b"function_handle")
"""Classes of Matlab whose datasets hold texts or references."""


def read_matlab(file: Path) -> Columns:
    """The arrays by name, those of structures by the names of their fields; single numbers and texts are left out."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(str(file), simplify_cells=True)
    except NotImplementedError:
        arrays = _of_version_7_3(file)
    except (MatReadError, ValueError, TypeError, OSError, IndexError, KeyError) as error:
        raise DataError(f"{file}: this is not a file of Matlab ({error})") from None
    return in_columns(_by_field({name: array for name, array in arrays.items() if not name.startswith("__")}), file)


def _by_field(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by the names of their fields; by structure.field where two structures have a field of one name."""
    every = dict(_inside(arrays))
    short = [name.rpartition(".")[2] for name in every]
    return {own if short.count(own) == 1 else name: x for own, (name, x) in zip(short, every.items(), strict=True)}


def _inside(arrays: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, x in arrays.items():
        if isinstance(x, Mapping):
            yield from _inside(x, f"{before}{name}.")
        elif np.size(x) or not isinstance(x, np.ndarray):
            yield f"{before}{name}", x


def _of_version_7_3(file: Path) -> dict[str, Any]:
    h5py = needed("h5py", "reading files of Matlab 7.3")
    try:
        with h5py.File(file, "r") as opened:
            return _datasets(opened)
    except OSError as error:
        raise DataError(f"{file}: this is not a file of Matlab ({error})") from None


def _datasets(group: Any) -> dict[str, Any]:
    """Numbers by name, and structures as mappings; Matlab writes the axes of an array in the other order."""
    found: dict[str, Any] = {}
    for name, x in group.items():
        if hasattr(x, "items"):
            found |= {} if name.startswith("#") else {name: _datasets(x)}
        elif x.attrs.get("MATLAB_class") not in _NO_NUMBERS and not x.attrs.get("MATLAB_empty", 0):
            found[name] = np.asarray(x).T
    return found
