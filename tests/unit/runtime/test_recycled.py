"""Large results lie in the memory of earlier ones that nobody holds, and never in that of one that somebody holds."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from symoro.ir.expr import Op
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable
from symoro.runtime import compile_program, recycled
from symoro.runtime.kernel import Array

FLOAT = np.dtype(np.float64)
SHAPE = (100, 10)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of this size count as large, and no memory is left from other tests."""
    monkeypatch.setattr(recycled, "LEAST", 1000)
    monkeypatch.setattr(recycled, "MOST", 100_000)
    monkeypatch.setattr(recycled, "_free", deque(maxlen=2))


def made(number: float, shape: tuple[int, ...] = SHAPE) -> Array:
    array = recycled.empty(shape, FLOAT)
    array[...] = number
    return array


class Cycle:
    """Garbage that is found late, and that looks at its array at the very end."""

    seen: tuple[float, float] | None = None

    def __init__(self, array: Array) -> None:
        self.array, self.itself = array, self

    def __del__(self) -> None:
        others = [made(-1.0) for _ in range(4)]
        Cycle.seen = float(self.array.min()), float(self.array.max())
        del others


class Named(np.ndarray[Any, Any]):
    pass


HELD: dict[str, Callable[[Array], Any]] = {
    "the array": lambda a: a,
    "a part": lambda a: a[3:5, ::2],
    "a part of a part": lambda a: a.reshape(-1)[7:].reshape(-1, 3)[2:],
    "transposed": lambda a: a.T,
    "another type": lambda a: a.view(np.int64),
    "a subclass": lambda a: a.view(Named),
    "without axes": lambda a: a[0, 0, ...],
    "a memory view": memoryview,
    "a part of a memory view": lambda a: memoryview(a)[5:6],
    "an array of a memory view": lambda a: np.asarray(memoryview(a)),
    "numbers of C": lambda a: (np.ctypeslib.ctypes.c_double * 1000).from_buffer(a),
    "numbers of C as an array": lambda a: np.ctypeslib.as_array((np.ctypeslib.ctypes.c_double * 1000).from_buffer(a)),
    "a pickle buffer": pickle.PickleBuffer,
    "DLPack": np.from_dlpack,
    "an iterator": lambda a: a.flat,
    "its base": lambda a: a.base,
    "an array of its base": lambda a: np.frombuffer(a.base),
    "strides": lambda a: np.lib.stride_tricks.as_strided(a, (5, 5), (8, 8)),
    "broadcast": lambda a: np.broadcast_to(a, (3, *a.shape)),
}


@pytest.mark.parametrize("name", HELD)
def test_what_somebody_holds_is_not_given_again(name: str) -> None:
    array = made(7.0)
    held = HELD[name](array)
    before = bytes(held) if name != "an iterator" else np.array(held).tobytes()
    del array
    others = [made(float(k)) for k in range(5)]
    del others
    gc.collect()
    again = [made(-1.0) for _ in range(5)]
    assert (bytes(held) if name != "an iterator" else np.array(held).tobytes()) == before
    assert all(float(x.max()) == -1.0 for x in again)


def test_memory_that_nobody_holds_is_used_again() -> None:
    first = made(1.0)
    place = first.ctypes.data
    del first
    second = made(2.0)
    assert second.ctypes.data == place
    third = made(3.0)
    assert not np.shares_memory(second, third)


def test_smaller_and_larger_arrays() -> None:
    first = made(1.0)
    place = first.ctypes.data
    del first
    larger, much_smaller = made(2.0, (101, 10)), made(3.0, (49, 10))
    assert place not in (larger.ctypes.data, much_smaller.ctypes.data)  # no small array keeps much memory
    assert made(4.0, (51, 10)).ctypes.data == place


def test_what_is_kept_is_bounded() -> None:
    arrays = [made(1.0) for _ in range(20)]
    arrays += [made(1.0, (1, 20_000)), made(1.0, (1, 3))]
    del arrays
    assert [piece.nbytes for piece in recycled._free] == [8000, 8000]


def test_small_and_huge_arrays_are_of_numpy() -> None:
    assert recycled.empty((124,), FLOAT).flags.owndata
    assert recycled.empty((100_001,), np.dtype(np.int8)).flags.owndata
    assert recycled.empty((0, 10**9), FLOAT).flags.owndata


def test_kept_memory_is_given_up_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, empty = made(1.0), np.empty
    del kept

    def full(size: Any, dtype: Any) -> Array:
        if recycled._free:
            raise MemoryError
        return empty(size, dtype)

    monkeypatch.setattr(np, "empty", full)
    assert made(2.0, (1000, 10)).nbytes == 80_000


def test_a_cycle_that_is_collected_reads_its_own_numbers() -> None:
    Cycle(made(7.0))
    gc.collect()
    assert Cycle.seen == (7.0, 7.0)


def test_threads_never_share_memory() -> None:
    def work(thread: int) -> bool:
        held: deque[Array] = deque(maxlen=3)
        for k in range(3000):
            held.append(made(thread * 10_000 + k))
            right = [thread * 10_000 + j for j in range(max(k - 2, 0), k + 1)]
            if [float(x.min()) for x in held] != right or [float(x.max()) for x in held] != right:
                return False
        return True

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(work, range(1, 5)))
    finally:
        sys.setswitchinterval(interval)


MADE = """
import atexit, os
atexit.register(lambda: check())
import numpy as np
from symoro.runtime import recycled
recycled.LEAST = 1000
def made(number):
    array = recycled.empty((1000,), np.dtype(np.float64))
    array[:] = number
    return array
free, held = made(1.0), made(7.0)
del free
"""

FORK = """
child = os.fork()
mine = [made(float(child)) for _ in range(4)]
if child:
    assert os.waitpid(child, 0)[1] == 0
os._exit(0 if held.min() == 7.0 and all(x.min() == x.max() == child for x in mine) else 1)
"""

END = """
def check():
    others = [made(-1.0) for _ in range(4)]
    os._exit(0 if held.min() == 7.0 else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_a_fork_has_memory_of_its_own() -> None:
    assert subprocess.run([sys.executable, "-c", MADE + FORK]).returncode == 0


def test_an_array_that_is_held_when_python_ends_is_not_given_again() -> None:
    """Functions that were registered earlier run at the end, and may compute."""
    assert subprocess.run([sys.executable, "-c", MADE + END]).returncode == 0


# Compiled functions, with large results: each way to make one.


def program(outputs: int) -> Program:
    """64 times sin(x), in one output or in several."""
    x = Input("x", (1,), (Variable("x"),))
    lines = (Instruction(("y",), Op.SIN, (Ref("x"),)),)
    names = [[f"Y{i}_{k}" for k in range(64)] for i in range(outputs)]
    return Program(
        (x,), (), (), lines, tuple(Output(f"Y{i}", (64,), (Ref("y"),) * 64, tuple(n)) for i, n in enumerate(names))
    )


@pytest.mark.parametrize(
    ("outputs", "backend", "threads"), [(1, "llvm", 1), (1, "llvm", 2), (2, "llvm", 1), (1, "numpy", 1)]
)
def test_large_results_of_functions(outputs: int, backend: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recycled, "MOST", 2**28)
    f, n = compile_program(program(outputs), backend), 2**16
    x = np.linspace(-3, 3, n)[:, None]
    f(x, threads=threads)
    first = f(x, threads=threads)
    arrays = (first,) if outputs == 1 else tuple(first)
    assert not any(array.flags.owndata for array in arrays)
    held = [array[:, 3] for array in arrays]
    del arrays, first
    again = [f(-x, threads=threads) for _ in range(3)]
    for part in held:
        np.testing.assert_allclose(part, np.sin(x[:, 0]), rtol=0, atol=1e-15)
    del held, part
    assert f(x, threads=threads) is not None
    for result in again:
        for array in (result,) if outputs == 1 else result:
            np.testing.assert_allclose(array[:, 63], -np.sin(x[:, 0]), rtol=0, atol=1e-15)


def test_results_below_the_least_own_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recycled, "LEAST", 2**25)
    f = compile_program(program(1))
    for _ in range(2):  # the second call is a direct one
        assert f(np.zeros((2**16 - 1, 1))).flags.owndata
