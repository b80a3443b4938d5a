"""Sine, cosine, arc tangent and exponential without branches, written in LLVM text for any number of lanes.

An argument is reduced to a small interval with constants in several parts (Cody and Waite, Software Manual for the
Elementary Functions, 1980), there a polynomial is evaluated, and the reduction is undone. A multiplication and an
addition that round once make the reduction exact enough: without them these functions are not used.
"""

from __future__ import annotations

from symoro.kernels.polynomials import HALF_PI, POLYNOMIALS
from symoro.runtime.llvm_lanes import BITS, Lanes

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
