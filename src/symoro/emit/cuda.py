"""CUDA: kernels that compute one state in each thread, a C interface that launches them, and a self-test.

The kernels are those of the backend `cuda` (`kernels/cuda_body.py`), with the names of the program. A self-test also
runs on the CPU, where a header stands in for CUDA.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from symoro.emit.c import DOUBLE as C
from symoro.emit.c import TARGET as BOTH
from symoro.emit.c import WARNINGS as C_WARNINGS
from symoro.emit.cpp import WARNINGS
from symoro.emit.files import render
from symoro.emit.listing import remark
from symoro.emit.package import Array, Package, PackageFunction
from symoro.errors import TargetError
from symoro.ir.program import Instruction, split
from symoro.kernels.cuda_body import BLOCK, SHORT_ROW, KernelShape, kernel_body, shape_of
from symoro.kernels.cuda_head import Precision, head

#: Names of the templates, of the heads of kernels and of CUDA.
_OWN = """
    real Pair sine_and_cosine far_sine_and_cosine solve write_rows rows first i n states stream launch blocks config
    kernel block arguments threadIdx blockIdx blockDim gridDim warpSize dim3 require on_device copy
"""
#: Bytes that a kernel takes as arguments: before CUDA 12.1, and since then.
_ARGUMENTS, _MORE_ARGUMENTS = 4096, 32764
_POINTER = 8
#: Bytes of results above which values do not fit into the registers of a thread, so that the compact order is better
#: (seen in what nvcc says of the humanoid's models: 18 kB spill, 10 kB do not).
_CROWDED = 16_000


@dataclass(frozen=True, slots=True)
class CudaKernel:
    """The kernel of a function: its lines, the pointers to rows of inputs, and the arguments that it does not read."""

    function: PackageFunction
    shape: KernelShape
    lines: tuple[str, ...]
    rows: tuple[tuple[Array, str], ...]
    unused: tuple[str, ...]
    reads_state: bool  # whether the number i of the state is used


class _Named:
    """The names of the program, as the package has them."""

    def __init__(self, function: PackageFunction) -> None:
        self._function, self._names = function, function.names
        self._numbers = count(1)
        self.rows = [function.names.fresh(f"{a.name}_row") for a in function.inputs]

    def constant(self, k: int) -> str:
        return f"setup.{self._function.constants[k].name}"

    def row(self, k: int) -> str:
        return self.rows[k]

    def output(self, k: int) -> str:
        return self._function.outputs[k].name

    def variable(self, name: str) -> str:
        return self.fresh("v") if name.startswith("%") else self._names.variables[name]

    def fresh(self, word: str) -> str:
        return self._names.fresh(f"{word}{next(self._numbers)}")

    def remark(self, instruction: Instruction) -> str:
        return C.comment(remark(instruction.meaning))


def _kernel(function: PackageFunction, precision: Precision) -> CudaKernel:
    main, named = split(function.program)[1], _Named(function)
    results = len(main.instructions) * np.dtype(precision).itemsize
    shape = shape_of(main, BLOCK, precision, compact=results > _CROWDED)
    lines = kernel_body(main, shape, named)
    read = main.reads()
    used = [any(v.name in read for v in array.variables) for array in main.inputs]
    rows = [(a, row) for a, row, is_used in zip(function.inputs, named.rows, used, strict=True) if is_used]
    unused = [a.name for a, is_used in zip(function.inputs, used, strict=True) if not is_used]
    unused += [a.name for a in function.outputs if not a.size]
    unused += [] if any(c.name in read for c in main.parameters) else ["setup"]
    alone = any(0 < a.size <= SHORT_ROW for a in function.outputs)
    return CudaKernel(function, shape, tuple(lines), tuple(rows), tuple(unused), bool(rows) or alone)


def _write(package: Package) -> dict[str, str]:
    precision: Precision = "float32" if package.target.precision == "float" else "float64"
    largest = max(_bytes(function, precision) for function in package.functions)
    if largest > _MORE_ARGUMENTS:
        raise TargetError("targets.too_large_for_cuda", package=package.name, most=_MORE_ARGUMENTS, size=largest)
    kernels = [_kernel(function, precision) for function in package.functions]
    operations = {i.op for f in package.functions for i in f.program.instructions}
    files = {
        f"{package.name}.h": "cuda/header.h",
        f"{package.name}.c": "cuda/setup.c",
        f"{package.name}.cu": "cuda/kernels.cu",
        "selftest.c": "cuda/selftest.c",
        "main.c": "cuda/main.c",
        "on_cpu.h": "cuda/on_cpu.h",
        "CMakeLists.txt": "cuda/CMakeLists.txt",
        "Makefile": "cuda/Makefile",
        "README.md": "cuda/README.md",
    }
    return render(
        package,
        files,
        kernels=kernels,
        head=head(operations, precision, any(kernel.shape.shared for kernel in kernels)),
        operations={i.op.value for f in package.functions for i in f.program.setup},
        warnings=(C_WARNINGS, f"{WARNINGS.replace('c++14', 'c++17')} -Wno-unknown-pragmas"),
        cuda="11.8" if largest <= _ARGUMENTS else "12.1",
    )


def _bytes(function: PackageFunction, precision: Precision) -> int:
    """What a launch passes to the kernel."""
    arrays = len(function.inputs) + len(function.outputs)
    return len(function.constants) * np.dtype(precision).itemsize + (arrays + 1) * _POINTER


DOUBLE = replace(
    C,
    name="cuda",
    title="CUDA",
    suffix=".cu",
    reserved=C.reserved | frozenset(_OWN.split()),
    write=_write,
    iterates=False,
    check="make check-on-cpu",
    tools=("make", "cc", "c++"),
    piece=0,
    angles_first=False,
)
assert BOTH.single is not None
TARGET = replace(
    DOUBLE,
    single=replace(
        DOUBLE,
        title="CUDA in single precision",
        dialect=BOTH.single.dialect,
        reserved=DOUBLE.reserved | BOTH.single.reserved,
        number=BOTH.single.number,
        real="float",
        precision="float",
    ),
)
