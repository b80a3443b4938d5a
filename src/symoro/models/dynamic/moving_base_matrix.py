"""The same models through A and H: with a free base, 6 + n equations (K10:83-88); with springs, K10:67-71."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.dynamic.articulated_body import Pair
from symoro.models.dynamic.bias import bias_torques
from symoro.models.dynamic.bodies import Body, as_blocks, rows, wrench_of
from symoro.models.dynamic.composite_body import composite_links
from symoro.models.dynamic.drives import drive_terms, friction_of_joint
from symoro.models.dynamic.elastic import spring
from symoro.models.dynamic.free_motion import FreeMotion
from symoro.models.dynamic.inertia_matrix import columns, unit_wrench, with_rotors
from symoro.models.dynamic.moving_base import floating, results
from symoro.models.dynamic.newton_euler import along_axis
from symoro.models.results import matrix
from symoro.symbols import Symbols

BASE = tuple(range(-6, 0))
"""Stand for v̇x … ω̇z of the base among the indices of joints."""


@dataclass(frozen=True, slots=True)
class System:
    """[0; Γ] = A [𝕍̇_0; q̈] + H (K10:83): `order` are the unknowns, A and H are found under them."""

    order: tuple[int, ...]
    A: dict[tuple[int, int], Expr]
    H: dict[int, Expr]

    def block(self, first: tuple[int, ...], second: tuple[int, ...]) -> list[list[Expr]]:
        """Some rows and columns of A."""
        return [[self.A[i, k] for k in second] for i in first]


def inertia_matrix(s: Symbols) -> list[Result]:
    """A of a robot on a free base, the base's six rows first."""
    return inertia_result(s, (*BASE, *s.movable), free_base_matrix(s))


def inertia_result(s: Symbols, order: tuple[int, ...], A: dict[tuple[int, int], Expr]) -> list[Result]:
    """A with its rows in this order."""
    return [matrix(s, "A", Matrix(s.graph, ((A[i, k] for k in order) for i in order)))]


def free_base_matrix(s: Symbols) -> dict[tuple[int, int], Expr]:
    """A of K10:83."""
    return _matrix(s, _composite(s).J[0])


def bias(s: Symbols) -> list[Result]:
    """H of a robot on a free base, the base's six elements first."""
    return bias_result(s, _bias(s, _composite(s)))


def bias_result(s: Symbols, H: dict[int, Expr]) -> list[Result]:
    """H in its own order."""
    names = tuple(f"H{n}" for n in range(1, len(H) + 1))
    return [Result("H", (len(H),), tuple(s.graph.name(x, n) for x, n in zip(H.values(), names, strict=True)), names)]


def inverse_dynamics(s: Symbols) -> list[Result]:
    """VP0 and QDP from the rows of what moves freely, then GAM from the others."""
    return inverse_of(s, system(s))


def inverse_of(s: Symbols, S: System) -> list[Result]:
    """The inverse model by these equations."""
    free = tuple(k for k in S.order if k not in s.driven)
    given = {j: s.qdd[j] for j in s.driven}
    right = [_pull(s, i) - S.H[i] - total(s.graph, (S.A[i, j] * x for j, x in given.items())) for i in free]
    found = _solution(s, S.block(free, free), right, free)  # (K10:71, 86)
    every = found | given
    GAM = {j: total(s.graph, (S.A[j, k] * every[k] for k in S.order)) + S.H[j] for j in s.driven}  # (K10:68, 87)
    return _results(s, found, GAM)


def direct_dynamics(s: Symbols) -> list[Result]:
    """VP0 and QDP from all rows."""
    return direct_of(s, system(s))


def direct_of(s: Symbols, S: System) -> list[Result]:
    """The direct model by these equations."""
    right = [(s.tau[i] if i in s.driven else _pull(s, i)) - S.H[i] for i in S.order]
    return _results(s, _solution(s, S.block(S.order, S.order), right, S.order))  # (K10:88)


def system(s: Symbols) -> System:
    """The equations of a robot on a base that floats, stands or moves as it is told."""
    if not floating(s):
        A = with_rotors(s, _columns(s))
        full = {(i, k): A.get((i, k)) or A.get((k, i)) or s.graph.zero for i in s.movable for k in s.movable}
        return System(s.movable, full, bias_torques(s))
    motion = _composite(s)
    return System((*BASE, *s.movable), _matrix(s, motion.J[0]), _bias(s, motion))


def _composite(s: Symbols) -> FreeMotion:
    """The recursions with all joints at rest in acceleration: 𝕁_0 of the composite link 0, and its β."""
    motion = FreeMotion(s, {}, dict.fromkeys(s.outward, s.graph.zero), free_base=True)
    motion.outward()
    motion.inward()
    return motion


def _bias(s: Symbols, motion: FreeMotion) -> dict[int, Expr]:
    """H: what acts when no acceleration but that of gravity is there."""
    motion.VP[0] = Pair(-s.g, zeros(s.graph, 3))
    motion.accelerate()
    base = wrench_of(motion.J[0], motion.VP[0]) - motion.beta[0]
    H = dict(zip(BASE, (*base.linear, *base.angular), strict=True))
    for j in s.movable:
        wrench = motion.wrench[j]
        H[j] = total(s.graph, (along_axis(s, j, wrench.linear, wrench.angular), *friction_of_joint(s, j)))
    return H


def tree_forces(s: Symbols) -> dict[int, Expr]:
    """What the open tree asks for at the base and at every joint, springs taken off, in the motion of the letters."""
    motion = FreeMotion(s, {}, dict(s.qdd), free_base=True)
    motion.outward()
    motion.inward()
    motion.VP[0] = Pair(s.vd0 - s.g, s.wd0)
    motion.accelerate()
    base = wrench_of(motion.J[0], motion.VP[0]) - motion.beta[0]
    found = dict(zip(BASE, (*base.linear, *base.angular), strict=True))
    for j in s.movable:
        w = motion.wrench[j]
        found[j] = total(s.graph, (along_axis(s, j, w.linear, w.angular), *drive_terms(s, j), -spring(s, j)))
    return found


def _matrix(s: Symbols, base: Body) -> dict[tuple[int, int], Expr]:
    """A11 is the composite link 0, A22 as on a fixed base, A12 the wrenches of A22's columns on the base (K10:84)."""
    A: dict[tuple[int, int], Expr] = {}
    for i, row in zip(BASE, rows(as_blocks(base)), strict=True):
        A |= {(i, k): x for k, x in zip(BASE, row, strict=True)}
    inner = with_rotors(s, _columns(s))
    A |= {(i, k): inner.get((i, k)) or inner.get((k, i)) or s.graph.zero for i in s.movable for k in s.movable}
    for j, wrench in _on_base(s).items():
        A |= {(i, j): x for i, x in zip(BASE, wrench, strict=True)} | {
            (j, i): x for i, x in zip(BASE, wrench, strict=True)
        }
    return A


def _columns(s: Symbols) -> dict[tuple[int, int], Expr]:
    whole = composite_links(s)
    return columns(s, lambda j: unit_wrench(s, j, whole[j]))


def _on_base(s: Symbols) -> dict[int, Vector]:
    """[f; m] at the origin of frame 0 when joint j alone accelerates, by 1."""
    whole, found = composite_links(s), {}
    for j in s.movable:
        (f, m), k = unit_wrench(s, j, whole[j]), j
        while k != 0:
            f = s.R[k] @ f
            m = s.R[k] @ m + s.P[k].cross(f)
            k = s.parent[k]
        found[j] = Vector(s.graph, (*f, *m))
    return found


def _pull(s: Symbols, i: int) -> Expr:
    """What acts on a free coordinate from outside: a spring; nothing on the base. Friction is in H."""
    return s.graph.zero if i in BASE else spring(s, i)


def _solution(s: Symbols, A: list[list[Expr]], right: list[Expr], unknown: tuple[int, ...]) -> dict[int, Expr]:
    return dict(zip(unknown, s.graph.solve(A, right), strict=True)) if unknown else {}


def _results(s: Symbols, found: dict[int, Expr], GAM: dict[int, Expr] | None = None) -> list[Result]:
    x = Vector(s.graph, (found.get(i, s.graph.zero) for i in BASE))
    free = {j: found[j] for j in s.movable if j in found}
    return results(s, Pair(x[:3] - s.g, x[3:]), free, GAM)
