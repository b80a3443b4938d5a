"""The text of CUDA kernels, run on the CPU by a C++ compiler, against the reference."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import mpmath
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.cuda_on_cpu import run
from support.raised import raised
from support.small_programs import angles, program_of
from support.tools import needs_cplusplus
from symoro.errors import TargetError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Op
from symoro.ir.graph import Graph
from symoro.ir.program import CONSTANTS, Program, split
from symoro.kernels.cuda_body import KernelShape, shape_of
from symoro.kernels.cuda_head import Precision
from symoro.runtime.cuda import kernel_text

pytestmark = needs_cplusplus
CASES = [
    ("puma560", "inverse_dynamics"),
    ("puma560", "inertia_matrix"),
    ("planar3r", "direct_dynamics"),
    ("flexible-joints", "direct_dynamics"),
    ("four-bar", "inverse_dynamics"),
    ("diff-drive-2r", "direct_dynamics"),
]


def both(program: Program, numbers: dict[str, float], folder: Path, precision: Precision) -> tuple[list, list]:
    """The outputs of the kernel and of the reference for some states."""
    rng = np.random.default_rng(1)
    inputs = {i.name: rng.uniform(-2, 2, (7, *i.shape)) for i in program.inputs}
    setup, main = split(program)
    constants = evaluate(setup, {}, numbers)[CONSTANTS]
    found = run(main, constants, [x.reshape(7, -1) for x in inputs.values()], folder, precision)
    expected = evaluate(program, inputs, numbers)
    return found, [expected[o.name].reshape(7, -1) for o in program.outputs]


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 2e-5)])
@pytest.mark.parametrize(("robot", "name"), CASES)
def test_models(robot: str, name: str, precision: Precision, tolerance: float, tmp_path: Path) -> None:
    model = getattr(symoro, name)(robot)
    numbers = {n: 0.5 if x is None else x for n, x in model.parameters.items()}
    found, expected = both(model.program, numbers, tmp_path, precision)
    for a, b in zip(found, expected, strict=True):
        assert_close(a, b, tolerance * (100 if name.startswith("direct") else 1))


def test_every_operation(tmp_path: Path) -> None:
    graph = Graph()
    x, y, z = angles(graph, 3)
    a, b = graph.symbol("a"), graph.symbol("b")
    s = graph.sin(x)
    tan, asin, acos, exp, smaller, larger = (
        partial(graph.apply, op) for op in (Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.MIN, Op.MAX)
    )
    elements = [
        tan(s), asin(s), acos(s), graph.atan2(y, x), exp(s), graph.absolute(y), graph.sign(x), smaller(x, y),
        larger(x, z), graph.select(graph.less(x, y), a, b * z), graph.sqrt(graph.absolute(z)),
        graph.select(graph.apply(Op.LESS_EQUAL, y, z), x, graph.constant(0.25)), x / (2 + graph.cos(y)),
        graph.apply(Op.EQUAL, x, y), *graph.solve([[x + 3, y], [a, z - 4]], [x, b]),
    ]  # fmt: skip
    program = program_of(graph, elements)
    found, expected = both(program, {"a": 0.3, "b": -1.7, "c": 0.0, "d": 0.0}, tmp_path, "float64")
    assert_close(found[0], expected[0], 1e-13)


def test_rows_in_pieces(tmp_path: Path) -> None:
    """A row that does not fit into shared memory at once, and constants that are too many to be passed by value."""
    program = symoro.inertia_matrix("humanoid").program
    main = split(program)[1]
    assert shape_of(main, 64, "float64").piece < len(main.outputs[0].elements)
    text = kernel_text(main, "float64", KernelShape(64, 64))
    assert text.count("write_rows<64") == len(main.outputs[0].elements) // 64


def test_sine_and_cosine_near_multiples_of_a_right_angle(tmp_path: Path) -> None:
    """At most 2 units in the last place up to 1e5; beyond it, the library's."""
    graph = Graph()
    (x,) = angles(graph, 1)
    program = program_of(graph, [graph.sin(x), graph.cos(x)], n=1)
    rng = np.random.default_rng(0)
    k = np.r_[0:40, rng.integers(0, 63662, 400)]
    with mpmath.workprec(300):
        near = np.array([float(n * mpmath.pi / 2) for n in map(int, k)])
        values = np.r_[near, -near, np.nextafter(near, 1e9), rng.uniform(-1e5, 1e5, 400), 1e5 + 1, 1e300, 0.0]
        expected = [[mpmath.sin(mpmath.mpf(v)), mpmath.cos(mpmath.mpf(v))] for v in values.tolist()]
    found = run(split(program)[1], np.zeros(0), [values[:, None]], tmp_path, "float64")[0]
    for row, exact in zip(found, expected, strict=True):
        for a, b in zip(row.tolist(), exact, strict=True):
            assert abs(float(mpmath.mpf(a) - b)) <= 2 * np.spacing(abs(float(b)))


def test_a_missing_library_is_named() -> None:
    with raised("backends.package", TargetError, extra="cuda"):
        symoro.inverse_dynamics("planar2r").compile("cuda")
