"""A state has the same result alone and in every batch, bit by bit, whatever the layout of the arrays is."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.program_strategies import PARAMETERS, programs
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Constant, Op
from symoro.ir.program import Input, Instruction, Literal, Output, Program, Ref, Variable
from symoro.runtime import Function, compile_program, llvm_machine
from symoro.runtime import llvm_machine as llvm

pytestmark = pytest.mark.usefixtures("each_way")
TYPES = ("float64", "float32")


def row_program(inputs: int, outputs: int) -> Program:
    """y_k = sin(x_k) · p + x_(k+1), with as many elements as asked for; every eleventh element is an input itself."""
    xs = [f"x{k}" for k in range(inputs)]
    lines = []
    for k in range(outputs):
        lines.append(Instruction((f"s{k}",), Op.SIN, (Ref(xs[k % inputs]),)))
        lines.append(Instruction((f"m{k}",), Op.MUL, (Ref(f"s{k}"), Ref("p"))))
        lines.append(Instruction((f"y{k}",), Op.ADD, (Ref(f"m{k}"), Ref(xs[(k + 1) % inputs], k % 2 == 1))))
    elements = tuple(Ref(xs[k % inputs]) if k % 11 == 10 else Ref(f"y{k}") for k in range(outputs))
    x = Input("x", (inputs,), tuple(map(Variable, xs)))
    output = Output("Y", (outputs,), elements, tuple(f"Y{k}" for k in range(outputs)))
    return Program((x,), (Variable("p"),), (), tuple(lines), (output,))


def one_by_one(f: Function, x: np.ndarray) -> np.ndarray:
    return np.array([f(np.ascontiguousarray(row)) for row in x])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 3), (3, 2), (29, 31), (6, 6), (7, 36), (13, 64), (17, 65), (4, 130), (5, 1200)]
)
def test_rows_of_any_length_are_read_and_written_right(shape: tuple[int, int], dtype: str) -> None:
    program = row_program(*shape)
    f = compile_program(program, "llvm", {"p": 1.25}, dtype=dtype)
    x = np.random.default_rng(0).uniform(-3, 3, (69, shape[0])).astype(dtype)
    exact = evaluate(program, {"x": x.astype(float)}, {"p": 1.25})["Y"]
    np.testing.assert_allclose(f(x), exact, rtol=0, atol=40 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(f(x), one_by_one(f, x))


@pytest.mark.parametrize("dtype", TYPES)
def test_every_number_of_states_is_right(dtype: str) -> None:
    f = compile_program(row_program(5, 6), "llvm", {"p": 0.5}, dtype=dtype)
    x = np.random.default_rng(1).uniform(-3, 3, (2100, 5)).astype(dtype)
    expected = one_by_one(f, x)
    for n in (*range(70), *range(1020, 1060), 2047, 2048, 2049, 2100):
        for threads in (1, 3):
            np.testing.assert_array_equal(f(x[:n], threads=threads), expected[:n])


LAYOUTS = {
    "columns of a table": lambda x: np.hstack([x, x])[:, 3:8],
    "every third row": lambda x: np.repeat(x, 3, axis=0)[::3],
    "backwards": lambda x: x[::-1],
    "columns backwards": lambda x: x[:, ::-1],
    "Fortran order": np.asfortranarray,
    "three axes": lambda x: x.reshape(10, 7, 5),
    "three axes, turned": lambda x: x.reshape(10, 7, 5).transpose(1, 0, 2),
    "part of three axes": lambda x: np.concatenate([x, x]).reshape(10, 14, 5)[:, 2:9],
    "all rows one": lambda x: np.broadcast_to(x[0], (33, 5)),
    "one axis shared": lambda x: np.broadcast_to(x.reshape(10, 7, 5)[:, :1], (10, 7, 5)),
    "one row": lambda x: x[:1],
    "no rows": lambda x: x[:0],
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "unaligned": lambda x: np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "field of a record": lambda x: _record(x)["x"],
    "a subclass": lambda x: x.view(np.recarray),
    "lists": lambda x: x.tolist(),
}


def _record(x: np.ndarray) -> np.ndarray:
    table = np.zeros(len(x), dtype=[("mark", np.int8), ("x", x.dtype, (x.shape[1],))])
    table["x"] = x
    return table


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_are_read_in_any_layout(layout: str, dtype: str) -> None:
    f = compile_program(row_program(5, 6), "llvm", {"p": 0.5}, dtype=dtype)
    x = LAYOUTS[layout](np.random.default_rng(2).uniform(-3, 3, (70, 5)).astype(dtype))
    plain = np.array(x, dtype=dtype)
    expected = one_by_one(f, plain.reshape(-1, 5)).reshape(*plain.shape[:-1], 6)
    np.testing.assert_array_equal(f(x), expected)


def two_inputs() -> Program:
    """Y = [sin(a1) b1 + a2, cos(b2)], Z = a1 / b1, with an optional input c that adds."""
    a, b = (Input(n, (2,), (Variable(f"{n}1"), Variable(f"{n}2"))) for n in "ab")
    c = Input("c", (), (Variable("c", default=0.25),), optional=True)
    lines = [
        Instruction(("s",), Op.SIN, (Ref("a1"),)),
        Instruction(("m",), Op.MUL, (Ref("s"), Ref("b1"))),
        Instruction(("y",), Op.ADD, (Ref("m"), Ref("a2"))),
        Instruction(("w",), Op.COS, (Ref("b2"),)),
        Instruction(("d",), Op.DIV, (Ref("a1"), Ref("b1"))),
        Instruction(("z",), Op.ADD, (Ref("d"), Ref("c"))),
    ]
    outputs = Output("Y", (2,), (Ref("y"), Ref("w")), ("Y1", "Y2")), Output("Z", (), (Ref("z"),), ("Z",))
    return Program((a, b, c), (), (), tuple(lines), outputs)


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ((2,), (40, 2), ()),
        ((40, 2), (2,), ()),
        ((40, 1, 2), (30, 2), ()),
        ((40, 2), (40, 2), (40,)),
        ((2,), (2,), (40,)),
    ],
)
def test_inputs_broadcast_against_each_other(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    x, y, z = rng.uniform(1, 2, a), rng.uniform(1, 2, b), rng.uniform(1, 2, c)
    f = compile_program(two_inputs(), "llvm")
    expected = evaluate(two_inputs(), {"a": x, "b": y, "c": z}, {})
    for found in (f(x, y, c=z), f(x, y, z, threads=2)):
        np.testing.assert_allclose(found.Y, expected["Y"], rtol=1e-15)
        np.testing.assert_allclose(found.Z, expected["Z"], rtol=1e-15)


@pytest.mark.parametrize("dtype", TYPES)
def test_large_angles_in_some_rows_do_not_disturb_the_others(dtype: str) -> None:
    f = compile_program(row_program(5, 6), "llvm", {"p": 0.5}, dtype=dtype)
    x = np.random.default_rng(4).uniform(-3, 3, (5000, 5)).astype(dtype)
    x[11, 1] = np.nan
    expected = f(x)
    large = [7, 2000, 4998, 4999]
    x[large, 2] = 1e7, -3e9, 1e20, np.inf
    for n, threads in ((5000, 2), (8, 1)):
        found = f(x[:n], threads=threads)
        same = np.setdiff1d(np.arange(n), large)
        np.testing.assert_array_equal(found[same], expected[same])
        np.testing.assert_array_equal(found[[7, n - 1]], one_by_one(f, x[[7, n - 1]]))
    exact = evaluate(row_program(5, 6), {"x": x[large].astype(float)}, {"p": 0.5})["Y"]
    np.testing.assert_allclose(f(x)[large], exact, rtol=40 * np.finfo(dtype).eps)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs(most=12), seed=st.integers(0, 1000), dtype=st.sampled_from(TYPES))
def test_random_programs_mean_the_same_in_every_batch(program: Program, seed: int, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    q, x = rng.uniform(-2, 2, (19, 3)).astype(dtype), rng.uniform(-2, 2, (19, 2)).astype(dtype)
    values = dict(zip(PARAMETERS, rng.uniform(0.5, 2, 3).astype(dtype).tolist(), strict=True))
    f = compile_program(program, "llvm", values, dtype=dtype)
    exact = evaluate(program, {"q": q.astype(float), "x": x.astype(float)}, values)
    found = f(q, x)
    tolerance = {"float64": 1e-11, "float32": 2e-3}[dtype]
    for name, array in zip(exact, found, strict=True):
        scale = 1 + np.abs(exact[name]).max()
        assert np.abs(array - exact[name]).max() / scale < tolerance
    for k in range(0, 19, 6):
        for one, many in zip(f(q[k], x[k]), found, strict=True):
            np.testing.assert_array_equal(one, many[k])


@pytest.mark.parametrize(("vector", "fma"), [(64, True), (32, True), (16, True), (8, True), (8, False)])
def test_machines_with_other_vectors_compute_the_same(monkeypatch: pytest.MonkeyPatch, vector: int, fma: bool) -> None:
    """LLVM makes code for any number of lanes; without fused operations, functions of the C library are called."""
    other = replace(llvm_machine.machine(), vector=vector, fma=fma)
    monkeypatch.setattr(llvm_machine, "machine", lambda: other)
    monkeypatch.setattr(llvm, "machine", lambda: other)
    for program in (row_program(5, 6), row_program(7, 70), inverse_functions()):
        f = compile_program(program, "llvm", {"p": 0.5})
        x = np.random.default_rng(5).uniform(-0.9, 0.9, (45, len(program.inputs[0].variables)))
        exact = evaluate(program, {"x": x}, {"p": 0.5} if program.parameters else {})["Y"]
        np.testing.assert_allclose(f(x), exact, rtol=1e-14, atol=1e-14)
        np.testing.assert_array_equal(f(x), one_by_one(f, x))


def inverse_functions() -> Program:
    """tan, asin, acos, exp and atan2 of two inputs, and the solution of two equations."""
    unary = [Instruction((op.value,), op, (Ref("x0"),)) for op in (Op.TAN, Op.ASIN, Op.ACOS, Op.EXP)]
    lines = (*unary, Instruction(("atan2",), Op.ATAN2, (Ref("x0"), Ref("x1"))))
    system = tuple(Ref(name) for name in ("exp", "x0", "x1", "acos", "x0", "x1"))
    lines = (*lines, Instruction(("a", "b"), Op.SOLVE, system))
    names = ("tan", "asin", "acos", "exp", "atan2", "a", "b")
    x = Input("x", (2,), (Variable("x0"), Variable("x1")))
    return Program((x,), (), (), lines, (Output("Y", (7,), tuple(map(Ref, names)), names),))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 13])
@pytest.mark.parametrize("dtype", TYPES)
def test_equations_are_solved_in_each_lane(n: int, dtype: str) -> None:
    """Against NumPy; a lane whose matrix is singular has no numbers, and the others do."""
    names = [f"m{k}" for k in range(n * n + n)]
    solve = Instruction(tuple(f"y{k}" for k in range(n)), Op.SOLVE, tuple(map(Ref, names)))
    x = Input("x", (len(names),), tuple(map(Variable, names)))
    y = Output("Y", (n,), tuple(map(Ref, solve.results)), solve.results)
    f = compile_program(Program((x,), (), (), (solve,), (y,)), "llvm", dtype=dtype)
    rng = np.random.default_rng(6)
    matrix, right = rng.uniform(-1, 1, (40, n, n)).astype(dtype), rng.uniform(-1, 1, (40, n)).astype(dtype)
    matrix[3] = 0.0
    matrix[7, :, n - 1] = matrix[7, :, 0] if n > 1 else 0.0
    matrix[11] = np.eye(n)[::-1]
    given = np.concatenate([matrix.reshape(40, -1), right], axis=1)
    found = f(given)
    assert np.isnan(found[3]).all()
    assert n == 1 or np.isnan(found[7]).all() or np.abs(found[7]).max() > 1e5
    regular = np.setdiff1d(np.arange(40), [3, 7])
    residual = np.einsum("sij,sj->si", matrix[regular], found[regular]) - right[regular]
    scale = 1 + np.abs(matrix[regular]).sum(axis=2).max() * np.abs(found[regular]).max(axis=1, keepdims=True)
    assert (np.abs(residual) / scale).max() < 20 * n * np.finfo(dtype).eps
    np.testing.assert_array_equal(found, one_by_one(f, given))


@pytest.mark.parametrize("shape", [(10_000_000,), (4000, 2500)])
def test_ten_million_states_need_no_more_memory_than_inputs_and_outputs(shape: tuple[int, ...]) -> None:
    f = compile_program(row_program(1, 1), "llvm", {"p": 0.5})
    x = np.linspace(-1, 1, shape[-1])[:, None]
    x = np.broadcast_to(x[None], (*shape, 1)) if len(shape) > 1 else x
    f(x[:100] if len(shape) == 1 else x[:1, :100])
    tracemalloc.start()
    y = f(x, threads=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < y.nbytes + 5e6
    np.testing.assert_allclose(y[..., ::999_983, 0], (np.sin(x) * 0.5 + x)[..., ::999_983, 0], rtol=1e-14)


def pose_program() -> Program:
    """y = 2 x for the four elements of a matrix."""
    names = [f"x{k}" for k in range(4)]
    lines = tuple(Instruction((f"y{k}",), Op.ADD, (Ref(x), Ref(x))) for k, x in enumerate(names))
    elements = tuple(line.results[0] for line in lines)
    x = Input("x", (2, 2), tuple(map(Variable, names)))
    return Program((x,), (), (), lines, (Output("Y", (2, 2), tuple(map(Ref, elements)), elements),))


MATRICES = np.arange(2 * 150_000 * 4, dtype=np.float64).reshape(2, 150_000, 2, 2)
INPUTS = {
    "float32": lambda x: x.astype(np.float32),
    "integers": lambda x: x.astype(np.int32),
    "other order of bytes": lambda x: x.astype(">f8"),
    "turned matrices": lambda x: x.swapaxes(2, 3).copy().swapaxes(2, 3),
    "turned axes": lambda x: x.swapaxes(0, 1).copy().swapaxes(0, 1),
    "Fortran order": np.asfortranarray,
}
OUTPUTS = {
    "new": lambda x: None,
    "plain": np.empty_like,
    "float32": lambda x: np.empty(x.shape, np.float32),
    "turned matrices": lambda x: np.empty(x.shape).swapaxes(2, 3),
    "turned axes": lambda x: np.empty((x.shape[1], 2, 2, 2)).swapaxes(0, 1),
    "backwards": lambda x: np.empty(x.shape)[:, ::-1],
}


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize(
    ("kind", "into"), [*((kind, "new") for kind in INPUTS), *(("turned axes", into) for into in OUTPUTS)]
)
def test_arrays_of_any_kind_are_copied_by_pieces(kind: str, into: str, backend: str) -> None:
    f = compile_program(pose_program(), backend)
    f(np.ones((20, 2, 2)))
    x, out = INPUTS[kind](MATRICES), OUTPUTS[into](MATRICES)
    tracemalloc.start()
    y = f(x) if out is None else f(x, out=out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (y.nbytes if out is None else 0) + 9e6  # half of the input
    np.testing.assert_array_equal(y, 2 * MATRICES)


@pytest.mark.parametrize("number", ["0", "1/3"])
def test_numbers_of_a_huge_output_are_where_they_belong(number: str) -> None:
    """Of 1500 elements every seventh is computed; the others are one number."""
    fixed = Literal(Constant(Fraction(number)))
    x = Input("x", (2,), (Variable("x0"), Variable("x1")))
    line = Instruction(("y",), Op.MUL, (Ref("x0"), Ref("x1")))
    cycle = (Ref("y"), *[fixed] * 6, Ref("x0", negative=True), *[fixed] * 6)
    elements = (cycle * 108)[:1500]
    program = Program((x,), (), (), (line,), (Output("Y", (30, 50), elements, tuple(f"Y{k}" for k in range(1500))),))
    f = compile_program(program, "llvm")
    rows = np.random.default_rng(7).uniform(-1, 1, (20, 2))
    exact = evaluate(program, {"x": rows}, {})["Y"]
    np.testing.assert_array_equal(f(rows), exact)
    np.testing.assert_array_equal(one_by_one(f, rows), exact)


@pytest.mark.parametrize("angle", [0.5, 1e8])
@pytest.mark.parametrize("shift", [0, 700])
def test_a_huge_output_may_lie_on_its_input(shift: int, angle: float) -> None:
    """Its elements are stored as soon as they are known, after everything is read."""
    program = row_program(3, 1100)
    f = compile_program(program, "llvm", {"p": 1.25})
    x = np.array([angle, -0.25, 1.0])
    exact = evaluate(program, {"x": x}, {"p": 1.25})["Y"]
    f(x)  # the first call goes the general way
    memory = np.full(1100, 7.0)
    memory[shift : shift + 3] = x
    assert f(memory[shift : shift + 3], out=memory) is memory
    np.testing.assert_allclose(memory, exact, rtol=0, atol=1e-14 * (1 + angle))
