"""Code runs wherever memory is left, also where its neighbourhood is nearly full."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Four GiB lie below all memory in use, every gap above them is filled, and then this many pages are given back.
GAP = """
import ctypes, sys
import numpy as np
import symoro

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
def test_code_and_its_constants_lie_side_by_side(pages: int) -> None:
    done = subprocess.run([sys.executable, "-c", GAP, str(pages)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
