"""C code as a library in this process, by the system's C compiler, or by the one in the package ziglang."""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from symoro.errors import TargetError

#: Names and texts of files.
Files = Sequence[tuple[str, str]]


@cache
def shared_library(files: tuple[tuple[str, str], ...], options: tuple[str, ...] = ()) -> ctypes.CDLL:
    """The library of C files, (name, text) each. The same files are compiled once in a process."""
    return loaded(files, ("-ftree-vectorize", *options))


def loaded(files: Files, options: Sequence[str] = ()) -> ctypes.CDLL:
    """Compile and load C files. They are removed at once: the loaded library does not need them.

    Windows keeps the file of a library as long as it is loaded: there it stays in the temporary folder.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="symoro-", ignore_cleanup_errors=True) as folder:
            for name, text in files:
                Path(folder, name).write_text(text, encoding="utf-8")
            library = Path(folder, f"library{ending()}")
            _compile([str(Path(folder, name)) for name, _ in files if name.endswith(".c")], library, options)
            return ctypes.CDLL(str(library))
    except OSError as error:  # the disk is full, or the folder does not allow programs
        raise TargetError("backends.not_loaded", reason=error) from None


def compiler() -> list[str]:
    """The command of the C compiler: $CC, cc, gcc, clang, or the package ziglang."""
    chosen = _words(os.environ.get("CC", ""))
    if chosen:
        return chosen
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path:
            return [path]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise TargetError("backends.no_compiler")


def has_compiler() -> bool:
    """Whether there is a C compiler whose code runs here: the temporary folder may not allow programs."""
    try:
        return _works(tuple(compiler()))
    except TargetError:
        return False


@cache
def _works(command: tuple[str, ...]) -> bool:
    try:
        return bool(loaded([("nothing.c", "int nothing;\n")]))
    except TargetError:
        return False


def ending() -> str:
    """How the name of a library ends."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def options_of_machine() -> list[str]:
    """How code is asked for that fits this very machine.

    All code of Windows can be moved, and GCC does not align vectors on its stack: there it is code for any processor.
    """
    common = ["-std=c99", "-O2", "-fno-math-errno", "-shared"]
    if sys.platform == "win32":
        return common
    arm = platform.machine().lower() in ("aarch64", "arm64")
    return [*common, "-fPIC", "-mcpu=native" if arm else "-march=native"]


def _words(command: str) -> list[str]:
    """The words of a command; on Windows a backslash is a letter of a path."""
    windows = sys.platform == "win32"
    try:
        words = shlex.split(command, posix=not windows)
    except ValueError as error:
        raise TargetError("backends.command", reason=error, command=command) from None
    return [word.strip('"') for word in words] if windows else words


def _compile(code: Sequence[str], library: Path, options: Sequence[str]) -> None:
    mathematics = [] if sys.platform == "win32" else ["-lm"]
    command = [*compiler(), *options_of_machine(), *options, *code, "-o", str(library), *mathematics]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise TargetError("backends.compiler_not_run", compiler=command[0], reason=error.strerror) from None
    if done.returncode:
        raise TargetError("backends.compiler_failed", compiler=command[0], output=done.stderr.strip()[:2000])
