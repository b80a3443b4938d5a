"""The body of a CUDA kernel: a main program as straight-line code, for the state `i` of one thread.

Around it stand a head (`cuda_head`) and the signature, where `n`, `first` (the first state of the block), `i` and, for
long rows of outputs, the shared memory `rows` are declared. Rows of many elements are written through shared memory:
neighbouring threads then write neighbouring words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from symoro.ir.expr import COMPARISONS, Op
from symoro.ir.program import Instruction, Literal, Operand, Output, Program
from symoro.kernels.cuda_head import Precision, number

#: Threads of a block. `benchmarks/gpu.py` measures other numbers, too: 64 threads never lost more than 3 %, and more of
#: them lost up to a half where values wait for shared memory or registers.
BLOCK = 64
#: Rows up to this many elements are written by their own thread.
SHORT_ROW = 16
#: Bytes of shared memory that a block uses at most.
SHARED = 48 * 1024

_FUNCTIONS = {
    Op.SQRT: "sqrt", Op.TAN: "tan", Op.ASIN: "asin", Op.ACOS: "acos", Op.ATAN2: "atan2", Op.EXP: "exp",
    Op.ABS: "fabs", Op.SIGN: "sign_of", Op.MIN: "smaller", Op.MAX: "larger",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KernelShape:
    """How a kernel is launched: threads of a block, and elements of shared memory for the rows of the outputs."""

    block: int
    piece: int
    compact: bool = False
    """Whether few values are alive at a time: inputs are read late and the longest chain comes first. It is slower
    where all values fit into registers, because less can be done at once."""

    @property
    def shared(self) -> int:
        """Elements of the array `rows`; 0 where there is none."""
        return self.block * (self.piece + 1) if self.piece else 0


def shape_of(program: Program, block: int, precision: Precision, compact: bool = False) -> KernelShape:
    """Pieces of long rows are as long as shared memory permits, and of an even length."""
    longest = max((len(output.elements) for output in program.outputs), default=0)
    if longest <= SHORT_ROW:
        return KernelShape(block, 0, compact)
    most = SHARED // (block * np.dtype(precision).itemsize) - 1
    return KernelShape(block, min(longest, most // 32 * 32 or most), compact)


class Spelling(Protocol):
    """The names of a kernel."""

    def constant(self, k: int) -> str:
        """The k-th parameter of the program."""

    def row(self, k: int) -> str:
        """The pointer to this state's row of the k-th input."""

    def output(self, k: int) -> str:
        """The pointer to the k-th output of the first state."""

    def variable(self, name: str) -> str:
        """The variable of an input's element or of a result."""

    def fresh(self, word: str) -> str:
        """A name that nothing else has."""

    def remark(self, instruction: Instruction) -> str:
        """What the result means; empty where nothing is to be said."""


def kernel_body(program: Program, shape: KernelShape, spelling: Spelling) -> list[str]:
    """The lines of the body."""
    return _CudaWriter(program, shape, spelling).body()


class _CudaWriter:
    def __init__(self, program: Program, shape: KernelShape, spelling: Spelling) -> None:
        self.program, self.shape, self.spelling = program, shape, spelling
        self.used = program.reads()
        self.values = {c.name: spelling.constant(k) for k, c in enumerate(program.parameters)}
        self.places = {
            variable.name: f"{spelling.row(i)}[{k}]"
            for i, array in enumerate(program.inputs)
            for k, variable in enumerate(array.variables)
        }
        self.angles: dict[str, str] = {}
        self.lines: list[str] = []
        self.maker = {name: i for i in program.instructions for name in i.results}
        self.depth: dict[str, int] = {}
        for i in program.instructions:
            below = max((self.depth.get(name, 0) for name in i.reads), default=0)
            self.depth |= dict.fromkeys(i.results, below + 1)

    def body(self) -> list[str]:
        if not self.shape.compact:  # all reads are under way while the first instructions run
            for name in self.places:
                if name in self.used:
                    self._read(name)
        for k, output in enumerate(self.program.outputs):
            self._output(k, output)
        return self.lines

    # outputs: what an element needs is written just before it, so that few values are alive

    def _output(self, k: int, output: Output) -> None:
        size, array = len(output.elements), self.spelling.output(k)
        if size <= SHORT_ROW:
            elements = [self.operand(element) for element in output.elements]
            self.lines += [f"    {array}[i * {size} + {n}] = {x};" for n, x in enumerate(elements)]
            return
        step = self.shape.piece
        for start in range(0, size, step):
            self._piece(f"{array} + {start}", size, output.elements[start : start + step])

    def _piece(self, out: str, size: int, part: tuple[Operand, ...]) -> None:
        """A piece of each row: into shared memory, then out by all threads of the block together."""
        stride = len(part) | 1  # odd: no two threads of a warp meet in one bank
        for n, element in enumerate(part):
            self.lines.append(f"    rows[threadIdx.x * {stride} + {n}] = {self.operand(element)};")
        self.lines.append("    __syncthreads();")
        self.lines.append(f"    write_rows<{len(part)}, {stride}, {size}, {self.shape.block}>(rows, {out}, first, n);")
        self.lines.append("    __syncthreads();")

    # values

    def emit(self, name: str, text: str, remark: str = "") -> None:
        self.values[name] = self.spelling.variable(name)
        self.lines.append(f"    const real {self.values[name]} = {text};{f' // {remark}' if remark else ''}")

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            return number(float(operand.value))
        value = self.value(operand.name)
        return f"(-{value})" if operand.negative else value

    def value(self, name: str) -> str:
        """The variable's text; what it depends on is written first."""
        for instruction in self._needed(name):
            self._instruction(instruction)
        return self._read(name)

    def _read(self, name: str) -> str:
        if name not in self.values:
            self.emit(name, self.places[name])
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
        name, remark = instruction.results[0], self.spelling.remark(instruction)
        if op is Op.SOLVE:
            self._solve(instruction, args)
        elif op in (Op.SIN, Op.COS):
            self.values[name] = f"{self._angle(args[0])}.{'s' if op is Op.SIN else 'c'}"
        elif op in _FUNCTIONS:
            self.emit(name, f"{_FUNCTIONS[op]}({', '.join(args)})", remark)
        else:
            self.emit(name, _INFIX[op](*args), remark)

    def _angle(self, x: str) -> str:
        """Sine and cosine of an angle, computed together and once."""
        if x not in self.angles:
            self.angles[x] = self.spelling.fresh("angle")
            self.lines.append(f"    const Pair {self.angles[x]} = sine_and_cosine({x});")
        return self.angles[x]

    def _solve(self, instruction: Instruction, args: list[str]) -> None:
        n, work = len(instruction.results), self.spelling.fresh("work")
        self.lines.append(f"    real {work}[] = {{{', '.join(args)}}};")
        self.lines.append(f"    solve<{n}>({work});")
        for k, name in enumerate(instruction.results):
            if name in self.used:
                self.emit(name, f"{work}[{n * n + k}]")
            else:
                self.values[name] = ""


def _compared(sign: str, a: str, b: str) -> str:
    return f"(real)({a} {sign} {b})"


_INFIX: dict[Op, Callable[..., str]] = {
    Op.ADD: lambda a, b: f"{a} + {b}",
    Op.MUL: lambda a, b: f"{a} * {b}",
    Op.DIV: lambda a, b: f"{a} / {b}",
    Op.SELECT: lambda c, a, b: f"{c} != 0 ? {a} : {b}",
    **{op: partial(_compared, comparison.sign) for op, comparison in COMPARISONS.items()},
}
