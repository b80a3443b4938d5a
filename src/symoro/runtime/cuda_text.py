"""A main program as the text of a CUDA kernel: one thread for each state, straight-line code.

The constants of a binding are passed by value, so that the kernel reads them as operands. Rows of many elements are
written through shared memory: neighbouring threads then write neighbouring words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal as OneOf

import numpy as np

from symoro.ir.ops import COMPARISONS, Op
from symoro.ir.program import Instruction, Literal, Operand, Output, Program
from symoro.runtime.cuda_head import HEAD
from symoro.runtime.polynomials import HALF_PI, LARGEST_ANGLE, POLYNOMIALS

Precision = OneOf["float64", "float32"]
#: Rows up to this many elements are written by their own thread.
SHORT_ROW = 16
#: Bytes of shared memory that a block uses at most.
SHARED = 48 * 1024
#: Bytes of constants that a kernel takes by value; more of them lie in memory.
BY_VALUE = 3500

_FUNCTIONS = {
    Op.SQRT: "sqrt", Op.TAN: "tan", Op.ASIN: "asin", Op.ACOS: "acos", Op.ATAN2: "atan2", Op.EXP: "exp",
    Op.ABS: "fabs", Op.SIGN: "sign_of", Op.MIN: "smaller", Op.MAX: "larger",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kernel is launched: threads of a block, and elements of shared memory for the rows of the outputs."""

    block: int
    piece: int
    compact: bool = False
    """Whether few values are alive at a time: inputs are read late and the longest chain comes first. It is slower
    where all values fit into registers, because less can be done at once."""


def shape_of(program: Program, block: int, precision: Precision, compact: bool = False) -> Shape:
    """Pieces of long rows are as long as shared memory permits, and of an even length."""
    longest = max((len(output.elements) for output in program.outputs), default=0)
    if longest <= SHORT_ROW:
        return Shape(block, 0, compact)
    room = SHARED // (block * np.dtype(precision).itemsize) - 1
    return Shape(block, min(longest, room // 32 * 32 or room), compact)


def kernel_text(program: Program, precision: Precision, shape: Shape) -> str:
    """The source of `model(n, constants, input, step …, output …)`; a step is 0 where all states share an input."""
    return _Writer(program, precision, shape).text()


def constants_by_value(program: Program, precision: Precision) -> bool:
    return len(program.parameters) * np.dtype(precision).itemsize <= BY_VALUE


class _Writer:
    def __init__(self, program: Program, precision: Precision, shape: Shape) -> None:
        self.program, self.precision, self.shape = program, precision, shape
        self.single = precision == "float32"
        self.values: dict[str, str] = {}
        self.places: dict[str, str] = {}
        self.angles: dict[str, str] = {}
        self.lines: list[str] = []
        self.maker = {name: i for i in program.instructions for name in i.results}
        self.depth: dict[str, int] = {}
        for i in program.instructions:
            below = max((self.depth.get(name, 0) for name in i.reads), default=0)
            self.depth |= dict.fromkeys(i.results, below + 1)

    def text(self) -> str:
        self._inputs()
        for output in self.program.outputs:
            self._output(output)
        return "\n".join([self._head(), self._signature(), *self.lines, "}", ""])

    # the frame

    def _head(self) -> str:
        real = "float" if self.single else "double"
        words = {
            "real": real,
            "bits": "__float_as_int" if self.single else "__double_as_longlong",
            "magic": self.number(1.5 * 2 ** (23 if self.single else 52)),
            "largest": self.number(LARGEST_ANGLE),
            "two_over_pi": self.number(2 / np.pi),
            "half": self.number(-0.5),
            "one": self.number(1.0),
            "sine": _horner("z", [self.number(x) for x in POLYNOMIALS["sin", real]]),
            "cosine": _horner("z", [self.number(x) for x in POLYNOMIALS["cos", real]]),
            "constants": max(1, len(self.program.parameters)),
        }
        words |= {f"part{k}": self.number(-float.fromhex(x)) for k, x in enumerate(HALF_PI[real])}
        text = HEAD
        for name, word in words.items():
            text = text.replace(f"@{name}@", str(word))
        return text

    def _signature(self) -> str:
        held = "Constants held" if constants_by_value(self.program, self.precision) else "const Constants *memory"
        words = ["long long n", held]
        for k in range(len(self.program.inputs)):
            words += [f"const real *__restrict__ in{k}", f"long long step{k}"]
        words += [f"real *__restrict__ out{k}" for k in range(len(self.program.outputs))]
        lines = [
            f'extern "C" __global__ void __launch_bounds__({self.shape.block}) model({", ".join(words)})',
            "{",
            f"    const long long first = (long long)blockIdx.x * {self.shape.block};",
            "    const long long i = first + threadIdx.x < n ? first + threadIdx.x : n - 1;",
        ]
        if not constants_by_value(self.program, self.precision):
            lines.append("    const Constants &held = *memory;")
        if self.shape.piece:
            lines.append(f"    __shared__ real rows[{self.shape.block * (self.shape.piece + 1)}];")
        return "\n".join(lines)

    def _inputs(self) -> None:
        for k, constant in enumerate(self.program.parameters):
            self.values[constant.name] = f"held.c[{k}]"
        for i, array in enumerate(self.program.inputs):
            self.lines.append(f"    const real *const row{i} = in{i} + i * step{i};")
            self.places |= {variable.name: f"row{i}[{k}]" for k, variable in enumerate(array.variables)}
        if not self.shape.compact:  # all reads are under way while the first instructions run
            used = self.program.reads()
            for name in self.places:
                if name in used:
                    self._read(name)

    # outputs: what an element needs is written just before it, so that few values are alive

    def _output(self, output: Output) -> None:
        k, size = self.program.outputs.index(output), len(output.elements)
        if size <= SHORT_ROW:
            found = [self.operand(element) for element in output.elements]
            self.lines += [f"    out{k}[i * {size} + {n}] = {x};" for n, x in enumerate(found)]
            return
        step = self.shape.piece
        for start in range(0, size, step):
            part = output.elements[start : start + step]
            self._piece(k, size, start, part)

    def _piece(self, k: int, size: int, start: int, part: tuple[Operand, ...]) -> None:
        """A piece of each row: into shared memory, then out by all threads of the block together."""
        stride = len(part) | 1  # odd: no two threads of a warp meet in one bank
        for n, element in enumerate(part):
            self.lines.append(f"    rows[threadIdx.x * {stride} + {n}] = {self.operand(element)};")
        self.lines.append("    __syncthreads();")
        self.lines.append(
            f"    write_rows<{len(part)}, {stride}, {size}, {self.shape.block}>(rows, out{k} + {start}, first, n);"
        )
        self.lines.append("    __syncthreads();")

    # values

    def emit(self, text: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"    const real {name} = {text};")
        return name

    def number(self, value: float) -> str:
        if np.isnan(value):
            return '((real)nan(""))'
        if np.isinf(value):
            return ("-" if value < 0 else "") + "((real)(1.0 / 0.0))"
        return f"((real){value!r})"

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            return self.number(float(operand.value))
        value = self.value(operand.name)
        return f"(-{value})" if operand.negative else value

    def value(self, name: str) -> str:
        """The variable's text; what it depends on is written first."""
        for instruction in self._needed(name):
            self._instruction(instruction)
        return self._read(name)

    def _read(self, name: str) -> str:
        if name not in self.values:
            self.values[name] = self.emit(self.places[name])
        return self.values[name]

    def _needed(self, name: str) -> Iterator[Instruction]:
        """The instructions that the variable waits for, in order; without recursion, for chains may be long."""
        waiting = [name]
        while waiting:
            last = waiting[-1]
            if last in self.values or last in self.places:
                waiting.pop()
                continue
            open_ones = [n for n in self.maker[last].reads if n not in self.values and n not in self.places]
            if open_ones:
                waiting += sorted(open_ones, key=self.depth.__getitem__) if self.shape.compact else reversed(open_ones)
                continue
            yield self.maker[last]
            waiting.pop()

    def _instruction(self, instruction: Instruction) -> None:
        op, args = instruction.op, [self.operand(a) for a in instruction.args]
        name = instruction.results[0]
        if op is Op.SOLVE:
            self._solve(instruction, args)
        elif op in (Op.SIN, Op.COS):
            self.values[name] = f"{self._angle(args[0])}.{'s' if op is Op.SIN else 'c'}"
        elif op in _FUNCTIONS:
            self.values[name] = self.emit(f"{_FUNCTIONS[op]}({', '.join(args)})")
        else:
            self.values[name] = self.emit(_INFIX[op](*args))

    def _angle(self, x: str) -> str:
        """Sine and cosine of an angle, computed together and once."""
        if x not in self.angles:
            self.angles[x] = f"a{len(self.lines)}"
            self.lines.append(f"    const Pair {self.angles[x]} = sine_and_cosine({x});")
        return self.angles[x]

    def _solve(self, instruction: Instruction, args: list[str]) -> None:
        n, work = len(instruction.results), f"w{len(self.lines)}"
        self.lines.append(f"    real {work}[] = {{{', '.join(args)}}};")
        self.lines.append(f"    solve<{n}>({work});")
        for k, name in enumerate(instruction.results):
            self.values[name] = self.emit(f"{work}[{n * n + k}]")


def _horner(z: str, coefficients: list[str]) -> str:
    """A polynomial whose coefficients begin with that of the highest power."""
    text = coefficients[0]
    for x in coefficients[1:]:
        text = f"fma({text}, {z}, {x})"
    return text


def _compared(sign: str, a: str, b: str) -> str:
    return f"(real)({a} {sign} {b})"


_INFIX: dict[Op, Callable[..., str]] = {
    Op.ADD: lambda a, b: f"{a} + {b}",
    Op.MUL: lambda a, b: f"{a} * {b}",
    Op.DIV: lambda a, b: f"{a} / {b}",
    Op.SELECT: lambda c, a, b: f"{c} != 0 ? {a} : {b}",
    **{op: partial(_compared, comparison.sign) for op, comparison in COMPARISONS.items()},
}
