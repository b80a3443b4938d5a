"""The torques that hold a payload: Jᵀ of its weight.

The payload is a mass MP at the point (XP, YP, ZP) of the frame of a link, or of a named frame. It is an input of the
model, not a parameter, so that one function serves every payload.
"""

from __future__ import annotations

from symoro.bind.interface import payload
from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.constraint import coordinates
from symoro.models.dynamic.projected import held
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.kinematic.determinant import tip
from symoro.models.recursion import six
from symoro.robot import topology


def payload_torques(s: Symbols, link: FrameRef | None, space: str = "platform") -> list[Result]:
    """Q: what the coordinates that constraints leave, or the motors, need to hold the payload against gravity.

    The six elements of a floating base come first: the wrench [f; m] that holds it, in frame 0.
    """
    n, pose = carrier(s.robot, tip(s) if link is None else link)
    A, P = bound_pose(s, pose)
    mass, *point = payload(s)
    path = [joint.index for joint in topology.path(s.robot, n)]
    g = {0: s.g}
    for j in path:
        g[j] = s.name("G", j, s.R[j].T @ g[s.parent[j]])
    MS, Q = (A @ Vector(s.graph, point) + P) * mass, dict.fromkeys(s.movable, s.graph.zero)
    for j in reversed(path):
        if j in s.movable:
            Q[j] = MS[1] * g[j][0] - MS[0] * g[j][1] if s.revolute[j] else -(mass * g[j][2])  # (L91:58)
        MS = s.R[j] @ MS
        if j in s.free:
            Q |= _carried(j, mass, MS, g[s.parent[j]])
        MS = MS + s.P[j] * mass  # (K97:29)
    on_base = {k: x for k, x in _carried(0, mass, MS, s.g).items() if k in coordinates(s)}
    return [held(s, Q | on_base, space)]


def _carried(j: int, mass: Expr, MS: Vector, g: Vector) -> dict[int, Expr]:
    """The wrench [f; m] against the weight at the origin of a free link or of the base."""
    return dict(zip(six(j), (*(-mass * g), *-MS.cross(g)), strict=True))
