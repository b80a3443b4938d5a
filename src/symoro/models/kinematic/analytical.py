"""Analytical Jacobian matrices: velocities of the origin, and rates of the numbers that describe an orientation.

The orientation R is that of the link's frame in frame 0. `angles` says which numbers describe it:

    rpy         roll, pitch, yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll), pitch in [−π/2, π/2]
    zyx         the same three angles in the order of the product: yaw, pitch, roll
    zyz         φ, θ, ψ with R = Rz(φ) Ry(θ) Rz(ψ), θ in [0, π]
    quaternion  the unit quaternion x y z w of R with w ≥ 0

For rpy and zyx with x the first column of R, and for zyz with x the third one, h² = x₁² + x₂² is cos² of the pitch, or
sin² of θ. The last angle of the product turns about x, the one before it about (−x₂, x₁, 0) / h, the first about z:

    ψ̇ = (x₁ ω₁ + x₂ ω₂) / h²                            (1)
    θ̇ = (x₁ ω₂ − x₂ ω₁) / h                             (2)
    φ̇ = ω₃ − x₃ ψ̇                                       (3)

Where h = 0 (the pitch is ±π/2, θ is 0 or π) the rates do not exist: they are infinite or NaN. Those of a quaternion
exist everywhere; they change their sign where w does.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector
from symoro.models.geometric.frames import FrameRef
from symoro.models.kinematic.by_motors import ByMotors, is_closed
from symoro.models.kinematic.jacobian import jacobian
from symoro.models.kinematic.task import pose
from symoro.models.results import matrix

ANGLES = ("rpy", "zyx", "zyz", "quaternion")


def analytical_jacobian(s: Symbols, link: FrameRef, angles: str) -> list[Result]:
    """JA: [v; rates] in frame 0, the columns those of `jacobian`."""
    (J,) = jacobian(s, link, 0, None, None, "motors")
    width = J.shape[1]
    rows = [Vector(s.graph, J.elements[n * width : (n + 1) * width]) for n in range(6)]
    R = pose(s, link)[0]
    turns = _quaternion_rates(R, rows[3:]) if angles == "quaternion" else _angle_rates(R, rows[3:], angles)
    J_A = Matrix(s.graph, (*rows[:3], *turns))
    joints = ByMotors(s).labels if is_closed(s) else s.variables
    return [matrix(s, "JA", J_A, (range(1, len(J_A.rows) + 1), joints))]


def _angle_rates(R: Matrix, w: list[Vector], angles: str) -> tuple[Vector, ...]:
    graph = R.graph
    x1, x2, x3 = R.column(2 if angles == "zyz" else 0)
    square = graph.name(x1 * x1 + x2 * x2, "HH")
    if square.is_zero:
        raise NotApplicable("jacobians.angles", angles=angles)
    psi = (w[0] * x1 + w[1] * x2) * (graph.one / square)  # (1)
    theta = (w[1] * x1 - w[0] * x2) * (graph.one / graph.sqrt(square))  # (2)
    phi = w[2] - psi * x3  # (3)
    return (psi, theta, phi) if angles == "rpy" else (phi, theta, psi)


def _quaternion_rates(R: Matrix, w: list[Vector]) -> tuple[Vector, ...]:
    """½ (w ω + ω × u), −½ u · ω, for u = (x, y, z)."""
    x, y, z, scalar = quaternion(R)
    half = [c * (R.graph.one / 2) for c in (x, y, z, scalar)]
    x, y, z, scalar = half
    return (
        w[0] * scalar + w[1] * z - w[2] * y,
        w[1] * scalar + w[2] * x - w[0] * z,
        w[2] * scalar + w[0] * y - w[1] * x,
        -(w[0] * x + w[1] * y + w[2] * z),
    )


def quaternion(R: Matrix) -> tuple[Expr, ...]:
    """x y z w with w ≥ 0, from the largest of them.

    K = 4 c cᵀ of the quaternion c has elements that are linear in R; each of its columns is a multiple of c. The column
    with the largest diagonal element is divided by 2 √ of that element (Shepperd 1978).
    """
    graph, one = R.graph, R.graph.one
    (a, b, c), (d, e, f), (g, h, i) = R
    K = (
        (one + a - e - i, b + d, c + g, h - f),
        (b + d, one - a + e - i, f + h, c - g),
        (c + g, f + h, one - a - e + i, d - b),
        (h - f, c - g, d - b, one + a + e + i),
    )
    column: tuple[Expr, ...] = K[3]
    largest = K[3][3]
    for n in range(3):
        smaller = graph.less(largest, K[n][n])
        column = tuple(graph.select(smaller, x, y) for x, y in zip(K[n], column, strict=True))
        largest = graph.select(smaller, K[n][n], largest)
    length = 2 * graph.sqrt(largest)
    scale = one / graph.select(graph.less(column[3], graph.zero), -length, length)
    return tuple(graph.name(x * scale, f"QUAT{n}") for n, x in enumerate(column, 1))
