"""Springs in joints (K10 § 6)."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.symbols import Symbols


def spring(s: Symbols, j: int) -> Expr:
    """The torque of the spring of joint j: −K (q − q₀) (K10:69, 70); 0 where there is none."""
    joint = s.robot.joint(j)
    if not joint.elastic:
        return s.graph.zero
    return -(s.bind(joint.stiffness) * (s.q[j] - s.bind(joint.rest)))
