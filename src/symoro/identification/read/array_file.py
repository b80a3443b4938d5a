"""Files of arrays: NumPy, Parquet, Matlab, and rows of large ones without reading all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from symoro.errors import DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import needed
from symoro.identification.read.columns import Columns, in_columns, numbers_of
from symoro.runtime.threads import PARSING

# Files of NumPy: .npy with one array, .npz with arrays by name.


def read_numpy(file: Path) -> Columns:
    """The columns by name: fields of a structured array, or c1, c2 … of a plain one. Objects of Python are not read."""
    try:
        with PARSING:  # the headers
            loaded = np.load(file, allow_pickle=False)
            arrays = dict(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else {"": loaded}
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise DataError("recordings.not_numpy", reason=str(error), place=Place(str(file))) from None
    if "" not in arrays:
        return in_columns(arrays, file)
    array = arrays[""]
    if array.dtype.names:
        return in_columns({name: array[name] for name in array.dtype.names}, file)
    return in_columns({"c": array.reshape(len(array), -1) if array.ndim else array}, file)


# Parquet files, by polars.


def read_parquet(file: Path) -> Columns:
    """The columns by name; texts are left out, dates are seconds, and what is missing is NaN."""
    polars = needed("polars", Finding("estimates.reading_parquet"))
    try:
        frame = polars.read_parquet(file)
    except polars.exceptions.PolarsError as error:
        raise DataError("recordings.not_parquet", reason=str(error), place=Place(str(file))) from None
    return in_columns(numbers_of(frame), file)


# Files of Matlab (.mat): up to version 7 by SciPy, version 7.3 by h5py, as it is a file of HDF5.


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
        raise DataError("recordings.not_matlab", reason=str(error), place=Place(str(file))) from None
    return in_columns(_by_field({name: array for name, array in arrays.items() if not name.startswith("__")}), file)


def _by_field(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by the names of their fields; by structure.field where two structures have a field of one name."""
    every = dict(_inside(arrays))
    short = [name.rpartition(".")[2] for name in every]
    return {
        field if short.count(field) == 1 else name: x for field, (name, x) in zip(short, every.items(), strict=True)
    }


def _inside(arrays: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, x in arrays.items():
        if isinstance(x, Mapping):
            yield from _inside(x, f"{before}{name}.")
        elif np.size(x) or not isinstance(x, np.ndarray):
            yield f"{before}{name}", x


def _of_version_7_3(file: Path) -> dict[str, Any]:
    h5py = needed("h5py", Finding("estimates.reading_matlab"))
    try:
        with h5py.File(file, "r") as opened:
            return _datasets(opened)
    except OSError as error:
        raise DataError("recordings.not_matlab", reason=str(error), place=Place(str(file))) from None


def _datasets(group: Any) -> dict[str, Any]:
    """Numbers by name, and structures as mappings; Matlab writes the axes of an array in the other order."""
    datasets: dict[str, Any] = {}
    for name, x in group.items():
        if hasattr(x, "items"):
            datasets |= {} if name.startswith("#") else {name: _datasets(x)}
        elif x.attrs.get("MATLAB_class") not in _NO_NUMBERS and not x.attrs.get("MATLAB_empty", 0):
            datasets[name] = np.asarray(x).T
    return datasets


# Rows of a large file without reading all of it: .npy by a memory map, .parquet by its row groups.


ENDINGS = (".npy", ".parquet")


def row_count(file: Path) -> int:
    """The number of samples of a file."""
    opened = _opened(file)
    if file.suffix == ".npy":
        return len(opened)
    return int(opened.select(needed("polars", Finding("estimates.reading_parquet")).len()).collect().item())


def read_rows(file: Path, first: int, last: int) -> Columns:
    """The columns of some rows."""
    opened = _opened(file)
    if file.suffix == ".npy":
        part = np.array(opened[first:last])
        named = {name: part[name] for name in part.dtype.names} if part.dtype.names else {"c": part}
        return in_columns(named, file)
    return in_columns(numbers_of(opened.slice(first, last - first).collect()), file)


def ending_of(file: Path) -> str | Finding:
    """The ending of a file, as a message has it."""
    return repr(file.suffix) if file.suffix else Finding("recordings.no_ending")


def _opened(file: Path) -> Any:
    if not file.exists():
        raise DataError("recordings.no_file", place=Place(str(file)))
    if file.suffix not in ENDINGS:
        raise DataError("recordings.not_in_parts", ending=ending_of(file), allowed=ENDINGS, place=Place(str(file)))
    try:
        if file.suffix == ".npy":
            with PARSING:
                return np.load(file, mmap_mode="r", allow_pickle=False)
        return needed("polars", Finding("estimates.reading_parquet")).scan_parquet(file)
    except (ValueError, OSError, EOFError) as error:
        raise DataError("recordings.not_measurements", reason=str(error), place=Place(str(file))) from None
