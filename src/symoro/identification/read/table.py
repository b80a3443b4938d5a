"""A file of measurements as columns by name. The ending of the file says its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from symoro.errors import DataError
from symoro.findings import Place
from symoro.identification.read.array_file import ending_of, read_matlab, read_numpy, read_parquet
from symoro.identification.read.columns import Columns, listed
from symoro.identification.read.ros_bag import read_bag
from symoro.identification.read.text_file import read_text

READERS: dict[str, Callable[[Path], Columns]] = {
    ".csv": read_text,
    ".tsv": read_text,
    ".txt": read_text,
    ".npy": read_numpy,
    ".npz": read_numpy,
    ".mat": read_matlab,
    ".parquet": read_parquet,
    ".bag": read_bag,
    ".db3": read_bag,
    ".mcap": read_bag,
}
"""Ending of a file: its reader. A text file may be compressed (.csv.gz, .csv.xz); a folder is a bag of ROS 2."""
_COMPRESSED = (".gz", ".xz")


def read_table(path: str | Path) -> Columns:
    """The columns of a file. Arrays (samples, n) called q become the columns q1 … qn."""
    file = Path(path)
    if not file.exists():
        raise DataError("recordings.no_file", place=Place(str(file)))
    columns = _reader(file)(file)
    if not columns or not max(len(x) for x in columns.values()):
        raise DataError("recordings.no_samples", place=Place(str(file)))
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        longest = max(lengths.values())
        short = listed(f"{name} ({count})" for name, count in lengths.items() if count != longest)
        raise DataError("recordings.lengths_of_columns", columns=short, longest=longest, place=Place(str(file)))
    return columns


def _reader(file: Path) -> Callable[[Path], Columns]:
    if file.is_dir():
        return read_bag
    plain = Path(file.stem) if file.suffix in _COMPRESSED else file
    if plain.suffix.lower() not in READERS:
        raise DataError("recordings.format", ending=ending_of(plain), allowed=list(READERS), place=Place(str(file)))
    return READERS[plain.suffix.lower()]
