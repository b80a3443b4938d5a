"""The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39), by unit parameters and by projection of wrenches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.lazy import lazy
from symoro.models.constraint import Constraint
from symoro.models.dynamic.lean.frames import EvaluationFrame, offset, place
from symoro.models.dynamic.lean.layout import MotionLayout
from symoro.models.dynamic.lean.motion import AngularMotion
from symoro.models.dynamic.newton_euler import rotational_moment
from symoro.models.families import constraint_of
from symoro.models.identification.columns import INERTIAL, Key, drive_column, matrix_result, torques, unit_inertia
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.recursion import angular
from symoro.models.results import remembered

# The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39), without the wrenches of links and springs.
#
# A column is the inverse dynamic model with one parameter 1 and the others 0.


def dynamic_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    return [matrix_result(s, "D", selected(s, columns), torques(s), "K97:39")]


def of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """D_c = Gᵀ D_tr (K10:55), with a row for each coordinate that is left; the six rows of a floating base come first.

    With a floating base it is [0; Γ] = D K (K10:83).
    """
    c = constraint_of(s)
    c.prepare_torques()
    column = projected(c, torques(c.moving))
    return [matrix_result(s, "D", selected(s, columns), column, "K10:55, K10:83", c.torque_rows)]


def projected(c: Constraint, column: Callable[[Key], Mapping[int, Expr]]) -> Callable[[Key], dict[int, Expr]]:
    """Columns of an open tree at the coordinates that are left."""
    return lambda key: c.torques(column(key))


# The dynamic identification model by projection of a column's wrench onto the joint axes, in the frame of its link.
#
# In frame j a joint i before link j gives the link the angular velocity a and the velocity b of the origin. So its
# torque for a wrench (f, m) on the link is a·m + b·f. The wrench of a unit parameter has few elements that are not
# zero, and parallel axes have the same a. The column of XX is the column of the second moment ∫y² dm, whose wrench is
# (U₃₂, 0, −U₁₂), minus the column of ZZ. The frames are those of the lean dynamic models.


Axes = dict[int, tuple[Vector, Vector]]
"""For each joint before a link: its angular velocity and the velocity of the link's origin, for a unit rate."""


@dataclass(frozen=True, eq=False)
class SeenLink:
    """A link's motion and the joints before it, in the link's own frame. Equal expressions make equal motions."""

    w: Vector
    wd: Vector
    U: Matrix
    vd: Vector
    axes: Axes

    @lazy
    def _elements(self) -> tuple[Expr, ...]:
        axes = (x for pair in self.axes.values() for v in pair for x in v)
        return (*self.w, *self.wd, *(x for row in self.U for x in row), *self.vd, *axes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeenLink) and self._elements == other._elements and [*self.axes] == [*other.axes]

    def __hash__(self) -> int:
        return hash(self._elements)


def by_projection(s: Symbols, columns: Columns, layout: MotionLayout) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    motions = dict(link_motions(s, layout))

    def entry(key: Key) -> dict[int, Expr]:
        return inertial_column(s, key, motions[key[1]]) if key[0] in INERTIAL else drive_column(s, key)

    return [matrix_result(s, "D", selected(s, columns), entry, "K97:39")]


def link_motions(s: Symbols, layout: MotionLayout) -> Iterator[tuple[int, SeenLink]]:
    """The motion of every link."""
    at = place(s, layout)
    motion, vd = {0: AngularMotion.of_base(s)}, {0: s.vd0 - s.g}
    axes: dict[int, Axes] = {0: {}}
    for j in s.outward:
        i, E, a, qdd = s.parent[j], at[j].E, at[j].a, s.acceleration[j]
        now = motion[j] = motion[i].next(at, qdd, j, layout.by_rates)
        vsp = vd[i] + motion[i].U @ at[j].P
        vd[j] = E.T @ vsp + s.prismatic[j] * (qdd * a + 2 * now.w.cross(s.rate[j] * a))
        axes[j] = _carried(s, at[j], axes[i], j)
        back, frame = at[j].spin.T, offset(s, j, layout.slid)
        w, wd = back @ now.w, back @ now.wd
        U = now.U if not at[j].spin.turns else angular(s, w, wd, j)
        turned = {k: (back @ x, back @ y) for k, (x, y) in axes[j].items()}
        at_origin = {k: (x, y + x.cross(frame)) for k, (x, y) in turned.items()}
        yield j, SeenLink(w, wd, U, back @ vd[j] + U @ frame, at_origin)


def _carried(s: Symbols, at: EvaluationFrame, before: Axes, j: int) -> Axes:
    """The joint axes before link j in its frame of evaluation, its own joint's included."""
    axes = {k: (at.E.T @ a, at.E.T @ (b + a.cross(at.P))) for k, (a, b) in before.items()}
    if j in s.movable:
        nothing = zeros(s.graph, 3)
        axes[j] = (at.a, nothing) if s.revolute[j] else (nothing, at.a)
    return axes


@remembered
def inertial_column(s: Symbols, key: Key, link: SeenLink) -> dict[int, Expr]:
    """The torques of one inertial parameter of a link. The trials of a search share most of them."""
    name, j = key
    if name == "XX":
        U = link.U
        square = Vector(s.graph, (U[2, 1], 0, -U[0, 1]))  # the wrench of ∫y² dm
        zz = inertial_column(s, ("ZZ", j), link)
        return {k: a.dot(square) - zz[k] for k, (a, _) in link.axes.items()}
    M, MS, J = unit_inertia(s, name)
    F = M * link.vd + link.U @ MS  # (K97:15)
    N = rotational_moment(s, J, link.w, link.wd, link.U, j) + MS.cross(link.vd)  # (K97:16)
    return {k: a.dot(N) + b.dot(F) for k, (a, b) in link.axes.items()}
