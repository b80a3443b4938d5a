"""The geometric constraint equations of all loops of a robot: the frames of each cut coincide (K97:2, K10:3)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.models.loops.constraint import Loops


def loop_closure(s: Symbols) -> list[Result]:
    """E, zero where the loops are closed; QC, the positions of the cut joints there; ALIGN, positive where axes agree.

    E is zero, too, where the axes of the two frames of a cut are opposite: ALIGN is negative then.
    """
    equations = Loops(s)
    E, ALIGN = map(tuple, equations.gaps())
    QC = tuple(loop.cut_position() for loop in equations.loops)
    cuts = [loop.cut.index for loop in equations.loops]
    return [
        Result("E", (len(E),), E, tuple(f"E{n}" for n in range(1, len(E) + 1))),
        Result("QC", (len(QC),), QC, tuple(f"QC{k}" for k in cuts)),
        Result("ALIGN", (len(ALIGN),), ALIGN, tuple(f"ALIGN{k}" for k in cuts)),
    ]


def platform_closure(s: Symbols) -> list[Result]:
    """E, EV and EVP: what the constraints of a platform leave over of its pose and of its motion."""
    parts = zip(("E", "EV", "EVP"), s.constraint.residuals(), strict=True)
    return [Result(name, (len(x),), tuple(x), tuple(f"{name}{k}" for k in range(1, len(x) + 1))) for name, x in parts]


def legs_closure(s: Symbols) -> list[Result]:
    """E, zero where all legs meet the platform and their own loops are closed; ALIGN, positive where axes agree."""
    parts = zip(("E", "ALIGN"), s.constraint.gaps(), strict=True)
    return [Result(name, (len(x),), tuple(x), tuple(f"{name}{k}" for k in range(1, len(x) + 1))) for name, x in parts]


def platform_step(s: Symbols) -> list[Result]:
    """TN, the pose of a platform after a step of Newton's method towards wanted motors; EQ, what they were away."""
    results: list[Result] = s.constraint.step()
    return results


def loop_step(s: Symbols) -> list[Result]:
    """Q, the configuration after a step of Newton's method in the passive joints; E, QC and ALIGN before the step.

    Called again with Q until E is zero, it closes the loops. A negative ALIGN means that axes are opposite then.
    """
    E, QC, ALIGN = loop_closure(s)
    equations = Loops(s)
    closing = [loop.gap(row) for loop, row in equations.required()]
    slopes = jacobian(s.graph, closing, [s.q[j] for j in equations.dependent])
    steps = solve(s.graph, slopes, [[-x] for x in closing])
    if steps is None:
        raise NotApplicable("loops.not_fixed", robot=s.robot.name)
    moved = dict(zip(equations.dependent, steps, strict=True))
    Q = tuple(s.q[j] + moved[j][0] if j in moved else s.q[j] for j in s.variables)
    return [Result("Q", (len(Q),), Q, tuple(f"Q{j}" for j in s.variables)), E, QC, ALIGN]
