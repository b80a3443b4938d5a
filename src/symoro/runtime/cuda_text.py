"""The text of the kernel that the backend `cuda` compiles: one thread for each state.

The constants of a binding are passed by value where they are few, so that the kernel reads them as operands.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from symoro.ir.program import Instruction, Program
from symoro.kernels.cuda_body import Shape, kernel_body
from symoro.kernels.cuda_head import Precision, head

#: Bytes of constants that a kernel takes by value; more of them lie in memory.
BY_VALUE = 3500


def kernel_text(program: Program, precision: Precision, shape: Shape) -> str:
    """The source of `model(n, constants, input, step …, output …)`; a step is 0 where all states share an input."""
    operations = {i.op for i in program.instructions}
    constants = f"struct Constants {{ real c[{max(1, len(program.parameters))}]; }};\n"
    lines = [*_signature(program, precision, shape), *kernel_body(program, shape, _Numbered()), "}", ""]
    return "\n".join([head(operations, precision, bool(shape.piece)), constants, *lines])


def constants_by_value(program: Program, precision: Precision) -> bool:
    return len(program.parameters) * np.dtype(precision).itemsize <= BY_VALUE


def _signature(program: Program, precision: Precision, shape: Shape) -> list[str]:
    by_value = constants_by_value(program, precision)
    words = ["long long n", "Constants held" if by_value else "const Constants *memory"]
    for k in range(len(program.inputs)):
        words += [f"const real *__restrict__ in{k}", f"long long step{k}"]
    words += [f"real *__restrict__ out{k}" for k in range(len(program.outputs))]
    lines = [
        f'extern "C" __global__ void __launch_bounds__({shape.block}) model({", ".join(words)})',
        "{",
        f"    const long long first = (long long)blockIdx.x * {shape.block};",
        "    const long long i = first + threadIdx.x < n ? first + threadIdx.x : n - 1;",
    ]
    lines += [] if by_value else ["    const Constants &held = *memory;"]
    lines += [f"    __shared__ real rows[{shape.shared}];"] if shape.shared else []
    return lines + [f"    const real *const row{k} = in{k} + i * step{k};" for k in range(len(program.inputs))]


class _Numbered:
    """Names by numbers: nobody reads them."""

    def __init__(self) -> None:
        self._numbers = count()

    def constant(self, k: int) -> str:
        return f"held.c[{k}]"

    def row(self, k: int) -> str:
        return f"row{k}"

    def output(self, k: int) -> str:
        return f"out{k}"

    def variable(self, name: str) -> str:
        return f"v{next(self._numbers)}"

    def fresh(self, word: str) -> str:
        return f"{word}{next(self._numbers)}"

    def remark(self, instruction: Instruction) -> str:
        return ""
