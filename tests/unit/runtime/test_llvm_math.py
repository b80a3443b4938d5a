"""Our own functions are right to the last places; the references are mpmath's, and NumPy's where nothing is rounded."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from support.one_operation import compiled
from symoro.ir.expr import Op
from symoro.runtime.llvm_lanes import POLYNOMIALS

mpmath.mp.dps = 60
pytestmark = pytest.mark.usefixtures("each_way")
NAN, INF = float("nan"), float("inf")
TYPES = ("float64", "float32")
FUNCTIONS = {
    Op.SIN: mpmath.sin,
    Op.COS: mpmath.cos,
    Op.TAN: mpmath.tan,
    Op.ASIN: mpmath.asin,
    Op.ACOS: mpmath.acos,
    Op.EXP: mpmath.exp,
    Op.ATAN2: mpmath.atan2,
}
#: The largest error in units in the last place.
ULPS = {Op.SIN: 2.0, Op.COS: 2.0, Op.TAN: 4.0, Op.ASIN: 3.0, Op.ACOS: 3.0, Op.EXP: 2.0, Op.ATAN2: 2.0}


def ulps(found: np.ndarray, exact: list[mpmath.mpf], dtype: str) -> float:
    """The largest error of any element, in units in the last place of its exact value."""
    with np.errstate(over="ignore"):  # the largest results of exp
        spacing = np.spacing(np.abs(np.array([float(x) for x in exact])).astype(dtype)).astype(float)
    errors = [abs(mpmath.mpf(float(f)) - x) / s for f, x, s in zip(found, exact, spacing, strict=True) if s < INF]
    return float(max(errors))


def points(op: Op, dtype: str) -> list[np.ndarray]:
    """Points of every size that an operation takes, with its ends."""
    rng = np.random.default_rng(1)
    if op in (Op.SIN, Op.COS, Op.TAN):
        parts = [rng.uniform(-r, r, 500) for r in (1e-6, 0.8, 4, 100, 1e5)]
    elif op in (Op.ASIN, Op.ACOS):
        parts = [rng.uniform(-1, 1, 1000), 1 - np.geomspace(1e-7, 0.5, 200), np.geomspace(1e-12, 1, 200), [-1.0, 1.0]]
    elif op is Op.EXP:
        parts = [rng.uniform(-r, r, 500) for r in (1e-6, 0.4, 30, 80)]
        parts += [rng.uniform(-700, 700, 500)] if dtype == "float64" else []
    else:
        sizes = 10.0 ** rng.uniform(-20, 20, (2, 1500))
        return [(s * rng.choice([-1, 1], 1500)).astype(dtype) for s in sizes]
    return [np.concatenate(parts).astype(dtype)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.value)
def test_a_function_is_right_to_the_last_places(op: Op, dtype: str) -> None:
    x = points(op, dtype)
    f = compiled(op, len(x), dtype=dtype)
    exact = [FUNCTIONS[op](*(mpmath.mpf(float(v)) for v in row)) for row in zip(*x, strict=True)]
    assert ulps(f(*x), exact, dtype) <= ULPS[op]
    few = [f(*(v[k] for v in x)) for k in range(0, len(x[0]), 97)]
    np.testing.assert_array_equal(few, f(*x)[::97])  # one by one the same, bit by bit


@pytest.mark.parametrize("step", [101, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("op", [Op.SIN, Op.COS], ids=lambda op: op.value)
def test_next_to_multiples_of_a_right_angle_nothing_is_lost(op: Op, step: int) -> None:
    """There a reduction with too few parts of π/2 loses hundreds of places, which random points do not show."""
    ks = range(1, 63662, step)
    x = np.array([float(k * mpmath.pi / 2) for k in ks])
    exact = [FUNCTIONS[op](mpmath.mpf(v)) for v in x]
    assert ulps(compiled(op)(x), exact, "float64") <= 2.0


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "x", [0.0, -0.0, NAN, INF, -INF, 1e5, np.nextafter(1e5, 2e5), -100001.0, 1e9, 1e15, 1e22, 1e300], ids=str
)
@pytest.mark.parametrize("op", [Op.SIN, Op.COS, Op.TAN], ids=lambda op: op.value)
def test_special_and_large_angles(op: Op, x: float, dtype: str) -> None:
    function = {Op.SIN: np.sin, Op.COS: np.cos, Op.TAN: np.tan}[op]
    with np.errstate(over="ignore", invalid="ignore"):
        rows = np.full(40, x).astype(dtype)
        rows[:3] = 0.5
        expected = function(rows)
        one = function(rows[-1:])[0]
    f = compiled(op, dtype=dtype)
    rtol = 1e-14 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(f(rows), expected, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(f(rows[-1]), one, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype", TYPES)
def test_arc_tangent_has_the_table_of_special_values(dtype: str) -> None:
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    special = np.array([0.0, -0.0, 1.0, -1.0, tiny, -tiny, huge, -huge, INF, -INF, NAN], dtype)
    y, x = (a.ravel() for a in np.meshgrid(special, special))
    found, expected = compiled(Op.ATAN2, 2, dtype=dtype)(y, x), np.arctan2(y, x)
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("dtype", TYPES)
def test_inverse_functions_and_exponentials_at_their_ends(dtype: str) -> None:
    outside = np.array([1.0000002, -2.0, INF, NAN], dtype)
    for op in (Op.ASIN, Op.ACOS):
        assert np.isnan(compiled(op, dtype=dtype)(outside)).all()
    x = np.array([0.0, -0.0, INF, -INF, NAN, 1e4, -1e4, 88.0, -87.0, -100.0], dtype)
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(x)
    np.testing.assert_allclose(compiled(Op.EXP, dtype=dtype)(x), expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", ["sin", "cos", "atan", "exp"])
def test_the_polynomials_are_chebyshev_fits(name: str) -> None:
    """The tables are what mpmath's chebyfit gives for the functions and intervals that the module names."""

    def of_root(f: object) -> object:
        return lambda z: f(mpmath.sqrt(z))  # type: ignore[operator]

    ends = (mpmath.pi / 4) ** 2 * mpmath.mpf("1.001")
    half = mpmath.log(2) / 2 * mpmath.mpf("1.001")
    steep = mpmath.tan(mpmath.pi / 8) ** 2 * mpmath.mpf("1.0001")
    fits = {
        "sin": (of_root(lambda r: (mpmath.sin(r) / r - 1) / r**2), [0, ends]),
        "cos": (of_root(lambda r: ((mpmath.cos(r) - 1) / r**2 + 0.5) / r**2), [0, ends]),
        "atan": (of_root(lambda r: (mpmath.atan(r) / r - 1) / r**2), [0, steep]),
        "exp": (lambda r: (mpmath.exp(r) - 1 - r) / r**2 if r else mpmath.mpf(0.5), [-half, half]),
    }
    function, interval = fits[name]
    for number in ("double", "float"):
        table = POLYNOMIALS[name, number]
        np.testing.assert_allclose(table, [float(c) for c in mpmath.chebyfit(function, interval, len(table))], 1e-12)
