"""The formulas of the equation types, as they are printed: one row a type."""

from __future__ import annotations

from typing import NamedTuple


class Formula(NamedTuple):
    """An equation, its solution, and what happens where the solution is not defined.

    {j} is the joint; of several, it is the last one, {i} the first, and {m} the one in the middle.
    """

    equation: str
    solution: str
    degenerate: str


#: By the kind of step; the letters are those of its coefficients.
FORMULAS = {
    "r1": Formula("A r{j} + B = 0", "r{j} = −B / A", "A = 0: r{j} is free if B = 0, else there is no root"),
    "r2": Formula(
        "A r{j}² + B r{j} + C = 0",
        "r{j} = (−B ± √(B² − 4 A C)) / (2 A)",
        "B² < 4 A C: out of reach; B² = 4 A C: one double root",
    ),
    "r4": Formula(
        "A r{j}⁴ + B r{j}³ + C r{j}² + D r{j} + E = 0",
        "the real roots of the quartic",
        "no real root: out of reach",
    ),
    "theta1": Formula(
        "X S{j} + Y C{j} = Z",
        "θ{j} = atan2(X Z ± Y √D, Y Z ∓ X √D) with D = X² + Y² − Z²",
        "X = Y = 0: θ{j} is free if Z = 0, else there is no root; D < 0: out of reach; D = 0: one double root",
    ),
    "theta2": Formula(
        "M11 C{j}² + 2 M12 C{j} S{j} + M22 S{j}² + 2 m1 C{j} + 2 m2 S{j} + k = 0",
        "the real roots of the quartic in tan(θ{j}/2)",
        "no real root: out of reach",
    ),
    "Slides": Formula(
        "Ak1 r{i} + Ak2 r{m} + Ak3 r{j} = Bk, for k = 1, 2, 3",
        "three linear equations, solved by elimination with the largest divisors",
        "det(A) = 0: the directions of the slides are in a plane, in which they move without moving the end",
    ),
    "Turned": Formula(
        "a1 C{j} − a2 S{j} = b1 and a1 S{j} + a2 C{j} = b2",
        "θ{j} = atan2(a1 b2 − a2 b1, a1 b1 + a2 b2)",
        "a1 = a2 = 0: θ{j} is free",
    ),
    "Two": Formula(
        "A1 S{j} + B1 C{j} = D1 and A2 S{j} + B2 C{j} = D2",
        "θ{j} = atan2(Δ (D1 B2 − D2 B1), Δ (A1 D2 − A2 D1)) with Δ = A1 B2 − A2 B1",
        "Δ = 0: one equation of type 2 is left",
    ),
    "Elbow": Formula(
        "K + X S{i} + Y C{i} = b3, and θ{j} turns (a1, a2) into (c1, c2); "
        "(c1, c2, b3) is the direction of the upper arm",
        "θ{i} = atan2(X, Y) ± ψ with cos(ψ) = b3; θ{j} = atan2(a1 c2 − a2 c1, a1 c1 + a2 c2)",
        "a1 = a2 = 0: θ{j} is free, only its sum or difference with the next angle counts",
    ),
    "Aimed": Formula(
        "K + X S{i} + Y C{i} = b3, and θ{j} turns (a1, a2) into (c1, c2)",
        "θ{i} = atan2(X, Y) ± ψ with √(X² + Y²) cos(ψ) = b3 − K; θ{j} = atan2(a1 c2 − a2 c1, a1 c1 + a2 c2)",
        "a1 = a2 = 0: θ{j} is free, only its sum or difference with the next angle counts",
    ),
}
