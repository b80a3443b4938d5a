"""Code runs wherever memory is left, also where its neighbourhood is nearly full."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

#: Four GiB lie below all memory in use, every gap above them is filled, and then this many pages are given back.
GAP = """
import ctypes, sys
import os
from dataclasses import replace
import numpy as np
import symoro
from symoro.runtime import llvm_machine

os.environ["SYMORO_CACHE"] = "off"
host = llvm_machine.machine()
if sys.argv[2] == "macos":  # LLVM writes and links code as there
    host = replace(host, triple="x86_64-apple-macosx11.0.0")
    llvm_machine.machine = lambda: host
model, state = symoro.inverse_dynamics("puma560"), np.linspace(0.1, 0.6, 6)
wanted = model.compile("numpy")(state, state, state)
symoro.inverse_dynamics("planar2r").compile()(*np.zeros((3, 2)))

library = ctypes.CDLL(None)
library.mmap.restype = ctypes.c_void_p
library.mmap.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
library.munmap.argtypes = ctypes.c_void_p, ctypes.c_size_t
take = lambda size: library.mmap(None, size, 0, 0x22, -1, 0)  # private, of no file, never touched

page, size, filled = 4096, 1 << 30, []
far = take(4 << 30)
while size >= page:
    place = take(size)
    if place > far:
        filled.append((place, size))
    else:
        library.munmap(place, size)
        size //= 2
gap = int(sys.argv[1]) * page
library.munmap(next(place for place, size in filled if size >= gap), gap)
assert np.allclose(model.compile()(state, state, state), wanted)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the gaps of the memory are made by calls of Linux")
@pytest.mark.parametrize("pages", [1, 2, 8])
@pytest.mark.parametrize("system", ["linux", "macos"] if platform.machine() == "x86_64" else ["linux"])
def test_code_finds_its_constants(pages: int, system: str) -> None:
    """Linked side by side on Linux, found by whole addresses elsewhere."""
    done = subprocess.run([sys.executable, "-c", GAP, str(pages), system], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
