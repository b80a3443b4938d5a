"""Writes LLVM text for arithmetic on W numbers at once: the same lines for one number, a vector, double or float."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from symoro.ir.program import Program
from symoro.runtime.job import is_number, words

#: The number types by their names in LLVM: bits of a number, bits of its mantissa.
BITS = {"double": (64, 52), "float": (32, 23)}
_SUFFIX = {"double": "f64", "float": "f32"}


def literal(value: float, number: str = "double") -> str:
    """A number in LLVM's exact notation, which writes a float as the double that has its value."""
    if number == "float":
        value = rounded(value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def rounded(value: float) -> float:
    """The nearest float; infinite where there is none."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def read_job(program: Program) -> list[str]:
    """Lines that read every word of %job, see `job`."""
    lines = []
    for k, word in enumerate(words(program)):
        kind = "i64" if is_number(word) else "ptr"
        lines += [f"  %at.{word} = getelementptr i64, ptr %job, i64 {k}", f"  %{word} = load {kind}, ptr %at.{word}"]
    return lines


@dataclass
class Lanes:
    """Emits one value a line. A value has `width` lanes of the type `number`; with width 1 it is a plain number."""

    number: str = "double"
    width: int = 1
    #: Does the machine multiply and add in one instruction? If not, sine and its like are calls of the C library.
    fma: bool = True
    lines: list[str] = field(default_factory=list)
    #: The functions that the lines call, with their declarations.
    declared: dict[str, str] = field(default_factory=dict)
    #: Vectors in the workspace %work, which large systems of equations need.
    workspace: int = 0

    @property
    def type(self) -> str:
        return self.vector(self.number)

    @property
    def bits(self) -> int:
        return BITS[self.number][0]

    @property
    def integer(self) -> str:
        """The type of whole numbers with as many bits."""
        return self.vector(f"i{self.bits}")

    @property
    def truth(self) -> str:
        return self.vector("i1")

    def vector(self, element: str, width: int | None = None) -> str:
        width = width or self.width
        return element if width == 1 else f"<{width} x {element}>"

    def other(self, width: int) -> Lanes:
        """A writer of the same lines for another number of lanes."""
        return Lanes(self.number, width, self.fma, self.lines, self.declared)

    # values

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value: float) -> str:
        return self._splat(self.number, literal(value, self.number))

    def whole(self, value: int) -> str:
        return self._splat(f"i{self.bits}", str(value))

    def _splat(self, element: str, text: str) -> str:
        return text if self.width == 1 else f"splat ({element} {text})"

    def spread(self, value: str) -> str:
        """A plain number in every lane."""
        if self.width == 1:
            return value
        first = self.emit(f"insertelement {self.type} poison, {self.number} {value}, i64 0")
        return self.emit(f"shufflevector {self.type} {first}, {self.type} poison, {self.vector('i32')} zeroinitializer")

    def load(self, address: str, k: int) -> str:
        """Number k of an array."""
        at = self.emit(f"getelementptr {self.number}, ptr {address}, i64 {k}") if k else address
        return self.emit(f"load {self.number}, ptr {at}")

    # arithmetic

    def binary(self, operation: str, a: str, b: str) -> str:
        return self.emit(f"{operation} {self.type} {a}, {b}")

    def add(self, a: str, b: str) -> str:
        return self.binary("fadd", a, b)

    def sub(self, a: str, b: str) -> str:
        return self.binary("fsub", a, b)

    def mul(self, a: str, b: str) -> str:
        return self.binary("fmul", a, b)

    def div(self, a: str, b: str) -> str:
        return self.binary("fdiv", a, b)

    def neg(self, a: str) -> str:
        return self.emit(f"fneg {self.type} {a}")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """a·b + c, rounded once where the machine can."""
        return self.intrinsic("fma", a, b, c) if self.fma else self.add(self.mul(a, b), c)

    def intrinsic(self, name: str, *args: str) -> str:
        return self._call(self.symbol(name), self.type, args)

    def symbol(self, name: str) -> str:
        """The name of LLVM's function of this type."""
        lanes = "" if self.width == 1 else f"v{self.width}"
        return f"llvm.{name}.{lanes}{_SUFFIX[self.number]}"

    def library(self, name: str, *args: str) -> str:
        """A function of the C library, lane by lane."""
        one = self.other(1)
        symbol = name if self.number == "double" else f"{name}f"
        if self.width == 1:
            return one._call(symbol, self.number, args)
        result = "poison"
        for lane in range(self.width):
            parts = [one.emit(f"extractelement {self.type} {a}, i64 {lane}") for a in args]
            value = one._call(symbol, self.number, parts)
            result = self.emit(f"insertelement {self.type} {result}, {self.number} {value}, i64 {lane}")
        return result

    def _call(self, symbol: str, kind: str, args: list[str] | tuple[str, ...]) -> str:
        self.declared[symbol] = f"declare {kind} @{symbol}({', '.join([kind] * len(args))}) #0"
        return self.emit(f"call {kind} @{symbol}({', '.join(f'{kind} {a}' for a in args)}) #0")

    # choices

    def compare(self, predicate: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {predicate} {self.type} {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        return self.emit(f"select {self.truth} {condition}, {self.type} {a}, {self.type} {b}")

    def both(self, a: str, b: str) -> str:
        return self.emit(f"and {self.truth} {a}, {b}")

    def any(self, condition: str) -> str:
        """Does the condition hold in a lane?"""
        if self.width == 1:
            return condition
        bits = self.emit(f"bitcast {self.truth} {condition} to i{self.width}")
        return self.emit(f"icmp ne i{self.width} {bits}, 0")

    # bits

    def as_bits(self, a: str) -> str:
        return self.emit(f"bitcast {self.type} {a} to {self.integer}")

    def as_number(self, a: str) -> str:
        return self.emit(f"bitcast {self.integer} {a} to {self.type}")

    def on_bits(self, operation: str, a: str, b: str) -> str:
        return self.emit(f"{operation} {self.integer} {a}, {b}")
