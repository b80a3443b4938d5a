"""Compiled code on disk, so that a program is compiled once on a machine.

An entry is a file: a mark, the length of the code, the SHA-256 of key and code, the code. A file that is not so is
ignored. Entries are written under a name of their own and then renamed, so that a reader sees a whole entry or none.
If the disk is full or may not be written, nothing is kept, and everything works; of a folder that the user chose, a
warning says so.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from warnings import warn

from symoro.errors import SymoroError
from symoro.findings import Finding
from symoro.ir.program import Main, Program, words
from symoro.saving import why


def digest(program: Program) -> str:
    """A hexadecimal number of a main program: the same for the same inputs, instructions and outputs."""
    names = (v.name for v in (*program.input_variables(), *program.parameters))
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    written = program.words() if isinstance(program, Main) else words(program)
    return hashlib.sha256(f"{shapes} {' '.join([*names, *written])}".encode()).hexdigest()


#: The variable of the environment that moves the cache, or switches it off.
VARIABLE = "SYMORO_CACHE"
_OFF = ("", "0", "off")
_MARK = b"symoro 1\n"
_ENDING = ".code"
#: The names of our files: no others are counted or removed, because the folder may have been there before.
_OURS = re.compile(r"[0-9a-f]{64}\.code|[0-9a-f]{8}[0-9a-z_]{8}\.part")
#: The oldest entries are removed above this many bytes.
LIMIT = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Usage:
    """What is in the cache; `folder` is None where there is no cache."""

    folder: Path | None
    entries: int
    size: int


def folder() -> Path | None:
    """Where the cache is; None where it is switched off."""
    chosen = os.environ.get(VARIABLE)
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    with suppress(RuntimeError):  # there is no home
        if chosen is not None:
            return None if chosen.lower() in _OFF else Path(chosen).expanduser()
        return (Path(base) if base else Path.home() / ".cache") / "symoro"
    return None


def problem() -> Finding | None:
    """Why no code is kept; None if it is."""
    place = folder()
    if place is None:
        off = VARIABLE in os.environ
        return Finding("backends.switched_off", variable=VARIABLE) if off else Finding("backends.no_home")
    there = next(path for path in (place, *place.absolute().parents) if os.path.exists(path))
    if not there.is_dir():
        return Finding("backends.not_a_folder", path=there)
    try:
        with suppress(FileNotFoundError):
            place.stat()
        with tempfile.TemporaryFile(dir=there):  # permissions say too little: root may write everywhere but in /proc
            pass
    except OSError as error:
        return Finding("backends.not_writable", path=place, reason=why(error))
    if there == place and _own_folder() is None:
        return Finding("backends.of_others")
    return None


def get(key: str) -> bytes | None:
    """The code of this key, a hexadecimal number of 64 digits, if it is there and whole."""
    place = _own_folder()
    if place is None:
        return None
    path = place / (key + _ENDING)
    try:
        entry = path.read_bytes()
    except OSError:
        return None
    start = len(_MARK) + 8 + 32
    code = entry[start:]
    if entry[:start] != _head(key, code):
        return None
    with suppress(OSError):
        os.utime(path)  # its last use
    return code


def put(key: str, code: bytes) -> None:
    """Keep code, if possible; a warning where the folder that the user chose cannot be used."""
    with suppress(OSError):
        place = _own_folder(make=True)
        if place is not None:
            _write(place, key, _head(key, code) + code)
            _shrink(place)
            return
    if VARIABLE in os.environ and folder() is not None:
        reason = problem() or Finding("backends.full")
        why_not = Finding("backends.cache_off", variable=VARIABLE, folder=os.environ[VARIABLE], reason=reason)
        warn(str(why_not), UserWarning, stacklevel=2)


def usage() -> Usage:
    place = folder()
    sizes = [size for _, size, _ in _entries(place)] if place else []
    return Usage(place, len(sizes), sum(sizes))


def clear() -> Usage:
    """Remove all entries and return what was there. An error counts those that cannot be removed."""
    place = folder()
    entries = list(_entries(place)) if place else []
    reasons = [reason for _, _, path in entries if (reason := _removed(path)) is not None]
    if reasons:
        counts = {"count": len(reasons), "entries": len(entries)}
        raise SymoroError("backends.cache_not_cleared", **counts, folder=place, reason=reasons[0])
    return Usage(place, len(entries), sum(size for _, size, _ in entries))


def _head(key: str, code: bytes) -> bytes:
    return _MARK + len(code).to_bytes(8, "little") + hashlib.sha256(key.encode() + code).digest()


def _own_folder(make: bool = False) -> Path | None:
    """The folder, if nobody else can write into it: what is in it will be run."""
    place = folder()
    if place is None:
        return None
    try:
        if make:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        return None
    return place


def _write(place: Path, key: str, entry: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=place, prefix=key[:8], suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(entry)
        os.replace(name, place / (key + _ENDING))
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _entries(place: Path) -> Iterator[tuple[float, int, Path]]:
    """Last use, size and path of every entry; what another process removes meanwhile is left out."""
    with suppress(OSError), os.scandir(place) as files:
        for file in files:
            if _OURS.fullmatch(file.name):
                with suppress(OSError):
                    status = file.stat()
                    yield status.st_mtime, status.st_size, Path(file.path)


def _shrink(place: Path) -> None:
    entries = sorted(_entries(place))
    excess = sum(size for _, size, _ in entries) - LIMIT
    for _, size, path in entries:
        if excess <= 0:
            return
        if _removed(path) is None:
            excess -= size


def _removed(path: Path) -> object:
    """Remove an entry; why that is not possible: on Windows, another process may have it open."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return why(error)
    return None
