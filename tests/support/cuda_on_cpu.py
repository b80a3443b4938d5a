"""Runs the text of a CUDA kernel on the CPU: its threads one after the other, each a block of its own."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from support.tools import CPLUSPLUS
from symoro.ir.program import Program
from symoro.kernels.cuda_body import shape_of
from symoro.kernels.cuda_head import Precision
from symoro.runtime.cuda import constants_by_value, kernel_text

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

#: What CUDA defines and C++ does not.
SHIM = """#include <cmath>
#include <cstring>
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __shared__
#define __launch_bounds__(threads)
struct Index { long long x; };
static Index blockIdx, threadIdx = {0};
static inline void __syncthreads() {}
static inline long long __double_as_longlong(double x) { long long i; std::memcpy(&i, &x, 8); return i; }
static inline int __float_as_int(float x) { int i; std::memcpy(&i, &x, 4); return i; }
using std::sqrt; using std::tan; using std::asin; using std::acos; using std::atan2; using std::exp; using std::fabs;
using std::fma; using std::sin; using std::cos;
"""


def run(program: Program, constants: Array, inputs: list[Array], folder: Path, precision: Precision) -> list[Array]:
    """The outputs for inputs (n, elements)."""
    n, held = len(inputs[0]), constants_by_value(program, precision)
    names = [f"in{k}" for k in range(len(inputs))] + [f"out{k}" for k in range(len(program.outputs))]
    pointers = ", ".join(f"real *{name}" for name in names)
    arguments = [f"in{k}, {x.shape[1]}" for k, x in enumerate(inputs)] + names[len(inputs) :]
    call = f"model(n, {'*held' if held else 'held'}, {', '.join(arguments)})"
    loop = f"for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++) {call};"
    entry = f'extern "C" void run(long long n, Constants *held, {pointers}) {{ {loop} }}\n'
    source, library = folder / "kernel.cpp", folder / "kernel.so"
    source.write_text(SHIM + kernel_text(program, precision, shape_of(program, 1, precision)) + entry)
    subprocess.run(
        [str(CPLUSPLUS), "-std=c++17", "-O1", "-mfma", "-shared", "-fPIC", "-w", str(source), "-o", str(library)],
        check=True,
    )
    given = [np.ascontiguousarray(x, precision) for x in (np.atleast_1d(constants), *inputs)]
    outputs = [np.empty((n, len(o.elements)), precision) for o in program.outputs]
    ctypes.CDLL(str(library)).run(ctypes.c_longlong(n), *(ctypes.c_void_p(x.ctypes.data) for x in (*given, *outputs)))
    return outputs
