"""A function that Python calls directly is an object like others: references, attributes, copies."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from support.pendulum import expected, make
from symoro.errors import ShapeError
from symoro.runtime import Function


def refused(f: Function, *inputs: Any) -> None:
    with pytest.raises(ShapeError):
        f(*inputs)


def test_references_and_memory_are_given_back() -> None:
    f = make(2)
    q = np.zeros((50, 3))
    wide, one, out = f(q, q), f(q[0], q[0]), np.empty(3)
    single = make()
    watched = [q, out, np.ndarray, q.dtype, f, single, type(f), type(one)]
    calls = (
        lambda: f(q, q),
        lambda: f(q[0], q[0]),
        lambda: single(q[0], q[0], out=out),
        lambda: single(list(q[0]), q[0]),
        lambda: refused(single, q),
        lambda: single(q + 1e7, q),
        lambda: f(q[0] + 1e7, q[0]),
    )
    for call in calls:
        call()
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    for call in calls:
        for _ in range(100):
            call()
    gc.collect()
    assert max(abs(sys.getrefcount(x) - b) for x, b in zip(watched, before, strict=True)) < 20
    assert wide.GAM.shape == (50, 3)


def test_a_function_is_an_object_like_others() -> None:
    f = make()
    f.note = "kept"  # type: ignore[attr-defined]
    assert isinstance(f, Function)
    assert vars(f)["note"] == "kept"
    assert f.outputs == {"GAM": (3,)}
    assert callable(f)
    assert list(inspect.signature(f).parameters) == ["inputs", "values", "out", "threads", "named"]
    assert inspect.getdoc(f) == inspect.getdoc(Function)
    np.testing.assert_array_equal(f.__call__(np.zeros(3), np.ones(3)), [2, 2, 2])
    gone = weakref.ref(f)
    f(np.zeros(3), np.zeros(3))
    del f
    gc.collect()
    assert gone() is None


def test_copies_are_functions_of_their_own() -> None:
    q = np.ones(3)
    for way in (copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))):
        f = make()
        f(q, q)
        other = way(f)
        assert other is not f
        del f
        gc.collect()
        np.testing.assert_allclose(other(q, q), expected(q, q), rtol=1e-14)
