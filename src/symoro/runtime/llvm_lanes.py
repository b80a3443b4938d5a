"""Arithmetic on W numbers at once as LLVM text, with sines, arc tangents and exponentials."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from symoro.ir.program import Program
from symoro.kernels.polynomials import HALF_PI, POLYNOMIALS
from symoro.runtime.threads import is_number, words

# Writes LLVM text for arithmetic on W numbers at once: the same lines for one number, a vector, double or float.


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


# Sine, cosine, arc tangent and exponential without branches, written in LLVM text for any number of lanes.
#
# An argument is reduced to a small interval with constants in several parts (Cody and Waite, Software Manual for the
# Elementary Functions, 1980), there a polynomial is evaluated, and the reduction is undone. A multiplication and an
# addition that round once make the reduction exact enough: without them these functions are not used.


_LN_2 = {
    "double": ("0x1.62e42fefa39efp-1", "0x1.abc9e3b39803fp-56"),
    "float": ("0x1.62e430p-1", "-0x1.05c610p-29"),
}
#: eˣ is 0 below and infinite above these.
_EXP_RANGE = {"double": (-750.0, 710.0), "float": (-110.0, 90.0)}


def sine_and_cosine(w: Lanes, x: str) -> tuple[str, str]:
    """sin x and cos x of one angle."""
    if not w.fma:
        return w.library("sin", x), w.library("cos", x)
    quadrant, k = _nearest(w, x, 2 / 3.141592653589793)
    r = _reduced(w, x, k, HALF_PI[w.number])
    z = w.mul(r, r)
    s = w.multiply_add(w.mul(r, z), _horner(w, "sin", z), r)
    inner = w.multiply_add(z, _horner(w, "cos", z), w.constant(-0.5))
    c = w.multiply_add(z, inner, w.constant(1.0))
    odd = w.emit(f"trunc {w.integer} {quadrant} to {w.truth}")
    after = w.on_bits("add", quadrant, w.whole(1))
    return _signed(w, w.choose(odd, c, s), quadrant), _signed(w, w.choose(odd, s, c), after)


def tangent(w: Lanes, x: str) -> str:
    return w.div(*sine_and_cosine(w, x)) if w.fma else w.library("tan", x)


def arc_sine(w: Lanes, x: str) -> str:
    """asin x = atan2(x, √((1 − x)(1 + x)))."""
    return arc_tangent(w, x, _other_leg(w, x)) if w.fma else w.library("asin", x)


def arc_cosine(w: Lanes, x: str) -> str:
    """acos x = atan2(√((1 − x)(1 + x)), x)."""
    return arc_tangent(w, _other_leg(w, x), x) if w.fma else w.library("acos", x)


def arc_tangent(w: Lanes, y: str, x: str) -> str:
    """atan2(y, x) = ± (K π/4 ± atan u), |u| ≤ tan(π/8), with one division.

    The smaller and the larger of |x|, |y| make the quotient; where it is above tan(π/8), atan t = π/4 + atan u with
    u = (t − 1) / (t + 1).
    """
    if not w.fma:
        return w.library("atan2", y, x)
    zero, one = w.constant(0.0), w.constant(1.0)
    steep, small, large = _sorted_legs(w, y, x)
    fold = w.compare("ogt", small, w.mul(w.constant(0.41421356237309503), large))
    above = w.choose(fold, w.sub(small, large), small)
    below = w.choose(fold, w.add(small, large), large)
    u = w.div(above, w.choose(w.compare("oeq", below, zero), one, below))
    z = w.mul(u, u)
    a = w.multiply_add(w.mul(u, z), _horner(w, "atan", z), u)
    back = w.emit(f"icmp slt {w.integer} {w.as_bits(x)}, {'0' if w.width == 1 else 'zeroinitializer'}")
    K = w.choose(fold, one, zero)
    K = w.choose(steep, w.sub(w.constant(2.0), K), K)
    K = w.choose(back, w.sub(w.constant(4.0), K), K)
    turned = w.emit(f"xor {w.truth} {steep}, {back}")
    a = w.choose(turned, w.neg(a), a)
    first, second = (w.constant(float.fromhex(part) / 2) for part in HALF_PI[w.number][:2])
    high = w.mul(K, first)
    low = w.multiply_add(K, second, w.multiply_add(K, first, w.neg(high)))
    return w.intrinsic("copysign", w.add(high, w.add(low, a)), y)


def exponential(w: Lanes, x: str) -> str:
    """eˣ = 2ᵏ eʳ; 2ᵏ is multiplied in two steps, because its own exponent may be out of range."""
    if not w.fma:
        return w.library("exp", x)
    low, high = map(w.constant, _EXP_RANGE[w.number])
    x = w.choose(w.compare("olt", x, low), low, x)
    x = w.choose(w.compare("ogt", x, high), high, x)
    bits, k = _nearest(w, x, 1.4426950408889634)
    r = _reduced(w, x, k, _LN_2[w.number])
    value = w.multiply_add(w.mul(r, r), _horner(w, "exp", r), r)
    value = w.add(value, w.constant(1.0))
    power = w.on_bits("sub", bits, w.whole(_magic_bits(w.number)))
    half = w.on_bits("ashr", power, w.whole(1))
    for part in (half, w.on_bits("sub", power, half)):
        value = w.mul(value, _power_of_two(w, part))
    return value


def _nearest(w: Lanes, x: str, factor: float) -> tuple[str, str]:
    """The whole number next to factor · x: as bits whose lowest ones it is, and as a number.

    The sum with 1.5 · 2^m, m the bits of a mantissa, has no bits behind the point: the addition rounds.
    """
    magic = w.constant(1.5 * 2.0 ** BITS[w.number][1])
    t = w.multiply_add(x, w.constant(factor), magic)
    return w.as_bits(t), w.sub(t, magic)


def _magic_bits(number: str) -> int:
    """The bits of 1.5 · 2^m as a whole number."""
    bits, mantissa = BITS[number]
    bias: int = 2 ** (bits - mantissa - 2) - 1
    return ((bias + mantissa) << mantissa) + (1 << (mantissa - 1))


def _power_of_two(w: Lanes, k: str) -> str:
    bits, mantissa = BITS[w.number]
    biased = w.on_bits("add", k, w.whole(2 ** (bits - mantissa - 2) - 1))
    return w.as_number(w.on_bits("shl", biased, w.whole(mantissa)))


def _reduced(w: Lanes, x: str, k: str, parts: tuple[str, ...]) -> str:
    """x − k·P with the parts of P one after the other."""
    for part in parts:
        x = w.multiply_add(k, w.constant(-float.fromhex(part)), x)
    return x


def _horner(w: Lanes, name: str, z: str) -> str:
    first, *rest = POLYNOMIALS[name, w.number]
    value = w.constant(first)
    for coefficient in rest:
        value = w.multiply_add(value, z, w.constant(coefficient))
    return value


def _signed(w: Lanes, value: str, quadrant: str) -> str:
    """The value, negated in the quadrants 2 and 3."""
    moved = w.on_bits("shl", quadrant, w.whole(w.bits - 2))
    sign = w.on_bits("and", moved, w.whole(-(1 << (w.bits - 1))))
    return w.as_number(w.on_bits("xor", w.as_bits(value), sign))


def _other_leg(w: Lanes, x: str) -> str:
    one = w.constant(1.0)
    return w.intrinsic("sqrt", w.mul(w.sub(one, x), w.add(one, x)))


def _sorted_legs(w: Lanes, y: str, x: str) -> tuple[str, str, str]:
    """Is |y| > |x|, and the smaller and the larger of both, where only their quotient matters.

    Huge ones are scaled, so that their sum is a number. Two infinities count as equal.
    """
    ay, ax = w.intrinsic("fabs", y), w.intrinsic("fabs", x)
    steep = w.compare("ogt", ay, ax)
    small, large = w.choose(steep, ax, ay), w.choose(steep, ay, ax)
    huge = w.compare("ogt", large, w.constant(2.0 ** (2 ** (w.bits - BITS[w.number][1] - 2) - 4)))
    factor = w.choose(huge, w.constant(2.0**-8), w.constant(1.0))
    infinity, one = w.constant(float("inf")), w.constant(1.0)
    infinite = w.both(w.compare("oeq", small, infinity), w.compare("oeq", large, infinity))
    small, large = (w.choose(infinite, one, w.mul(leg, factor)) for leg in (small, large))
    return steep, small, large
