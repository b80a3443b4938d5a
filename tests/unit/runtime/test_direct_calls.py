"""Python calls compiled code directly; what that cannot take goes the general way, with the same results and errors."""

from __future__ import annotations

import gc
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from support.pendulum import expected, make, pendulum
from support.raised import raised
from symoro.errors import InputError, ShapeError, SymoroError
from symoro.runtime import Function, compile_program

TYPES = ("float64", "float32")


def test_plain_arrays_go_to_the_code_directly(f: Function, general: list[tuple]) -> None:
    rng = np.random.default_rng(0)
    for shape in ((3,), (64, 3), (2000, 3)):
        q, qdd = rng.uniform(-2, 2, (2, *shape))
        out = np.empty(shape)
        np.testing.assert_allclose(f(q, qdd), expected(q, qdd), rtol=1e-14)
        np.testing.assert_allclose(f(q, qdd[0] if len(shape) > 1 else qdd), expected(q, qdd.reshape(-1, 3)[0]), 1e-14)
        assert f(q, qdd, out=out) is out
        np.testing.assert_allclose(out, expected(q, qdd), rtol=1e-14)
    assert general == []


def test_other_arguments_go_the_general_way(f: Function, general: list[tuple]) -> None:
    q, qdd = np.random.default_rng(1).uniform(-2, 2, (2, 3))
    wanted = expected(q, qdd)
    others = [
        lambda: f(q, qdd, values={"m": np.float64(2.0)}),
        lambda: f(q, qdd, threads=2),
        lambda: f(q[None, None], qdd)[0, 0],
        lambda: f(list(q), [list(qdd)])[0],
        lambda: f(q, qdd, out=np.empty(6)[::2]),
        lambda: f(list(q), qdd, out=np.empty(6)[::2]),
    ]
    for k, call in enumerate(others):
        np.testing.assert_allclose(call(), wanted, rtol=1e-14, err_msg=str(k))
        assert len(general) == k + 1


def test_one_state_in_another_form_is_converted_first(f: Function, general: list[tuple]) -> None:
    q, qdd = np.random.default_rng(1).uniform(-2, 2, (2, 3)).astype(np.float32).astype(float)
    wanted, out = expected(q, qdd), np.empty(3)
    others = [
        lambda: f(list(q), qdd),
        lambda: f(tuple(q), list(qdd), out=out),
        lambda: f(q.astype(">f8"), qdd),
        lambda: f(q.astype(np.float32), qdd),
        lambda: f(np.repeat(q, 2)[::2], qdd),
        lambda: f(q.view(np.recarray), qdd),
        lambda: f(q, qdd=qdd),
        lambda: f(qdd=list(qdd), q=q),
        lambda: f(q, qdd=qdd, out=out),
    ]
    for k, call in enumerate(others):
        np.testing.assert_allclose(call(), wanted, rtol=1e-14, err_msg=str(k))
    assert general == []


def test_one_state_with_large_angles_is_right_in_any_form(f: Function) -> None:
    q = [1e6, -1e300, 2.0]
    for form in (q, np.array(q), np.array(q, ">f8")):
        np.testing.assert_allclose(f(form, np.zeros(3)), expected(q, np.zeros(3)), rtol=1e-12)
        np.testing.assert_allclose(f(form, qdd=[0, 0, 0]), expected(q, np.zeros(3)), rtol=1e-12)


def test_errors_are_those_of_the_general_way(f: Function, general: list[tuple]) -> None:
    q = np.zeros(3)
    for call, message in {
        "missing": (lambda: f(q), "missing input qdd"),
        "too many": (lambda: f(q, q, q), "3 inputs given, but there are 2"),
        "shape": (lambda: f(q, np.zeros(4)), r"input qdd must have shape \(3,\)"),
        "keyword": (lambda: f(q, q, into=q), "input into does not exist"),
        "threads": (lambda: f(q, q, threads=0), "threads must be a whole number"),
        "threads of a list": (lambda: f([0, 0, 0], q, threads=1.0), "threads must be a whole number"),
        "out of a list": (lambda: f([0, 0, 0], q, out=np.zeros(4)), r"out for GAM must have shape \(3,\), not \(4,\)"),
        "complex": (lambda: f([0, 0, 1j], q), "it has complex numbers"),
        "axes": (lambda: f(np.zeros((1,) * 40 + (3,)), q), "an input may have 28 leading axes, not 40"),
        "twice": (lambda: f(q, q, q=q), "input q is given twice"),
        "rows": (lambda: f(np.zeros((40, 3)), np.zeros((41, 3))), "do not broadcast"),
        "out shape": (lambda: f(q, q, out=np.zeros(4)), r"out for GAM must have shape \(3,\), not \(4,\)"),
        "out batch": (lambda: f(np.zeros((40, 3)), q, out=np.zeros(3)), r"must have shape \(40, 3\)"),
        "out list": (lambda: f(q, q, out=[0, 0, 0]), "out for GAM must be a NumPy array, not list"),
        "out tuple": (lambda: f(q, q, out=(q, q)), "out must be an array: GAM"),
        "out of texts": (lambda: f(q, q, out=np.zeros(3, "U30")), "must hold float64, not <U30"),
        "out of records": (lambda: f(q, q, out=np.zeros(3, "f8,f8")), "must hold float64, not"),
        "out on itself": (
            lambda: f(q, q, out=as_strided(np.zeros(3), (3,), (0,))),
            "has elements that lie on each other",
        ),
        "out of windows": (lambda: f(np.zeros((9, 3)), q, out=as_strided(np.zeros(30), (9, 3), (8, 8))), "lie on each"),
        "out type": (lambda: f(q, q, out=np.zeros(3, int)), "must hold float64, not int64"),
        "out masked": (lambda: f(q, q, out=np.ma.zeros(3)), "must be a NumPy array, not MaskedArray"),
    }.values():
        with pytest.raises((ShapeError, InputError), match=message):
            call()
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    with raised("runtime.out_read_only", ShapeError):
        f(q, q, out=frozen)


@pytest.mark.parametrize("dtype", TYPES)
def test_out_may_lie_on_an_input_in_any_way(dtype: str) -> None:
    f = make(dtype=dtype)
    for n in (None, 40, 3000):
        rows = n or 1
        memory = np.random.default_rng(2).uniform(-2, 2, 6 * rows).astype(dtype)
        shape = (3,) if n is None else (n, 3)
        for shift in sorted({0, 1, 2, 3, rows, 3 * rows - 1, 3 * rows}):
            buffer = memory.copy()
            q, out = buffer[: 3 * rows].reshape(shape), buffer[shift : shift + 3 * rows].reshape(shape)
            wanted = f(q.copy(), q.copy())
            assert f(q, q, out=out) is out
            np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("rows", [(), (40,)])
def test_several_outputs(rows: tuple[int, ...]) -> None:
    f = make(2)
    q, qdd = np.random.default_rng(3).uniform(-2, 2, (2, *rows, 3))
    f(q, qdd)
    found = f(q, qdd)
    assert found._fields == ("GAM", "U")
    np.testing.assert_allclose(found.GAM, expected(q, qdd), rtol=1e-14)
    np.testing.assert_array_equal(found.U, q[..., :, None] * qdd[..., None, :])
    out = np.empty((*rows, 3)), np.empty((*rows, 3, 3))
    again = f(q, qdd, out=out)
    assert again.GAM is out[0]
    assert again.U is out[1]
    np.testing.assert_array_equal(out[1], found.U)
    with raised("runtime.out_of_several", ShapeError):
        f(q, qdd, out=out[0])
    with raised("runtime.out_shared", ShapeError):
        f(q, qdd, out=(out[1][..., 0], out[1]))
    table = np.empty((*rows, 4, 3))  # both outputs in one table, whose parts do not share memory
    into = f(q, qdd, out=(table[..., 0, :], table[..., 1:, :]))
    np.testing.assert_array_equal(into.GAM, found.GAM)
    np.testing.assert_array_equal(table[..., 1:, :], found.U)


def test_a_large_angle_in_place_is_read_before_it_is_overwritten(f: Function) -> None:
    for shape in ((3,), (50, 3)):
        q = np.full(shape, 1e8)
        np.testing.assert_allclose(f(q, q, out=q), expected(np.full(shape, 1e8), np.full(shape, 1e8)), rtol=1e-14)


def test_other_values_are_computed_by_the_code_directly(f: Function, general: list[tuple]) -> None:
    q, qdd = np.random.default_rng(5).uniform(-2, 2, (2, 3))
    for m in (3.0, 4, 3.0, 3.0):
        wanted = m * qdd + 9.81 * np.sin(q)
        np.testing.assert_allclose(f(q, qdd, values={"m": m}), wanted, rtol=1e-14)
        out = np.empty(3)
        assert f(q, qdd=qdd, values={"m": m}, out=out) is out
        np.testing.assert_allclose(out, wanted, rtol=1e-14)
    np.testing.assert_allclose(f(q, qdd), expected(q, qdd), rtol=1e-14)
    assert not general
    np.testing.assert_allclose(f(q[None], qdd, values={"m": 3.0}, threads=2), [3 * qdd + 9.81 * np.sin(q)], rtol=1e-14)
    before = sys.getrefcount(type(f))
    for m in range(50):
        f(q, qdd, values={"m": m})
    gc.collect()
    assert sys.getrefcount(type(f)) <= before


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_a_number_stays_in_its_element(f: Function, value: float) -> None:
    for shape in ((3,), (20, 3)):
        q = np.zeros(shape)
        q[..., 1] = value
        found = f(q, np.ones(3))
        assert np.isnan(found[..., 1]).all()
        np.testing.assert_array_equal(found[..., 0], np.full(shape[:-1], 2.0))


def test_missing_values_are_asked_for_at_each_call_until_they_are_given() -> None:
    f = compile_program(pendulum(), "llvm", {"m": 2.0})
    q = np.zeros(3)
    for _ in range(2):
        with raised("errors.no_value", SymoroError):
            f(q, q)
    np.testing.assert_array_equal(f(q, q, values={"g": 1.0}), q)
    with raised("errors.no_value", SymoroError):
        f(q, q)


def any_array(dtype: str, shape: tuple[int, ...], seed: int, special: float | None) -> np.ndarray:
    array = np.random.default_rng(seed).uniform(-3, 3, shape)
    if special is not None and array.size:
        array.flat[seed % array.size] = special
    with np.errstate(all="ignore"):
        return array.astype(dtype)


ANY_ARRAY = st.builds(
    any_array,
    st.sampled_from(["f8"] * 6 + ["f4", ">f8", "i4", "u1", "?", "f2", "c16", "U9", "M8[s]", "O"]),
    st.sampled_from([(), (3,), (3,), (1, 3), (4,), (20, 3), (20, 3), (0, 3), (3, 20), (2, 9, 3), (3, 0)]),
    st.integers(0, 99),
    st.sampled_from([None, None, np.nan, np.inf, -np.inf, 2e5, 1e300, -0.0]),
)
VIEWS = st.sampled_from([lambda a: a, lambda a: a[::-1] if a.ndim else a, lambda a: a.T, lambda a: a.tolist()])
OUTS = st.sampled_from([None, (3,), (20, 3), (2, 9, 3), "first", "read-only", 1.0])


@settings(max_examples=400, deadline=None)
@given(q=ANY_ARRAY, qdd=ANY_ARRAY, view=VIEWS, out=OUTS, threads=st.sampled_from([1, 2]))
def test_anything_is_computed_or_refused(q: Any, qdd: Any, view: Any, out: Any, threads: int) -> None:
    """Either the result is NumPy's, or an error of symoro says what is wrong."""
    f = _shared()
    q = view(q)
    into = np.empty(out) if isinstance(out, tuple) else q if out == "first" else out
    if out == "read-only":
        into = np.empty(3)
        into.flags.writeable = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = expected(q, qdd)
    except (TypeError, ValueError):
        wanted = None
    try:
        found = f(q, qdd, out=into, threads=threads) if out is not None else f(q, qdd)
    except SymoroError:
        return
    with np.errstate(over="ignore"):
        wanted = np.asarray(wanted).astype(found.dtype)
    eps = np.finfo(found.dtype).eps  # both terms may cancel: the sine's is at most 9.81
    np.testing.assert_allclose(found, wanted, rtol=max(1e-13, 2 * eps), atol=20 * eps)


@cache
def _shared() -> Function:
    return make()
