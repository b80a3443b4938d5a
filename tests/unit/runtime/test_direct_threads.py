"""Threads that call one compiled function, or several, at once; and batches that threads share."""

from __future__ import annotations

import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from support.pendulum import expected, make, pendulum
from symoro.runtime import Function, compile_program


@pytest.mark.parametrize("n", [1, 40, 3000])
def test_a_hundred_threads_do_not_disturb_each_other(n: int) -> None:
    f = make()
    q = np.random.default_rng(4).uniform(-2, 2, (100, n, 3))
    start = threading.Barrier(100)

    def work(k: int) -> bool:
        start.wait()
        wanted = expected(q[k], q[k])
        return all(np.allclose(f(q[k], q[k], threads=1 + k % 3), wanted, 1e-13, 1e-13) for _ in range(5))

    with ThreadPoolExecutor(100) as pool:
        assert all(pool.map(work, range(100)))


def test_threads_that_call_first_at_once_have_one_set_of_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    f, made = make(), []
    bind = f._kernel.bind

    def slowly(constants: np.ndarray) -> Any:
        made.append(bind(constants))
        time.sleep(0.02)
        return made[-1]

    monkeypatch.setattr(f._kernel, "bind", slowly)
    q = np.ones(3)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: f(q, q), range(8)))
    assert len(made) == 1
    for array in (*found, f(q, q)):
        np.testing.assert_allclose(array, expected(q, q), rtol=1e-14)


def test_code_is_made_once_whoever_asks() -> None:
    """Calls have the address of the code, so that nobody may replace it: a second thread that asks gets the same."""
    kernel: Any = make()._kernel
    for part in ("one", "many"):
        made = getattr(kernel, part)
        assert vars(type(kernel))[part].__get__(kernel, type(kernel)) is made


def test_a_hundred_threads_with_functions_of_their_own_while_others_are_compiled() -> None:
    q = np.random.default_rng(6).uniform(-2, 2, (300, 3))
    shared, start = make(), threading.Barrier(100)

    def work(k: int) -> bool:
        start.wait()
        own = compile_program(pendulum(), "llvm", {"m": float(k), "g": 1.0}) if k % 5 == 0 else shared
        m, g = (k, 1.0) if k % 5 == 0 else (2.0, 9.81)
        several = [own(q[:n], q[0], threads=1 + k % 2) for n in (300, 9, 300)]
        return all(np.allclose(y, m * q[0] + g * np.sin(q[: len(y)]), 1e-13, 1e-13) for y in several)

    with ThreadPoolExecutor(100) as pool:
        assert all(pool.map(work, range(100)))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_share_exact_arrays_without_the_general_way(f: Function, general: list[tuple], threads: int) -> None:
    q, qdd = np.random.default_rng(0).uniform(-2, 2, (2, 5001, 3))
    out = np.empty_like(q)
    np.testing.assert_array_equal(f(q, qdd, threads=threads), f(q, qdd))
    assert f(q, qdd[0], out=out, threads=threads) is out
    np.testing.assert_array_equal(out, f(q, qdd[0]))
    assert general == []
    memory = np.concatenate([q, np.zeros((1, 3))])  # the output lies one state behind the input
    wanted = expected(memory[:-1], qdd)
    np.testing.assert_allclose(f(memory[:-1], qdd, out=memory[1:], threads=threads), wanted, rtol=1e-14)
    assert len(general) == 1
    q[17] = 1e6, 0.0, -3e7  # too large for our own sine
    np.testing.assert_allclose(f(q, qdd, threads=threads), expected(q, qdd), rtol=1e-13)


def test_a_first_batch_in_threads_prepares_direct_calls(f: Function) -> None:
    q, qdd = np.random.default_rng(0).uniform(-2, 2, (2, 100, 3))
    f(q[0], qdd[0])
    f(q, qdd, threads=2)
    vars(f)["_exact_batch"] = vars(f)["_general"] = None  # neither is needed from now on
    np.testing.assert_allclose(f(q, qdd), expected(q, qdd), rtol=1e-14)


def test_a_copy_of_the_process_has_threads_of_its_own() -> None:
    f, q = make(), np.random.default_rng(7).uniform(-2, 2, (5000, 3))
    wanted = f(q, q, threads=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons, and JAX if it is loaded, say that there are threads
        child = os.fork()
    if child == 0:  # nothing of pytest may run here
        os._exit(0 if np.array_equal(f(q, q, threads=3), wanted) and np.array_equal(f(q[0], q[0]), wanted[0]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
