"""Files of NumPy: .npy with one array, .npz with arrays by name."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from symoro.errors import DataError
from symoro.identification.readers.columns import Columns, in_columns


def read_numpy(file: Path) -> Columns:
    """The columns by name: fields of a structured array, or c1, c2 … of a plain one. Objects of Python are not read."""
    try:
        loaded = np.load(file, allow_pickle=False)
        arrays = dict(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else {"": loaded}
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise DataError(f"{file}: this is not a file of NumPy with numbers ({error})") from None
    if "" not in arrays:
        return in_columns(arrays, file)
    array = arrays[""]
    if array.dtype.names:
        return in_columns({name: array[name] for name in array.dtype.names}, file)
    return in_columns({"c": array.reshape(len(array), -1) if array.ndim else array}, file)
