"""The drives and springs at the joints: rotor inertia, friction, stiffness, coupled motors (K13 §§ 7.3.4-7.3.7).

Without a coupling, the drive's parameters are those seen at the joint: IA is N² times the rotor's inertia (K13:7.29).
With one, q̇ = Jqm q̇m (K13:7.31), they are those of the motors, in the motors' coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, total
from symoro.models.results import by_joint


def drive_terms(s: Symbols, j: int) -> Iterator[Expr]:
    """What the drives add to the torque of joint j: IA q̈, then friction (K97:20, K13:7.28); 0 at a fixed joint."""
    if j in s.variables:
        yield from (x * s.qdd[k] for k, x in rotor_row(s, j).items())
        yield from friction_of_joint(s, j)


def rotor_row(s: Symbols, j: int) -> dict[int, Expr]:
    """Row j of the rotors' inertia matrix in the joints' coordinates: joint -> element that is not zero."""
    if not s.robot.coupling:
        return {j: s.drive("IA", j)}
    N = motor_ratios(s)
    column = s.variables.index(j)
    row = {
        k: total(s.graph, (N[i, column] * s.drive("IA", m) * N[i, c] for i, m in enumerate(s.variables)))
        for c, k in enumerate(s.variables)
    }
    return {k: x for k, x in row.items() if not x.is_zero}


def own_rotor(s: Symbols, j: int) -> Expr:
    """IA of joint j, for algorithms that take one joint at a time."""
    row = rotor_row(s, j)
    if any(k != j for k in row):
        raise NotApplicable("dynamics.coupled_rotors", robot=s.robot.name)
    return row.get(j, s.graph.zero)


def friction(s: Symbols) -> list[Result]:
    """The friction torque of each joint, GAMF (K13:7.26)."""
    return [by_joint(s, "GAMF", {j: total(s.graph, friction_of_joint(s, j)) for j in s.variables})]


def friction_of_joint(s: Symbols, j: int) -> Iterator[Expr]:
    """The terms of the friction torque at joint j."""
    if not s.robot.coupling:
        yield from friction_terms(s, j, s.qd[j])
        return
    N = motor_ratios(s)
    column = s.variables.index(j)
    for i, m in enumerate(s.variables):
        if not N[i, column].is_zero:
            yield N[i, column] * total(s.graph, friction_terms(s, m, motor_speed(s, N, i)))


def motor_speed(s: Symbols, N: Matrix, i: int) -> Expr:
    """q̇m of motor i."""
    return total(s.graph, (N[i, c] * s.qd[k] for c, k in enumerate(s.variables)))


def coupling(s: Symbols) -> Matrix:
    """Jqm of q̇ = Jqm q̇m (K13:7.31)."""
    return Matrix(s.graph, ((s.bind(x) for x in row) for row in s.robot.coupling))


def motor_ratios(s: Symbols) -> Matrix:
    """N of q̇m = N q̇: the inverse of the coupling matrix, by elimination. It takes parameters only, so it is setup."""
    n = len(s.variables)
    left = [list(row) for row in coupling(s)]
    right = [[s.graph.constant(int(i == k)) for k in range(n)] for i in range(n)]
    for column in range(n):
        pivot = _pivot(s, left, column)
        for rows in (left, right):
            rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = left[column][column]
        for rows in (left, right):
            rows[column] = [x / scale for x in rows[column]]
        for i in range(n):
            factor = left[i][column]
            if i != column and not factor.is_zero:
                for rows in (left, right):
                    rows[i] = [x - factor * y for x, y in zip(rows[i], rows[column], strict=True)]
    return Matrix(s.graph, right)


def _pivot(s: Symbols, rows: list[list[Expr]], column: int) -> int:
    """A row whose element is a number, else one that is not zero."""
    pivots = [i for i in range(column, len(rows)) if not rows[i][column].is_zero]
    if not pivots:
        raise NotApplicable("dynamics.singular_coupling", robot=s.robot.name)
    return min(pivots, key=lambda i: rows[i][column].constant is None)


def friction_terms(s: Symbols, j: int, v: Expr) -> Iterator[Expr]:
    """The terms of the friction of drive j at velocity v; those of absent parameters are 0.

    FV v + FS sign v is K97:20. FA makes Coulomb friction FS + FA forward and FS − FA backward, FO is a constant, FST
    the static friction, which fades to FS with the velocity as exp(−BST |v|) (K13:7.26).
    """
    FV, FS, FA, FO, FST, BST = (s.drive(name, j) for name in ("FV", "FS", "FA", "FO", "FST", "BST"))
    sign, speed = direction(s, j, v)
    yield FV * v
    yield FS * sign
    yield FA * (sign * sign)
    yield FO
    if not FST.is_zero:
        yield (FST - FS) * (sign * s.graph.apply(Op.EXP, -(BST * speed)))


def direction(s: Symbols, j: int, v: Expr) -> tuple[Expr, Expr]:
    """sign v and |v|; with a smoothing velocity VS, v/√(v² + VS²) and v²/√(v² + VS²), which have derivatives."""
    VS = s.drive("VS", j)
    if VS.is_zero:
        return s.graph.sign(v), abs(v)
    smooth = v / s.graph.sqrt(v * v + VS * VS)
    return smooth, v * smooth


def spring(s: Symbols, j: int) -> Expr:
    """The torque of the spring of joint j: −K (q − q₀) (K10:69, 70); 0 where there is none."""
    joint = s.robot.joint(j)
    if not joint.elastic:
        return s.graph.zero
    return -(s.bind(joint.stiffness) * (s.q[j] - s.bind(joint.rest)))
