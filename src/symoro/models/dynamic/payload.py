"""The torques that hold a payload: Jᵀ of its weight.

The payload is a mass MP at the point (XP, YP, ZP) of the frame of a link, or of a named frame. It is an input of the
model, not a parameter, so that one function serves every payload.
"""

from __future__ import annotations

from symoro.interface import payload
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.constraint import BASE, coordinates
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.kinematic.determinant import tip
from symoro.models.results import by_joint, by_number
from symoro.robot import topology
from symoro.symbols import Symbols


def payload_torques(s: Symbols, link: FrameRef | None) -> list[Result]:
    """Q: what the coordinates that constraints leave need to hold the payload against gravity.

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
        MS = s.R[j] @ MS + s.P[j] * mass  # (K97:29)
    on_base = dict(zip(BASE, (*(-mass * s.g), *-MS.cross(s.g)), strict=True))
    return [_result(s, Q | {k: x for k, x in on_base.items() if k in coordinates(s)})]


def _result(s: Symbols, Q: dict[int, Expr]) -> Result:
    c = constraint_of(s)
    held = c.joint_forces(Q)
    return by_number(s, "Q", held.values()) if c.left[:1] == BASE[:1] else by_joint(s, "Q", held, c.left)
