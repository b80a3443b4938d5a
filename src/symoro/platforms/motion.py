"""Programs of a platform that moves: what its motors do, and the motion that its legs allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector
from symoro.ir.program import Program
from symoro.models.geometric.inverse.branches import largest
from symoro.models.parallel.build import inputs, parameters
from symoro.models.parallel.dynamics import Motion
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.singularities import matrices
from symoro.robot.parallel import ParallelRobot


def motors_of_motion(robot: ParallelRobot) -> Program:
    """QA, QP and QDP: positions, velocities and accelerations of the motors for T, V and VP (K10:61)."""
    m = Mechanism.made(robot, Graph(), None)
    legs = Motion(m, m.of.V, m.of.VP).legs
    found = {
        "QA": [legs[i].s.q[j] for i, j in robot.motors],
        "QP": [legs[i].s.qd[j] for i, j in robot.motors],
        "QDP": [legs[i].s.qdd[j] for i, j in robot.motors],
    }
    return _program(m, ("T", "V", "VP"), found)


def joints_of_pose(robot: ParallelRobot) -> Program:
    """QL: the variables of all joints of all legs for a pose T of the platform."""
    m = Mechanism.made(robot, Graph(), None)
    return _program(m, ("T",), {"QL": [leg.s.q[j] for leg in m.legs for j in leg.s.variables]})


def allowed_motion(robot: ParallelRobot) -> Program | None:
    """DX and VN for T and V beside the motions that the legs allow; None where they allow every motion.

    DX is a step [translation; rotation vector] of Newton's method to a pose that closes the legs: C DX + E = 0. VN has
    the independent components of V, and the others that follow from them. It is that of the pose T: put T right first.
    """
    m = Mechanism.made(robot, Graph(), None)
    if not m.reduced:
        return None
    E = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    step = m.particular([E[k] for k in m.structure.kept])
    v = Vector(m.graph, (m.of.V[k] for k in m.structure.independent))
    return _program(m, ("T", "V"), {"DX": list(step), "VN": list(m.S @ v)})


def open_legs(robot: ParallelRobot) -> Program:
    """APART: how far the ends of the legs are from a platform at T; 0 where all legs close."""
    m = Mechanism.made(robot, Graph(), None)
    return _program(m, ("T",), {"APART": [largest(abs(x) for leg in m.legs for x in leg.residual)]})


def joint_rows(robot: ParallelRobot) -> Program:
    """B and S: the joints of all legs move by B V (K10:61), and V = S v for the motions that the legs allow."""
    m = Mechanism.made(robot, Graph(), None)
    B = [x for leg in m.legs for j in leg.s.variables for x in leg.row_of(j)]
    return _program(m, ("T",), {"B": B, "S": [x for row in m.S for x in row]})


def singular_matrices(robot: ParallelRobot) -> Program:
    """X: the matrices whose condition numbers `PlatformSingularities` gives, one after the other."""
    m = Mechanism.made(robot, Graph(), None)
    return _program(m, ("T",), {"X": matrices(m)})


def _program(m: Mechanism, given: tuple[str, ...], found: Mapping[str, Sequence[Expr]]) -> Program:
    results = [
        Result(name, (len(x),), tuple(x), tuple(f"{name}_{k}" for k in range(1, len(x) + 1)))
        for name, x in found.items()
    ]
    return extract(m.graph, inputs(m.of, given), parameters(m.of), results)
