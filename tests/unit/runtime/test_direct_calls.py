"""Python calls compiled code directly; what that cannot take goes the general way, with the same results and errors."""

from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import sys
import threading
import time
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from symoro.errors import InputError, ShapeError, SymoroError
from symoro.ir.ops import Op
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable
from symoro.runtime import Function, compile_program

TYPES = ("float64", "float32")


def pendulum(outputs: int = 1) -> Program:
    """GAM_j = m qdd_j + g sin(q_j), U_jk = q_j qdd_k."""
    inputs = tuple(Input(n, (3,), tuple(Variable(f"{n}{j}") for j in range(3))) for n in ("q", "qdd"))
    lines = [Instruction((f"s{j}",), Op.SIN, (Ref(f"q{j}"),)) for j in range(3)]
    lines += [Instruction((f"w{j}",), Op.MUL, (Ref("g"), Ref(f"s{j}"))) for j in range(3)]
    lines += [Instruction((f"i{j}",), Op.MUL, (Ref("m"), Ref(f"qdd{j}"))) for j in range(3)]
    lines += [Instruction((f"GAM{j}",), Op.ADD, (Ref(f"w{j}"), Ref(f"i{j}"))) for j in range(3)]
    lines += [Instruction((f"U{j}{k}",), Op.MUL, (Ref(f"q{j}"), Ref(f"qdd{k}"))) for j in range(3) for k in range(3)]
    gam = Output("GAM", (3,), tuple(Ref(f"GAM{j}") for j in range(3)), tuple(f"GAM{j}" for j in range(3)))
    names = tuple(f"U{j}{k}" for j in range(3) for k in range(3))
    u = Output("U", (3, 3), tuple(map(Ref, names)), names)
    return Program(inputs, (Variable("m"), Variable("g")), (), tuple(lines), (gam, u)[:outputs])


VALUES = {"m": 2.0, "g": 9.81}


def make(outputs: int = 1, dtype: str = "float64") -> Function:
    return compile_program(pendulum(outputs), "llvm", VALUES, dtype=dtype)


def expected(q: Any, qdd: Any) -> np.ndarray:
    return 2.0 * np.asarray(qdd, float) + 9.81 * np.sin(np.asarray(q, float))


@pytest.fixture
def f() -> Function:
    return make()


@pytest.fixture
def general(f: Function) -> list[tuple]:
    """The calls that went the general way, after a first call, which always does."""
    calls: list[tuple] = []
    way = f._general
    f(np.zeros((70, 3)), np.zeros(3))
    vars(f)["_general"] = lambda *given: calls.append(given) or way(*given)
    return calls


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
    with pytest.raises(ShapeError, match="out for GAM is read-only"):
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
    with pytest.raises(ShapeError, match="out must be a tuple of 2 arrays: GAM, U"):
        f(q, qdd, out=out[0])
    with pytest.raises(ShapeError, match="shares memory with another array"):
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


def test_missing_values_are_asked_for_at_each_call_until_they_are_given() -> None:
    f = compile_program(pendulum(), "llvm", {"m": 2.0})
    q = np.zeros(3)
    for _ in range(2):
        with pytest.raises(SymoroError, match="no value for g"):
            f(q, q)
    np.testing.assert_array_equal(f(q, q, values={"g": 1.0}), q)
    with pytest.raises(SymoroError, match="no value for g"):
        f(q, q)


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


def test_a_copy_of_the_process_has_threads_of_its_own() -> None:
    f, q = make(), np.random.default_rng(7).uniform(-2, 2, (5000, 3))
    wanted = f(q, q, threads=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons, and JAX if it is loaded, say that there are threads
        child = os.fork()
    if child == 0:  # nothing of pytest may run here
        os._exit(0 if np.array_equal(f(q, q, threads=3), wanted) and np.array_equal(f(q[0], q[0]), wanted[0]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


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
    np.testing.assert_allclose(found, wanted, rtol=max(1e-13, 2 * np.finfo(found.dtype).eps))


_made: list[Function] = []


def _shared() -> Function:
    if not _made:
        _made.append(make())
    return _made[0]
