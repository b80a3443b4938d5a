"""A main program as the text of an LLVM module: one loop over the states of a batch around straight-line code."""

from __future__ import annotations

import struct
from collections.abc import Callable

from symoro.ir.ops import Op
from symoro.ir.program import Instruction, Literal, Operand, Program
from symoro.runtime.llvm_solve import SOLVE

#: Operations that are one call: LLVM intrinsics for which it generates better code (sincos, square roots), else libm.
_CALLS = {
    Op.SQRT: "llvm.sqrt.f64",
    Op.SIN: "llvm.sin.f64",
    Op.COS: "llvm.cos.f64",
    Op.ABS: "llvm.fabs.f64",
    Op.TAN: "tan",
    Op.ASIN: "asin",
    Op.ACOS: "acos",
    Op.ATAN2: "atan2",
    Op.EXP: "exp",
}
#: Comparisons are false when an operand is not a number.
_COMPARISONS = {Op.LESS: "olt", Op.LESS_EQUAL: "ole", Op.EQUAL: "oeq"}

#: The functions of the C library that the code may call.
LIBM = ("sin", "cos", "sincos", "tan", "asin", "acos", "atan2", "exp")


def module_text(program: Program) -> str:
    """The module with `kernel(job)`.

    `job` is an array of 64-bit words: the number of states, the address of the constants, for each input its address
    and the elements between two states (0 where all states share it), and the address of each output.
    """
    return _Writer(program).module()


def number(value: float) -> str:
    """A double in LLVM's exact notation."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.values: dict[str, str] = {}
        self.negated: dict[str, str] = {}
        self.buffer = 0  # elements of the workspace of `solve`

    def module(self) -> str:
        self._loads()
        for instruction in self.program.instructions:
            self._instruction(instruction)
        self._stores()
        body = self.lines
        self.lines = []
        self._entry()
        done = ["  %next = add nsw i64 %i, 1", "  br label %head", "done:", "  ret void", "}"]
        return "\n".join([*self._declarations(), *self.lines, *body, *done, ""])

    # the frame around the code

    def _declarations(self) -> list[str]:
        unary, binary = "declare double @{}(double)", "declare double @{}(double, double)"
        used = {i.op for i in self.program.instructions} | ({Op.ABS} if self.buffer else set())
        lines = [
            (binary if op is Op.ATAN2 else unary).format(name) + " #0" for op, name in _CALLS.items() if op in used
        ]
        lines.append("attributes #0 = { nounwind willreturn memory(none) }")
        return [*lines, *([SOLVE] if self.buffer else [])]

    def _entry(self) -> None:
        """Read the job, begin the loop, and compute the addresses of the rows of this state."""
        self.lines += ["define void @kernel(ptr noalias %job) {", "entry:"]
        if self.buffer:
            self.lines.append(f"  %work = alloca [{self.buffer} x double], align 16")
        words = ["n", "constants"]
        words += [word for k in range(len(self.program.inputs)) for word in (f"in{k}", f"step{k}")]
        words += [f"out{k}" for k in range(len(self.program.outputs))]
        for k, word in enumerate(words):
            kind = "i64" if word == "n" or word.startswith("step") else "ptr"
            self.lines.append(f"  %at.{word} = getelementptr i64, ptr %job, i64 {k}")
            self.lines.append(f"  %{word} = load {kind}, ptr %at.{word}")
        self.lines += ["  br label %head", "head:", "  %i = phi i64 [ 0, %entry ], [ %next, %body ]"]
        self.lines += ["  %more = icmp slt i64 %i, %n", "  br i1 %more, label %body, label %done", "body:"]
        for k in range(len(self.program.inputs)):
            self._row(f"in{k}", f"%step{k}")
        for k, output in enumerate(self.program.outputs):
            self._row(f"out{k}", str(len(output.elements)))

    def _row(self, array: str, step: str) -> None:
        self.lines.append(f"  %offset.{array} = mul nsw i64 %i, {step}")
        self.lines.append(f"  %row.{array} = getelementptr double, ptr %{array}, i64 %offset.{array}")

    def _loads(self) -> None:
        used = self.program.reads()
        for k, constant in enumerate(self.program.parameters):
            if constant.name in used:
                self.values[constant.name] = self._load("%constants", k)
        for i, array in enumerate(self.program.inputs):
            for k, variable in enumerate(array.variables):
                if variable.name in used:
                    self.values[variable.name] = self._load(f"%row.in{i}", k)

    def _stores(self) -> None:
        for i, output in enumerate(self.program.outputs):
            for k, element in enumerate(output.elements):
                self._store(f"%row.out{i}", k, self.operand(element))

    # instructions

    def emit(self, text: str) -> str:
        """A new value."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def _load(self, base: str, k: int) -> str:
        address = self.emit(f"getelementptr double, ptr {base}, i64 {k}")
        return self.emit(f"load double, ptr {address}")

    def _store(self, base: str, k: int, value: str) -> None:
        address = self.emit(f"getelementptr double, ptr {base}, i64 {k}")
        self.lines.append(f"  store double {value}, ptr {address}")

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Literal):
            return number(float(operand.value))
        value = self.values[operand.name]
        if not operand.negative:
            return value
        if operand.name not in self.negated:
            self.negated[operand.name] = self.emit(f"fneg double {value}")
        return self.negated[operand.name]

    def _instruction(self, instruction: Instruction) -> None:
        if instruction.op is Op.SOLVE:
            self._solve(instruction)
        elif instruction.op is Op.ADD:
            self.values[instruction.results[0]] = self._add(*instruction.args)
        else:
            args = [self.operand(a) for a in instruction.args]
            self.values[instruction.results[0]] = self._function(instruction.op, args)

    def _add(self, a: Operand, b: Operand) -> str:
        """An addition; a negative operand is subtracted."""
        if not isinstance(b, Literal) and b.negative:
            return self.emit(f"fsub double {self.operand(a)}, {self.operand(-b)}")
        if not isinstance(a, Literal) and a.negative:
            return self.emit(f"fsub double {self.operand(b)}, {self.operand(-a)}")
        return self.emit(f"fadd double {self.operand(a)}, {self.operand(b)}")

    def _function(self, op: Op, args: list[str]) -> str:
        if op in _CALLS:
            return self.emit(f"call double @{_CALLS[op]}({', '.join(f'double {a}' for a in args)}) #0")
        if op in _COMPARISONS:
            return self.emit(f"uitofp i1 {self._compare(_COMPARISONS[op], *args)} to double")
        return _SPECIAL[op](self, *args)

    def _compare(self, predicate: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {predicate} double {a}, {b}")

    def _choose(self, condition: str, a: str, b: str) -> str:
        return self.emit(f"select i1 {condition}, double {a}, double {b}")

    def _select(self, condition: str, a: str, b: str) -> str:
        return self._choose(self._compare("une", condition, number(0.0)), a, b)

    def _sign(self, x: str) -> str:
        """1, -1, 0, and x itself when it is not a number."""
        rest = self._choose(self._compare("uno", x, x), x, number(0.0))
        minus = self._choose(self._compare("olt", x, number(0.0)), number(-1.0), rest)
        return self._choose(self._compare("ogt", x, number(0.0)), number(1.0), minus)

    def _extreme(self, predicate: str, a: str, b: str) -> str:
        """The smaller or the larger; not a number when one of them is not."""
        picked = self._choose(self._compare(predicate, a, b), a, b)
        return self._choose(self._compare("uno", a, a), a, picked)

    def _solve(self, instruction: Instruction) -> None:
        n = len(instruction.results)
        self.buffer = max(self.buffer, len(instruction.args))
        for k, a in enumerate(instruction.args):
            self._store("%work", k, self.operand(a))
        self.lines.append(f"  call void @solve(ptr %work, i64 {n})")
        for k, name in enumerate(instruction.results):
            self.values[name] = self._load("%work", n * n + k)


_SPECIAL: dict[Op, Callable[..., str]] = {
    Op.MUL: lambda w, a, b: w.emit(f"fmul double {a}, {b}"),
    Op.DIV: lambda w, a, b: w.emit(f"fdiv double {a}, {b}"),
    Op.SELECT: _Writer._select,
    Op.SIGN: _Writer._sign,
    Op.MIN: lambda w, a, b: w._extreme("ole", a, b),
    Op.MAX: lambda w, a, b: w._extreme("oge", a, b),
}
