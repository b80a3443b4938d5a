"""Numbers for sine and cosine on [−π/4, π/4] and for the reduction of an angle to it.

sin r = r + r³ S(r²), cos r = 1 − r²/2 + r⁴ C(r²). The coefficients in double precision are those of fdlibm (Sun, 1993:
`__kernel_sin`, `__kernel_cos`), in single precision those of Cephes (Moshier, 1989: `sinf`, `cosf`). An angle is
reduced by multiples of π/2 in three parts, each to the precision of the type: with fused multiplications the first
subtraction is exact.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SineAndCosine:
    """The numbers of one precision; the reduction is right up to `largest`, beyond it a library must be called."""

    sine: tuple[float, ...]
    cosine: tuple[float, ...]
    half_pi: tuple[float, float, float]
    magic: float
    """1.5 · 2^(bits of the fraction): added to a number, it leaves the nearest integer in the lowest bits."""
    largest: float = 1e5


DOUBLE = SineAndCosine(
    sine=(
        -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
    ),
    cosine=(
        4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
    ),
    half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    magic=1.5 * 2**52,
)  # fmt: skip
SINGLE = SineAndCosine(
    sine=(-1.6666654611e-01, 8.3321608736e-03, -1.9515295891e-04),
    cosine=(4.166664568298827e-02, -1.388731625493765e-03, 2.443315711809948e-05),
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    magic=1.5 * 2**23,
)
