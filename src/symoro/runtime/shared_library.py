"""C code as a library in memory, by the compiler of the machine."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from symoro.errors import TargetError
from symoro.runtime.c import compiler

_OPTIONS = ("-std=c99", "-O3", "-march=native", "-fno-math-errno", "-fPIC", "-shared")


@cache
def shared_library(files: tuple[tuple[str, str], ...], options: tuple[str, ...] = ()) -> ctypes.CDLL:
    """The library of C files, (name, text) each. The same files are compiled once in a process."""
    with TemporaryDirectory(prefix="symoro-") as folder:
        for name, text in files:
            (Path(folder) / name).write_text(text, encoding="utf-8")
        library = Path(folder) / "library.so"
        code = [name for name, _ in files if name.endswith(".c")]
        command = [*compiler(), *_OPTIONS, *options, *code, "-lm", "-o", str(library)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TargetError(f"{command[0]} cannot compile the code: {done.stderr.strip()}")
        return ctypes.CDLL(str(library))


def has_compiler() -> bool:
    """Whether there is a C compiler."""
    try:
        return bool(compiler())
    except TargetError:
        return False
