"""What a CUDA kernel begins with: its type, sine and cosine, and the helpers of operations, as CUDA C++.

Words between @ are replaced: the type, its bits, and the numbers of `polynomials.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal as OneOf

import numpy as np

from symoro.ir.expr import Op
from symoro.kernels.polynomials import HALF_PI, LARGEST_ANGLE, POLYNOMIALS

Precision = OneOf["float64", "float32"]

_SINE_AND_COSINE = """struct Pair { real s, c; };

// angles that the reduction below does not serve; a call, so that it takes no registers from the rest
static __device__ __noinline__ Pair far_sine_and_cosine(real x)
{
    Pair p;
    p.s = sin(x);
    p.c = cos(x);
    return p;
}

// x = k pi/2 + r; the lowest bits of t are k
static __device__ __forceinline__ Pair sine_and_cosine(real x)
{
    const real t = fma(x, @two_over_pi@, @magic@), k = t - @magic@;
    const int quadrant = (int)@bits@(t);
    const real r = fma(k, @part2@, fma(k, @part1@, fma(k, @part0@, x))), z = r * r;
    const real s = fma(r * z, @sine@, r);
    const real c = fma(z, fma(z, @cosine@, @half@), @one@);
    Pair p;
    p.s = quadrant & 1 ? c : s;
    p.c = quadrant & 1 ? s : c;
    if (quadrant & 2)
        p.s = -p.s;
    if ((quadrant + 1) & 2)
        p.c = -p.c;
    if (!(fabs(x) <= @largest@))
        p = far_sine_and_cosine(x);
    return p;
}
"""
_SIGN = """// 1, -1 or 0; not a number for what is not a number
static __device__ __forceinline__ real sign_of(real x)
{
    return x > 0 ? (real)1 : x < 0 ? (real)-1 : x == 0 ? (real)0 : x;
}
"""
_SMALLER = """// the smaller; not a number when one of them is not
static __device__ __forceinline__ real smaller(real a, real b) { return a <= b || a != a ? a : b; }
"""
_LARGER = """// the larger; not a number when one of them is not
static __device__ __forceinline__ real larger(real a, real b) { return a >= b || a != a ? a : b; }
"""
_SOLVE = """// elimination with partial pivoting: rows are exchanged by choices, so that small systems stay in registers
template <int N, int COPIES = (N <= 10 ? N : 1)>
static __device__ __forceinline__ void solve(real (&w)[N * N + N])
{
    real *const b = w + N * N;
    bool singular = false;
#pragma unroll COPIES
    for (int k = 0; k < N; k++) {
#pragma unroll COPIES
        for (int i = k + 1; i < N; i++) {
            const bool swap = fabs(w[i * N + k]) > fabs(w[k * N + k]);
#pragma unroll COPIES
            for (int j = k; j < N; j++) {
                const real above = w[k * N + j], below = w[i * N + j];
                w[k * N + j] = swap ? below : above;
                w[i * N + j] = swap ? above : below;
            }
            const real above = b[k], below = b[i];
            b[k] = swap ? below : above;
            b[i] = swap ? above : below;
        }
        singular = singular || !(fabs(w[k * N + k]) > 0);
#pragma unroll COPIES
        for (int i = k + 1; i < N; i++) {
            const real factor = w[i * N + k] / w[k * N + k];
#pragma unroll COPIES
            for (int j = k + 1; j < N; j++)
                w[i * N + j] -= factor * w[k * N + j];
            b[i] -= factor * b[k];
        }
    }
#pragma unroll COPIES
    for (int k = N - 1; k >= 0; k--) {
#pragma unroll COPIES
        for (int j = k + 1; j < N; j++)
            b[k] -= w[k * N + j] * b[j];
        b[k] /= w[k * N + k];
    }
    if (singular)
        for (int k = 0; k < N; k++)
            b[k] = (real)nan("");
}
"""
_ROWS = """// a piece of P elements of each row of M, from shared memory, by all threads of a block
template <int P, int STRIDE, int M, int BLOCK>
static __device__ __forceinline__ void write_rows(const real *rows, real *out, long long first, long long n)
{
    const int here = n - first < BLOCK ? (int)(n - first) : BLOCK;
    for (int e = (int)threadIdx.x; e < here * P; e += BLOCK)
        out[(first + e / P) * M + e % P] = rows[e / P * STRIDE + e % P];
}
"""
_HELPERS = (
    ({Op.SIN, Op.COS}, _SINE_AND_COSINE),
    ({Op.SIGN}, _SIGN),
    ({Op.MIN}, _SMALLER),
    ({Op.MAX}, _LARGER),
    ({Op.SOLVE}, _SOLVE),
)


def head(operations: Collection[Op], precision: Precision, staged: bool) -> str:
    """The type `real` and the helpers of the operations; `staged` where a kernel writes rows through shared memory."""
    parts = [f"typedef {_real(precision)} real;\n"]
    parts += [text for served, text in _HELPERS if served.intersection(operations)]
    parts += [_ROWS] if staged else []
    text = "\n".join(parts)
    for name, word in _words(precision).items():
        text = text.replace(f"@{name}@", word)
    return text


def number(value: float) -> str:
    """A number of the type `real`."""
    if np.isnan(value):
        return '((real)nan(""))'
    if np.isinf(value):
        return ("-" if value < 0 else "") + "((real)(1.0 / 0.0))"
    return f"((real){value!r})"


def _real(precision: Precision) -> str:
    return "float" if precision == "float32" else "double"


def _words(precision: Precision) -> dict[str, str]:
    real, single = _real(precision), precision == "float32"
    words = {
        "bits": "__float_as_int" if single else "__double_as_longlong",
        "magic": number(1.5 * 2 ** (23 if single else 52)),
        "largest": number(LARGEST_ANGLE),
        "two_over_pi": number(2 / np.pi),
        "half": number(-0.5),
        "one": number(1.0),
        "sine": _horner("z", [number(x) for x in POLYNOMIALS["sin", real]]),
        "cosine": _horner("z", [number(x) for x in POLYNOMIALS["cos", real]]),
    }
    return words | {f"part{k}": number(-float.fromhex(x)) for k, x in enumerate(HALF_PI[real])}


def _horner(z: str, coefficients: list[str]) -> str:
    """A polynomial whose coefficients begin with that of the highest power."""
    text = coefficients[0]
    for x in coefficients[1:]:
        text = f"fma({text}, {z}, {x})"
    return text
