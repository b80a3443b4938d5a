"""A compiled function broadcasts, checks what it is given and says what is wrong."""

from __future__ import annotations

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from support.raised import raised
from symoro.errors import InputError, MissingParameter, ParameterError, ShapeError, TargetError
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Program, Variable
from symoro.runtime import Function, compile_program
from symoro.runtime.function import NamesLater, of_arrays

pytestmark = pytest.mark.usefixtures("each_way")
BACKENDS = list(of_arrays())


def two_links(outputs: int = 1) -> Program:
    """GAM_j = M qdd_j + F_j + D sin(q_j), and optionally the energy M qd²/2."""
    g = Graph()
    inputs = [
        Input("F", (2,), (Variable("F1"), Variable("F2", default=3.0)), optional=True),
        *(Input(n, (2,), (Variable(f"{n}1"), Variable(f"{n}2"))) for n in ("q", "qdd")),
        Input("wrench", (1, 2), (Variable("W1"), Variable("W2")), optional=True),
    ]
    M, D = g.symbol("M"), g.symbol("L") * g.symbol("G3")
    gam = [M * g.symbol(f"qdd{j}") + g.symbol(f"F{j}") + D * g.sin(g.symbol(f"q{j}")) for j in (1, 2)]
    gam[0] = gam[0] + g.symbol("W2")
    results = [Result("GAM", (2,), tuple(gam), ("GAM1", "GAM2")), Result("lambda", (), (M * M,), ("E",))]
    return extract(g, inputs, [Variable("M", default=2.0), Variable("L"), Variable("G3")], results[:outputs])


@pytest.fixture(params=BACKENDS)
def f(request: pytest.FixtureRequest) -> Function:
    return compile_program(two_links(), request.param, {"L": 0.5, "G3": 9.81, "unused": 1.0}, known={"XX1", "XX2"})


def torque(q: np.ndarray, qdd: np.ndarray, M: float = 2.0, L: float = 0.5) -> np.ndarray:
    return M * qdd + np.array([0.0, 3.0]) + L * 9.81 * np.sin(q)


def test_one_state_gives_one_row(f: Function) -> None:
    q, qdd = np.array([0.1, 0.2]), np.array([1.0, -1.0])
    np.testing.assert_allclose(f(q, qdd), torque(q, qdd), rtol=1e-14)
    np.testing.assert_allclose(f([0.1, 0.2], [1, -1]), torque(q, qdd), rtol=1e-14)
    np.testing.assert_allclose(f(q=q, qdd=qdd), torque(q, qdd), rtol=1e-14)


def test_leading_axes_broadcast(f: Function) -> None:
    q, qdd = np.random.default_rng(0).normal(size=(2, 3, 1, 2)), np.ones((4, 2))
    assert f(q, qdd).shape == (2, 3, 4, 2)
    np.testing.assert_allclose(f(q, qdd), torque(q, qdd), rtol=1e-14)
    np.testing.assert_allclose(f(q, [1.0, 1.0]), torque(q, np.ones(2)), rtol=1e-14)
    assert f(np.zeros((0, 2)), qdd[0]).shape == (0, 2)


def test_arrays_that_are_not_contiguous_or_not_doubles_are_read_right(f: Function) -> None:
    q = np.arange(16.0).reshape(2, 8)[:, ::4]
    np.testing.assert_allclose(f(q, q[0]), torque(q, q[0]), rtol=1e-14)
    np.testing.assert_allclose(f(q[0][::-1], q[1]), torque(q[0][::-1], q[1]), rtol=1e-14)
    np.testing.assert_allclose(f(q.astype(np.int32), q.astype(np.float32)), torque(q, q), rtol=1e-14)


def test_optional_inputs_have_defaults_and_broadcast(f: Function) -> None:
    q, qdd = np.zeros(2), np.zeros(2)
    np.testing.assert_array_equal(f(q, qdd), [0, 3])
    np.testing.assert_array_equal(f(q, qdd, F=[1, 1]), [1, 1])
    np.testing.assert_array_equal(f(q, qdd, [1, 1]), [1, 1])
    np.testing.assert_array_equal(f(q, qdd, wrench=[[[0, 5]], [[0, 7]]]), [[5, 3], [7, 3]])
    np.testing.assert_array_equal(f(q, qdd), [0, 3])


def test_results_of_two_calls_are_apart(f: Function) -> None:
    first = f(np.zeros(2), np.zeros(2))
    f(np.ones(2), np.ones(2))
    np.testing.assert_array_equal(first, [0, 3])


def test_values_replace_the_defaults_for_one_call(f: Function) -> None:
    q, qdd = np.ones(2), np.ones(2)
    before = f(q, qdd)
    np.testing.assert_allclose(f(q, qdd, values={"M": 5, "L": np.float64(1.5)}), torque(q, qdd, 5, 1.5), rtol=1e-14)
    np.testing.assert_allclose(f(q, qdd, values={"L": 1.5, "XX1": 3.0}), torque(q, qdd, 2, 1.5), rtol=1e-14)
    np.testing.assert_array_equal(f(q, qdd), before)
    np.testing.assert_array_equal(f(q, qdd, values={}), before)


def test_setup_runs_only_when_values_change(f: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, float]] = []
    compute = f.parameters.constants
    monkeypatch.setattr(f.parameters, "constants", lambda values: calls.append(dict(values)) or compute(values))
    for values in (None, {}, {"M": 1.0}, {"M": 1.0}, None, {"M": 1.0}, {"M": 2.0}):
        f(np.zeros(2), np.zeros(2), values=values)
    assert calls == [{}, {"M": 1.0}, {"M": 2.0}]


def test_the_same_numbers_are_not_checked_again(f: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    first = f([0, 0], [1, 1], values={"M": 3.0})
    monkeypatch.setattr(f.parameters, "checked", lambda values: pytest.fail("checked again"))
    np.testing.assert_array_equal(f([0, 0], [1, 1], values={"M": 3}), first)


def test_a_changed_dictionary_of_values_is_seen(f: Function) -> None:
    values = {"M": 1.0}
    first = f([0, 0], [1, 1], values=values)
    values["M"] = 4.0
    np.testing.assert_array_equal(f([0, 0], [1, 1], values=values) - first, [3, 3])


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_outputs_are_a_named_tuple(backend: str) -> None:
    f = compile_program(two_links(2), backend, {"L": 1, "G3": 1})
    for q in (np.zeros(2), np.zeros((3, 2))):
        result = f(q, np.zeros(2))
        assert result._fields == ("GAM", "lambda_")
        assert result.GAM.shape == q.shape
        np.testing.assert_array_equal(result.lambda_, np.full(q.shape[:-1], 4.0))


def test_missing_parameters_are_named() -> None:
    f = compile_program(two_links(), "numpy", {"L": 1.0})
    with raised("errors.no_value", MissingParameter):
        f(np.zeros(2), np.zeros(2))
    assert f(np.zeros(2), np.zeros(2), values={"G3": 1.0}).shape == (2,)


def test_unknown_values_are_refused_with_close_names(f: Function) -> None:
    with raised("runtime.no_parameter", ParameterError):
        f([0, 0], [0, 0], values={"XX3": 1.0})
    with raised("runtime.no_parameter", ParameterError):
        f([0, 0], [0, 0], values={"qqqqqq": 1.0})
    with raised("runtime.value", ParameterError):
        f([0, 0], [0, 0], values={"M": "heavy"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("inputs", "named", "message"),
    [
        (([0, 0, 0], [0, 0]), {}, r"input q must have shape \(2,\) or \(..., 2\), not \(3,\)"),
        (([0, 0], 1.0), {}, r"input qdd must have shape \(2,\)"),
        (([0, 0],), {}, r"missing input qdd\(2,\)"),
        (([0, 0], [0, 0], [0, 0], [[0, 0]], 1), {}, "5 inputs given, but there are 4"),
        (([0, 0], [0, 0]), {"qd": [0, 0]}, "input qd does not exist: the inputs are q"),
        (([0, 0], [0, 0]), {"q": [0, 0]}, "input q is given twice"),
        (([0, 0], [0, 0]), {"wrench": [0, 0]}, r"input wrench must have shape \(1, 2\)"),
        ((np.zeros((3, 2)), np.zeros((4, 2))), {}, r"do not broadcast: F \(\), q \(3,\), qdd \(4,\)"),
    ],
)
def test_wrong_inputs_are_named(f: Function, inputs: tuple, named: dict, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        f(*inputs, **named)


class Unreadable:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError("no array")


NOT_REAL = {
    "words": ["a", "b"],
    "numbers as texts": ["1", "2"],
    "complex numbers": [1j, 0],
    "complex array": np.array([1 + 0j, 0]),
    "None": None,
    "None inside": [None, 0],
    "a huge integer": [10**400, 0],
    "ragged": [[1], [1, 2]],
    "a dictionary": {1: 2},
    "objects": np.array([1, 2], dtype=object),
    "dates": np.array([1, 2], dtype="datetime64[s]"),
    "durations": np.array([1, 2], dtype="timedelta64[s]"),
    "records": np.zeros(2, dtype=[("a", float)]),
    "masked": np.ma.masked_array([1.0, 2.0], [False, True]),
    "unreadable": Unreadable(),
}


@pytest.mark.parametrize("q", NOT_REAL.values(), ids=NOT_REAL)
def test_what_is_not_real_numbers_is_refused(f: Function, q: object) -> None:
    with raised("runtime.not_real", InputError):
        f(q, [0, 0])
    with raised("runtime.value", ParameterError):
        f([0, 0], [0, 0], values={"M": q})


@pytest.mark.parametrize("M", [3, 3.0, np.int64(3), np.int8(3), np.float32(3), np.array(3), Fraction(3)], ids=repr)
def test_any_real_number_is_a_value(f: Function, M: object) -> None:
    np.testing.assert_array_equal(f([0.1, 0.2], [1, 2], values={"M": M}), f([0.1, 0.2], [1, 2], values={"M": 3.0}))


@pytest.mark.parametrize("values", [[1], 3, "M", [("M", 1.0)], np.ones(2)])
def test_values_are_a_mapping(f: Function, values: object) -> None:
    with raised("runtime.values", ParameterError):
        f([0, 0], [0, 0], values=values)  # type: ignore[arg-type]


def test_arrays_of_values_are_many_robots(f: Function) -> None:
    rng = np.random.default_rng(0)
    M, L = rng.uniform(1, 2, (4, 1)), rng.uniform(1, 2, 3)
    q, qdd = rng.normal(size=(2, 1, 3, 2)), rng.normal(size=2)
    found = f(q, qdd, values={"M": M, "L": L, "XX1": 7.0})
    assert found.shape == (2, 4, 3, 2)
    for i, j, k in np.ndindex(2, 4, 3):
        np.testing.assert_allclose(found[i, j, k], torque(q[i, 0, k], qdd, M[j, 0], L[k]), rtol=1e-14)
    assert f(q[0, 0, 0], qdd, values={"M": [5.0]}).shape == (1, 2)
    assert f(q[0, 0, 0], qdd, values={"M": np.zeros(0)}).shape == (0, 2)
    assert f(q[0, 0, 0], qdd, values={"XX1": np.ones(3)}).shape == (3, 2)
    np.testing.assert_array_equal(f(q, qdd), f(q, qdd, values={}))


def test_arrays_of_values_that_do_not_broadcast(f: Function) -> None:
    with raised("runtime.values_broadcast", ShapeError):
        f([0, 0], [0, 0], values={"M": [1, 2], "L": [1, 2, 3]})
    with raised("runtime.broadcast", ShapeError):
        f(np.zeros((3, 2)), [0, 0], values={"M": [1, 2]})


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_is_the_only_element(backend: str) -> None:
    g = Graph()
    q = Input("q", (1,), (Variable("q1"),))
    f = compile_program(extract(g, [q], [], [Result("A", (1,), (g.symbol("q1") * 2,), ("A1",))]), backend)
    np.testing.assert_array_equal(f(3), [6])
    np.testing.assert_array_equal(f(q=np.float64(3)), [6])
    np.testing.assert_array_equal(f([[3], [4]]), [[6], [8]])
    with pytest.raises(ShapeError):
        f([3, 4])


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_and_its_result_survive_pickling(backend: str, outputs: int) -> None:
    f = compile_program(two_links(outputs), backend, {"L": 0.5, "G3": 9.81}, known={"XX1"})
    copy = pickle.loads(pickle.dumps(f))
    args = [0.1, 0.2], [1, 2]
    for values in (None, {"M": 3.0, "XX1": 1.0}):
        found = copy(*args, values=values)
        again = pickle.loads(pickle.dumps(found))
        assert type(again) is type(found)
        for one, other, wanted in zip(found, again, f(*args, values=values), strict=True):
            np.testing.assert_array_equal(one, wanted)
            np.testing.assert_array_equal(other, wanted)


def test_names_are_looked_up_when_values_ask_for_them() -> None:
    asked: list[str] = []

    def find() -> list[str]:
        asked.append("asked")
        return ["ELSEWHERE"]

    f = compile_program(two_links(), "llvm", {"L": 0.5, "G3": 9.81}, NamesLater(find))
    q = np.ones(2)
    np.testing.assert_array_equal(f(q, q, values={"M": 2.0}), f(q, q))
    assert not asked
    np.testing.assert_array_equal(f(q, q, values={"ELSEWHERE": 3.0}), f(q, q))
    with raised("runtime.no_parameter", ParameterError):
        f(q, q, values={"X": 1.0})
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(q, q, values={"ELSEWHERE": 3.0}), f(q, q))
    assert asked == ["asked"]


def test_unknown_backends_are_refused_with_the_known_ones() -> None:
    with raised("backends.unknown", TargetError):
        compile_program(two_links(), "cobol")


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_do_not_disturb_each_other(backend: str) -> None:
    f = compile_program(two_links(), backend, {"L": 0.5, "G3": 9.81})
    qs = np.random.default_rng(0).normal(size=(400, 2))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda q: f(q, q), qs))
    np.testing.assert_allclose(found, [torque(q, q) for q in qs], rtol=1e-13)


def test_code_outlives_the_function_object_that_a_call_began_with() -> None:
    rows = [compile_program(two_links(), "llvm", {"L": 1, "G3": 1})(np.zeros(2), np.zeros(2)) for _ in range(5)]
    gc.collect()
    np.testing.assert_array_equal(rows, [[0, 3]] * 5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_program_without_inputs_is_a_constant(backend: str) -> None:
    g = Graph()
    program = extract(g, [], [Variable("M")], [Result("A", (1, 2), (g.symbol("M") * 2, g.one), ("A11", "A12"))])
    np.testing.assert_array_equal(compile_program(program, backend)(values={"M": 3}), [[6, 1]])
