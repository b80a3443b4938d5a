"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from symoro.errors import SymoroError
from symoro.findings import Finding


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside a file, to write to; when all is written, it becomes the file. An error leaves the file as it was.

    A device or a pipe is written directly.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    with TemporaryDirectory(prefix=".symoro-", dir=path.parent) as beside:
        new = Path(beside, path.name)
        yield new
        new.replace(path)


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """As `replacing`, with errors of the file system as errors of symoro that name the file and the reason."""
    final = path_of(path)
    try:
        with replacing(final) as new:
            yield new
    except OSError as error:
        raise SymoroError("files.not_written", path=path, reason=why(error)) from error


def path_of(path: str | Path) -> Path:
    """The path of a file; an error where it is none."""
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise SymoroError("files.bad_path", path=path)
    return Path(path)


def write_table(path: str | Path, columns: Mapping[str, Any]) -> Path:
    """Write columns of numbers into a file of comma-separated values, below a line with their names; its path."""
    import numpy as np

    table = np.column_stack(list(columns.values()))
    with whole_file(path) as new:
        np.savetxt(new, table, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    return Path(path)


def why(error: Exception) -> object:
    """The reason that an error of the file system gives."""
    return (error.strerror if isinstance(error, OSError) else None) or error


def suffix_of(path: Path) -> str | Finding:
    """The suffix of a file as a message says it."""
    return repr(path.suffix) if path.suffix else Finding("pictures.no_suffix")
