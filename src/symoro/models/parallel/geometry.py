"""The geometry of a parallel robot as programs: the joints of all legs for a pose, and a step towards given motors."""

from __future__ import annotations

from fractions import Fraction

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, hat, identity
from symoro.models.geometric.inverse.branches import largest
from symoro.models.parallel.letters import T_NAMES, Letters
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.structure import Structure, bound_leg, branch_of, branches_of
from symoro.robot import topology


def leg_positions(letters: Letters, found: Structure) -> list[Result]:
    """Of each branch: the joints QL of all legs, OK where a leg has the branch, and ERR, how far its end is away.

    Of a leg without a closed form it is the branch of the models alone.
    """
    robot, g = letters.robot, letters.graph
    counts = [len(branches_of(letters, i)) or 1 for i in range(len(robot.legs))]
    Q: list[Expr] = []
    ok: list[Expr] = []
    error: list[Expr] = []
    for b in range(max(counts)):
        for i, count in enumerate(counts):
            number = min(b, count - 1) if branches_of(letters, i) else found.branches[i]
            leg = bound_leg(letters, i, number, found.chosen[i])
            exists = branch_of(letters, i, number, found.chosen[i]).ok if b < count else g.zero
            Q += [leg.s.q[j] for j in leg.s.variables]
            ok.append(exists)
            error.append(largest(map(abs, leg.residual)))
    rows, legs = max(counts), len(counts)
    joints = [f"Q{j.index}_{i + 1}" for i, leg in enumerate(robot.legs) for j in topology.with_variables(leg)]
    return [
        Result("QL", (rows, len(joints)), tuple(Q), tuple(f"{n}_{b}" for b in range(rows) for n in joints)),
        Result("OK", (rows, legs), tuple(ok), tuple(f"OK{i + 1}_{b}" for b in range(rows) for i in range(legs))),
        Result("ERR", (rows, legs), tuple(error), tuple(f"ERR{i + 1}_{b}" for b in range(rows) for i in range(legs))),
    ]


def missing_motions(m: Mechanism) -> list[Expr]:
    """How far the motors are from their wanted positions; of an angle x, 2 tan(x/2) = 2 sin x / (1 + cos x)."""
    found = []
    for (i, j), wanted in zip(m.of.robot.motors, m.of.target, strict=True):
        s = m.legs[i].s
        if j not in s.turned:
            found.append(wanted - s.q[j])
            continue
        angle = s.bind(s.robot.joint(j).theta, {str(s.robot.joint(j).variable): wanted})
        (c, x), cosine, sine = s.turned[j], m.graph.cos(angle), m.graph.sin(angle)
        found.append(2 * (sine * c - cosine * x) / (m.graph.one + cosine * c + sine * x))
    return found


def loop_step(m: Mechanism) -> list[Result]:
    """A step of Newton's method on the motors, and how far motors and constraints were away before it."""
    R, p, errors = _moved(m)
    elements = [x for row, y in zip(R, p, strict=True) for x in (*row, y)]
    names = tuple(f"{name}N" for row in T_NAMES for name in row)
    last = (m.graph.zero, m.graph.zero, m.graph.zero, m.graph.one)
    return [
        Result("TN", (4, 4), (*elements, *last), names),
        Result("EQ", (), (largest(map(abs, errors)),), ("EQ",)),
    ]


def tracking_step(m: Mechanism) -> list[Result]:
    """The step as a function of one array X: the motors' positions, then the first three rows of the pose.

    XN is X after the step, E what motors and constraints were away, and FIT is positive where R is a rotation.
    """
    g = m.graph
    R, p, errors = _moved(m)
    elements = (*m.of.target, *(x for row, y in zip(R, p, strict=True) for x in (*row, y)))
    away = [x - int(i == k) for i, row in enumerate(m.of.R.T @ m.of.R) for k, x in enumerate(row) if k >= i]
    fit = g.constant(Fraction(1, 10**5)) - largest(map(abs, away))
    return [
        Result("XN", (len(elements),), elements, tuple(f"X{k}N" for k in range(1, len(elements) + 1))),
        Result("E", (len(errors),), tuple(errors), tuple(f"E{k}" for k in range(1, len(errors) + 1))),
        Result("FIT", (1,), (fit,), ("FIT",)),
    ]


def _moved(m: Mechanism) -> tuple[Matrix, Vector, list[Expr]]:
    """R and p after the step [D; C] δ = [q − q(T); −E]; and what was missing before it.

    The rotation by δ is Cayley's: (1 − ω̂/2)⁻¹ (1 + ω̂/2), which needs no sine.
    """
    m.require_held()
    g, robot = m.graph, m.of.robot
    E = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    missing = missing_motions(m)
    rows = [*m.D, *m.C]
    right = [*missing, *(-E[k] for k in m.structure.kept)]
    A = Matrix(g, rows)
    if len(rows) != 6:
        A, right = A.T @ A, list(A.T @ Vector(g, right))
    found = solve(g, [list(row) for row in A], [[x] for x in right])
    if found is None:
        raise NotApplicable(f"the motors of {robot.name} do not hold its platform in any pose")
    step = [row[0] for row in found]
    p, half = m.of.p + Vector(g, step[:3]), Vector(g, step[3:]) * (g.one / 2)
    K = hat(half)
    turn = identity(g, 3) + (2 / (g.one + half.dot(half))) * (K + K @ K)
    return turn @ m.of.R, p, [*missing, *E]
