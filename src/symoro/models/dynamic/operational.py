"""The dynamics of a link in operational space: Λ ẍ + μ + p = F (Khatib 1987).

ẋ = J u are the rows of a task, all of [v; ω] of a link or v alone, for the velocities u of the coordinates that
constraints leave. With A u̇ + C + Q = Γ and Γ = Jᵀ F,

    Λ = (J A⁻¹ Jᵀ)⁻¹                                     (1)
    μ = Λ (J A⁻¹ C − J̇ u)                                (2)
    p = Λ J A⁻¹ Q                                        (3)

Friction, springs and wrenches are not in μ and p: they act beside Γ. Where J loses rank, J A⁻¹ Jᵀ has no inverse: Λ
grows without bound near such a configuration, and at it the elements are infinite, NaN or very large. Directions in
which the link never moves (rows of J that are zero everywhere) have rows and columns of zeros. Where there are fewer
joints than rows, Λ is the pseudo-inverse: it holds in the directions in which the link can move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, identity, inverse_form, total, zeros
from symoro.models.dynamic.open_tree import forces
from symoro.models.dynamic.open_tree import matrix as tree_matrix
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.kinematic.determinant import tip
from symoro.models.kinematic.motion import acceleration_at
from symoro.models.kinematic.task import HEIGHT, dependent, factors, moving_parts, rotation, task_rows, tree_rows
from symoro.models.recursion import LinkMotion
from symoro.models.results import by_number, matrix
from symoro.robot import topology
from symoro.robot.link import Drive

Rows = list[list[Expr]]


def operational_inertia(s: Symbols, link: FrameRef | None, frame: FrameRef, task: str) -> list[Result]:
    """Λ of the task's rows, in frame r."""
    space = _space(s, tip(s) if link is None else link, frame, task)
    return [_matrix(s, space, HEIGHT[task])]


def operational_dynamics(s: Symbols, link: FrameRef | None, frame: FrameRef, task: str) -> list[Result]:
    """Λ, μ and p of the task's rows, in frame r."""
    target = tip(s) if link is None else link
    space = _space(s, target, frame, task)
    ideal = _ideal(s)
    coasting = constraint_of(ideal).coasting.in_state(g=zeros(s.graph, 3))
    drift = _acceleration(coasting, target, frame)
    C, Q = space.applied(_forces(ideal, coasting)), space.applied(_forces(ideal, ideal.at_rest))
    MU = space.of(C - Vector(s.graph, (drift[n] for n in space.used)))  # (2)
    P = space.of(Q)  # (3)
    height = HEIGHT[task]
    vectors = [by_number(s, name, space.filled(x, height)) for name, x in (("MU", MU), ("P", P))]
    return [_matrix(s, space, height), *vectors]


@dataclass(frozen=True)
class _Space:
    """The rows of J that are not zero, A of the coordinates that are left, and Λ."""

    s: Symbols
    used: list[int]
    A: Rows
    Jt: Rows
    Lambda: Matrix

    def applied(self, f: list[Expr]) -> Vector:
        """J A⁻¹ f."""
        force = inverse_form(self.s.graph, self.A, self.Jt, [[x] for x in f])
        assert force is not None
        return Vector(self.s.graph, (x for (x,) in force))

    def of(self, x: Vector) -> Vector:
        return self.Lambda @ x

    def filled(self, x: Vector, height: int) -> list[Expr]:
        """With zeros in the rows that are left out."""
        known = dict(zip(self.used, x, strict=True))
        return [known.get(n, self.s.graph.zero) for n in range(height)]


def _space(s: Symbols, link: FrameRef, frame: FrameRef, task: str) -> _Space:
    J = task_rows(s, link, frame, task)
    used, columns, rank = moving_parts(s, J, link)
    c = constraint_of(s)
    entries = c.inertia(tree_matrix(s))
    A = [[entries[i, k] for k in c.left] for i in c.left]
    Jt = [list(column) for column in zip(*(J[n] for n in used), strict=True)]
    if rank == len(used):
        Lambda = _inverted(s, A, Jt)
    elif rank == len(columns):
        B = [[row[k] for k in columns] for row in (J[n] for n in used)]
        Lambda = _pseudo_inverted(s, A, B, [_unit(s, len(A))[k] for k in columns])
    else:
        tree = tree_rows(s, link, frame)
        split = factors(s, [tree[n] for n in used], c.G, c.left, rank)
        if split is None:
            raise dependent(s, used, columns, rank)
        Lambda = _pseudo_inverted(s, A, split.B, split.C)
    if Lambda is None:
        raise NotApplicable("dynamics.singular_inertia", robot=s.robot.name)
    return _Space(s, used, A, Jt, Matrix(s.graph, Lambda))


def _inverted(s: Symbols, A: Rows, Jt: Rows) -> Rows | None:
    """(J A⁻¹ Jᵀ)⁻¹ (1)."""
    mobility = inverse_form(s.graph, A, Jt)
    return inverse_form(s.graph, mobility, _unit(s, len(mobility))) if mobility else None


def _pseudo_inverted(s: Symbols, A: Rows, B: Rows, C: Rows) -> Rows | None:
    """The pseudo-inverse of J A⁻¹ Jᵀ with J = B C: B⁺ᵀ S⁻¹ B⁺ with S = C A⁻¹ Cᵀ.

    The columns of B and the rows of C are independent. Where those of J are, C chooses the columns that are not zero.
    """
    columns = [list(column) for column in zip(*B, strict=True)]
    gram = [[total(s.graph, (x * y for x, y in zip(a, b, strict=True))) for b in columns] for a in columns]
    part = inverse_form(s.graph, A, [list(column) for column in zip(*C, strict=True)])
    pseudo = inverse_form(s.graph, gram, _unit(s, len(columns)), columns)
    return inverse_form(s.graph, part, pseudo) if part and pseudo else None


def _unit(s: Symbols, n: int) -> Rows:
    return [list(row) for row in identity(s.graph, n)]


def _matrix(s: Symbols, space: _Space, height: int) -> Result:
    none = [s.graph.zero] * height
    known = {n: space.filled(row, height) for n, row in zip(space.used, space.Lambda, strict=True)}
    return matrix(s, "LAMBDA", Matrix(s.graph, (known.get(n, none) for n in range(height))))


def _forces(s: Symbols, state: Symbols) -> list[Expr]:
    """Gᵀ f of the tree in a state."""
    c = constraint_of(s)
    f = c.forces(forces(state))
    return [f[k] for k in c.left]


def _ideal(s: Symbols) -> Symbols:
    """The robot without friction and springs; its rotors stay. Nothing acts on the environment."""
    robot = s.robot
    drives = tuple(Drive(IA=drive.IA) for drive in robot.drives)
    joints = tuple(replace(joint, elastic=False) for joint in robot.joints)
    return replace(s, robot=replace(robot, drives=drives, joints=joints)).in_state(wrench={})


def _acceleration(moving: Symbols, link: FrameRef, frame: FrameRef) -> Vector:
    """[v̇; ω̇] of the link in frame r, in the motion of the symbols' state."""
    n, pose = carrier(moving.robot, link)
    motion = LinkMotion(moving).begin(moving.v0, moving.w0, moving.vd0, moving.wd0)
    path = [joint.index for joint in topology.path(moving.robot, n)]
    for j in path:
        motion.turn(j)
        motion.accelerate(j)
    linear, angular = acceleration_at(motion, n, bound_pose(moving, pose)[1])
    for j in reversed(path):
        linear, angular = moving.R[j] @ linear, moving.R[j] @ angular
    turn = rotation(moving, frame)
    return Vector(moving.graph, (*(turn @ linear), *(turn @ angular)))
