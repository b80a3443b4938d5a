"""Files of Matlab (.mat) up to version 7."""

from __future__ import annotations

from pathlib import Path

from symoro.errors import DataError
from symoro.identification.readers.columns import Columns, in_columns


def read_matlab(file: Path) -> Columns:
    """The arrays by name; single numbers, texts and structures are left out."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(str(file))
    except NotImplementedError:
        raise DataError(f"{file}: this is a file of version 7.3 (allowed: save it with -v7)") from None
    except (MatReadError, ValueError, TypeError, OSError, IndexError, KeyError) as error:
        raise DataError(f"{file}: this is not a file of Matlab ({error})") from None
    return in_columns({name: array for name, array in arrays.items() if not name.startswith("__")}, file)
