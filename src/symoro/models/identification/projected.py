"""The dynamic identification model by projection: a column's wrench meets the axes of the joints in its link's frame.

Seen from frame j, joint i before it moves the link by the angular velocity a and the velocity b of the origin, so that
its torque of a wrench (f, m) on the link is a·m + b·f. The wrench of a unit parameter has few elements that are not
zero, and parallel axes have the same a. XX is found from the second moment ∫y² dm, whose wrench is (U₃₂, 0, −U₁₂), as
that column less the column of ZZ. The frames are those of the lean dynamic models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.models.dynamic.lean.frames import Placement, offset, place
from symoro.models.dynamic.lean.layout import Moving
from symoro.models.dynamic.lean.motion import AngularMotion
from symoro.models.dynamic.newton_euler import rotational_moment
from symoro.models.identification.columns import matrix_result
from symoro.models.identification.regrouping import Key
from symoro.models.identification.selection import columns
from symoro.models.identification.structure import INERTIAL
from symoro.models.identification.unit_columns import drive_column, unit_inertia
from symoro.models.recursion import angular
from symoro.symbols import Symbols

Axes = dict[int, tuple[Vector, Vector]]
"""For each joint before a link: its angular velocity and the velocity of the link's origin, for a unit rate."""


@dataclass(frozen=True)
class Seen:
    """A link's motion and the joints before it, in the link's own frame."""

    w: Vector
    wd: Vector
    U: Matrix
    vd: Vector
    axes: Axes

    @cached_property
    def elements(self) -> tuple[Expr, ...]:
        """Everything that is seen: where it is the same, so are the columns."""
        axes = (x for pair in self.axes.values() for v in pair for x in v)
        return (*self.w, *self.wd, *(x for row in self.U for x in row), *self.vd, *axes)


def dynamic_regressor(
    s: Symbols, rotors: bool | None, friction: bool | None, offset: bool | None, layout: Moving
) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    seen = dict(from_links(s, layout))

    def entry(key: Key) -> dict[int, Expr]:
        if key[0] not in INERTIAL:
            return drive_column(s, key)
        link = seen[key[1]]
        known = s.memory.setdefault(
            (dynamic_regressor, link.elements), {}
        )  # the trials of a search have most links alike
        if key not in known:
            known[key] = _inertial(s, key, link, entry)
        column: dict[int, Expr] = known[key]
        return column

    return [matrix_result(s, "D", columns(s, rotors, friction, offset), entry, "K97:39")]


def from_links(s: Symbols, layout: Moving) -> Iterator[tuple[int, Seen]]:
    """Every link's motion and axes."""
    at = place(s, layout)
    motion, vd = {0: AngularMotion.of_base(s)}, {0: s.vd0 - s.g}
    axes: dict[int, Axes] = {0: {}}
    for j in s.outward:
        i, E, a, qdd = s.parent[j], at[j].E, at[j].a, s.qdd[j]
        now = motion[j] = motion[i].next(at, qdd, j, layout.by_rates)
        vsp = vd[i] + motion[i].U @ at[j].P
        vd[j] = E.T @ vsp + s.prismatic[j] * (qdd * a + 2 * now.w.cross(s.qd[j] * a))
        axes[j] = _carried(s, at[j], axes[i], j)
        back, frame = at[j].spin.T, offset(s, j, layout.slid)
        w, wd = back @ now.w, back @ now.wd
        U = now.U if not at[j].spin.turns else angular(s, w, wd, j)
        turned = {k: (back @ x, back @ y) for k, (x, y) in axes[j].items()}
        yield j, Seen(w, wd, U, back @ vd[j] + U @ frame, {k: (x, y + x.cross(frame)) for k, (x, y) in turned.items()})


def _carried(s: Symbols, at: Placement, before: Axes, j: int) -> Axes:
    """The axes before link j in its frame of evaluation, its own joint's among them."""
    axes = {k: (at.E.T @ a, at.E.T @ (b + a.cross(at.P))) for k, (a, b) in before.items()}
    if j in s.movable:
        nothing = zeros(s.graph, 3)
        axes[j] = (at.a, nothing) if s.revolute[j] else (nothing, at.a)
    return axes


def _inertial(s: Symbols, key: Key, seen: Seen, entry) -> dict[int, Expr]:  # type: ignore[no-untyped-def]
    """The torques of one inertial parameter of a link."""
    name, j = key
    if name == "XX":
        U = seen.U
        square = Vector(s.graph, (U[2, 1], 0, -U[0, 1]))  # the wrench of ∫y² dm
        zz = entry(("ZZ", j))
        return {k: a.dot(square) - zz[k] for k, (a, _) in seen.axes.items()}
    M, MS, J = unit_inertia(s, name)
    F = M * seen.vd + seen.U @ MS  # (K97:15)
    N = rotational_moment(s, J, seen.w, seen.wd, seen.U, j) + MS.cross(seen.vd)  # (K97:16)
    return {k: a.dot(N) + b.dot(F) for k, (a, b) in seen.axes.items()}
