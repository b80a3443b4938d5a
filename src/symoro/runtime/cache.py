"""Compiled code on disk and in memory: what is made once, by the digest of its program."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from warnings import warn

from symoro.errors import SymoroError
from symoro.ir.program import Main, Program, words
from symoro.saving import why

# A short name for a program: programs with the same inputs, instructions and outputs have the same one.


def digest(program: Program) -> str:
    """A hexadecimal number of a main program."""
    names = (v.name for v in (*program.input_variables(), *program.parameters))
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    written = program.words() if isinstance(program, Main) else words(program)
    return hashlib.sha256(f"{shapes} {' '.join([*names, *written])}".encode()).hexdigest()


# What is made once, whichever thread asks first, and what a fork needs while other threads make it.
#
# A forked process has no thread but the one that forked. A lock that another thread holds at that time stays locked in
# it for ever. A fork therefore waits for the locks that guard code in the making.


T = TypeVar("T")
#: Held by the thread that makes code or constants, so that others take what it has made.
MAKING = threading.RLock()
#: Held by the thread that parses Python, as NumPy does to read the header of a file. In Python 3.11 two threads that
#: parse at once may end in a SystemError: they share one counter of the recursion depth.
PARSING = threading.Lock()

_waited_for: list[AbstractContextManager[object]] = [MAKING, PARSING]
_held = ExitStack()


def wait_for(lock: AbstractContextManager[object]) -> None:
    """Forks wait for this lock, too. Who takes several locks takes them in the order in which they are named here."""
    _waited_for.append(lock)


def _take() -> None:
    global _held
    taken = ExitStack()
    for lock in tuple(_waited_for):
        taken.enter_context(lock)
    _held = taken


def _release() -> None:
    _held.close()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)


class Once(Generic[T]):
    """A property that is computed at its first use and kept. Other threads wait for it, and so does a fork.

    Python finds what is kept without asking the property.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type) -> T:
        with MAKING:
            kept = vars(owner)
            if self._name not in kept:
                kept[self._name] = self._make(owner)
            found: T = kept[self._name]
            return found


# Compiled code on disk, so that a program is compiled once on a machine.
#
# An entry is a file: a mark, the length of the code, the SHA-256 of key and code, the code. A file that is not so is
# ignored. Entries are written under a name of their own and then renamed, so that a reader sees a whole entry or none.
# If the disk is full or may not be written, nothing is kept, and everything works; of a folder that the user chose, a
# warning says so.


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


def problem() -> str | None:
    """Why no code is kept; None if it is."""
    place = folder()
    if place is None:
        return f"it is switched off ({VARIABLE})" if VARIABLE in os.environ else "there is no home folder"
    there = next(path for path in (place, *place.absolute().parents) if os.path.exists(path))
    if not there.is_dir():
        return f"{there} is not a folder"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"{there} cannot be written"
    if there == place and _own_folder() is None:
        return "the folder belongs to another user, or other users can write into it"
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
        reason = problem() or "it cannot be written"
        warn(f"{VARIABLE}={os.environ[VARIABLE]}: {reason}; compiled code is not kept", UserWarning, stacklevel=2)


def usage() -> Usage:
    place = folder()
    sizes = [size for _, size, _ in _entries(place)] if place else []
    return Usage(place, len(sizes), sum(sizes))


def clear() -> Usage:
    """Remove all entries and return what was there. An error counts those that cannot be removed."""
    place = folder()
    found = list(_entries(place)) if place else []
    reasons = [reason for _, _, path in found if (reason := _removed(path)) is not None]
    if reasons:
        raise SymoroError(f"{len(reasons)} of {len(found)} entries in {place} cannot be removed: {reasons[0]}")
    return Usage(place, len(found), sum(size for _, size, _ in found))


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
        found = place.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
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
                    found = file.stat()
                    yield found.st_mtime, found.st_size, Path(file.path)


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
