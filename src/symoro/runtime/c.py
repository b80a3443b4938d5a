"""Machine code for a program by the system's C compiler, or by the one in the package ziglang."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import TargetError
from symoro.ir.program import Program
from symoro.runtime.c_text import source
from symoro.runtime.function import Function
from symoro.runtime.job import run
from symoro.runtime.kernel import NUMBERS, Array

_OPTIONS = ("-std=c99", "-O2", "-march=native", "-fno-math-errno", "-fPIC", "-shared")


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The backend `c`."""
    return Function(program, partial(CKernel, dtype=dtype), defaults, known)


class CKernel:
    """The code of a program in a library that is loaded into this process."""

    def __init__(self, program: Program, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self._library = _loaded(source(program, NUMBERS[dtype]))
        self.address = int(ctypes.cast(self._library.states, ctypes.c_void_p).value or 0)

    def bind(self, constants: Array) -> CBound:
        return CBound(self, constants)


class CBound:
    """The code with its constants."""

    def __init__(self, kernel: CKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        run(self.kernel.address, n, self.constants, inputs, outputs, threads, self)


def compiler() -> list[str]:
    """The command of the C compiler: $CC, cc, gcc, clang, or the package ziglang."""
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise TargetError("no C compiler: set CC, install gcc or clang, or pip install ziglang")


def _loaded(text: str) -> Any:
    """Compile and load a text. The files are removed at once: the loaded library does not need them."""
    try:
        with tempfile.TemporaryDirectory(prefix="symoro-", ignore_cleanup_errors=True) as folder:
            code, library = Path(folder, "program.c"), Path(folder, "program.so")
            code.write_text(text, encoding="ascii")
            _compile(code, library)
            return ctypes.CDLL(str(library))
    except OSError as error:  # the disk is full, or the folder does not allow programs
        raise TargetError(f"the C code cannot be written to a temporary folder and loaded: {error}") from None


def _compile(code: Path, library: Path) -> None:
    command = [*compiler(), *_OPTIONS, str(code), "-o", str(library), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise TargetError(f"the C compiler {command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise TargetError(f"the C compiler {command[0]} failed:\n{done.stderr.strip()[:2000]}")
