"""Machine code for a program by the system's C compiler, or by the one in the package ziglang."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import numpy as np

from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Instruction, Literal, Operand, Program
from symoro.runtime.function import Function
from symoro.runtime.kernel import NUMBERS, Array
from symoro.runtime.shared_library import loaded
from symoro.runtime.threads import CHUNK, is_number, run, words

_FUNCTIONS = {
    **{op: op.value for op in (Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN2, Op.EXP)},
    Op.ABS: "fabs",
}
_SPECIAL: dict[Op, Callable[..., str]] = {
    Op.ADD: "{} + {}".format,
    Op.MUL: "{} * {}".format,
    Op.DIV: "{} / {}".format,
    Op.SIGN: "{0} > 0 ? 1 : {0} < 0 ? -1 : {0} == 0 ? 0 : {0}".format,
    Op.MIN: "{0} <= {1} || {0} != {0} ? {0} : {1}".format,
    Op.MAX: "{0} >= {1} || {0} != {0} ? {0} : {1}".format,
    Op.SELECT: "{0} != 0 ? {1} : {2}".format,
    **{op: f"{{}} {comparison.sign} {{}}".format for op, comparison in COMPARISONS.items()},
}

#: solve(n, w): w holds rows of n + 1 numbers, the matrix and the right side, which becomes the solution.
_SOLVE = """
static void solve(int n, number *w)
{
    const int p = n + 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(w[i * p + k]) > fabs(w[best * p + k]))
                best = i;
        for (int j = k; j <= n; j++) {
            const number x = w[best * p + j];
            w[best * p + j] = w[k * p + j];
            w[k * p + j] = x;
        }
        if (w[k * p + k] == 0)
            w[k * p + k] = NAN;
        for (int i = k + 1; i < n; i++) {
            const number factor = w[i * p + k] / w[k * p + k];
            for (int j = k + 1; j <= n; j++)
                w[i * p + j] -= factor * w[k * p + j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            w[k * p + n] -= w[k * p + j] * w[j * p + n];
        w[k * p + n] /= w[k * p + k];
    }
}
"""

#: On Windows a library shows only what is marked.
_EXPORTED = ("#ifdef _WIN32", "__declspec(dllexport)", "#endif")


def source(program: Program, number: str) -> str:
    """The text; `number` is double or float."""
    return _CWriter(program, number).text()


class _CWriter:
    def __init__(self, program: Program, number: str) -> None:
        self.program, self.number = program, number
        self.names: dict[str, str] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        blocks = any(i.op is Op.SOLVE for i in self.program.instructions)
        head = ["#include <math.h>", "#include <stdint.h>", "#include <tgmath.h>", f"typedef {self.number} number;"]
        head += [_SOLVE if blocks else "", *_EXPORTED, "int64_t states(int64_t *job)", "{"]
        for k, word in enumerate(words(self.program)):
            kind = "int64_t" if is_number(word) else "int64_t *" if word == "counter" else "number *"
            head.append(f"    {kind} {word} = ({kind})job[{k}];")
        head += [
            "    int64_t from;",
            f"    while ((from = __atomic_fetch_add(counter, {CHUNK}, __ATOMIC_RELAXED)) < n)",
        ]
        head += [f"    for (int64_t i = from; i < n && i < from + {CHUNK}; i++) {{"]
        self._loads()
        for instruction in self.program.instructions:
            self._instruction(instruction)
        self._stores()
        return "\n".join([*head, *self.lines, "    }", "    return 0;", "}", ""])

    def _new(self, name: str, value: str) -> None:
        self.names[name] = f"v{len(self.names)}"
        self.lines.append(f"        const number {self.names[name]} = {value};")

    def _loads(self) -> None:
        used = self.program.reads()
        for k, constant in enumerate(self.program.parameters):
            if constant.name in used:
                self._new(constant.name, f"constants[{k}]")
        for i, array in enumerate(self.program.inputs):
            for k, variable in enumerate(array.variables):
                if variable.name in used:
                    self._new(variable.name, f"in{i}[i * step{i} + {k}]")

    def _stores(self) -> None:
        for i, output in enumerate(self.program.outputs):
            for k, element in enumerate(output.elements):
                self.lines.append(f"        out{i}[i * {len(output.elements)} + {k}] = {self._operand(element)};")

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            value = float(operand.value)
            return f"(number){_decimal(value)}"
        name = self.names[operand.name]
        return f"(-{name})" if operand.negative else name

    def _instruction(self, instruction: Instruction) -> None:
        args = [self._operand(a) for a in instruction.args]
        if instruction.op is Op.SOLVE:
            self._solve(instruction.results, args)
        elif instruction.op in _FUNCTIONS:
            self._new(instruction.results[0], f"{_FUNCTIONS[instruction.op]}({', '.join(args)})")
        else:
            self._new(instruction.results[0], _SPECIAL[instruction.op](*args))

    def _solve(self, results: tuple[str, ...], args: list[str]) -> None:
        n, work = len(results), f"w{len(self.names)}"
        rows = [[*args[n * i : n * (i + 1)], args[n * n + i]] for i in range(n)]
        self.lines.append(f"        number {work}[] = {{{', '.join(x for row in rows for x in row)}}};")
        self.lines.append(f"        solve({n}, {work});")
        for i, name in enumerate(results):
            self._new(name, f"{work}[{(n + 1) * i + n}]")


def _decimal(value: float) -> str:
    """The shortest text that reads back as the same double."""
    if math.isnan(value):
        return "NAN"
    return repr(value) if math.isfinite(value) else "INFINITY" if value > 0 else "(-INFINITY)"


# Machine code for a program by the system's C compiler, or by the one in the package ziglang.


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The backend `c`."""
    return Function(program, partial(CKernel, dtype=dtype), defaults, known)


class CKernel:
    """The code of a program in a library that is loaded into this process."""

    def __init__(self, program: Program, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self._library = loaded([("program.c", source(program, NUMBERS[dtype]))])
        self.address = int(ctypes.cast(self._library.states, ctypes.c_void_p).value or 0)

    def bind(self, constants: Array) -> CBound:
        return CBound(self, constants)


class CBound:
    """The code with its constants."""

    def __init__(self, kernel: CKernel, constants: Array) -> None:
        self.kernel = kernel  # keeps the code alive
        self.constants = np.ascontiguousarray(constants, dtype=kernel.dtype)

    def fill(self, inputs: Sequence[Array], outputs: Sequence[Array], n: int, threads: int) -> None:
        run(self.kernel.address, n, self.constants, inputs, outputs, threads, self)
