"""The energy model ∫ q̇ᵀ Γ dt = Δh K (K97:47-54) and its derivative, the power model q̇ᵀ Γ = ḣ K.

The rows h need no accelerations. Friction stores no energy: its power is a separate output hf, which has to be
integrated over time: ∫ q̇ᵀ Γ dt = (h(t₂) − h(t₁)) K + ∫ hf dt K_f. Δh of both ends of a motion is a model of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, total
from symoro.models.dynamic.drives import rotor_row
from symoro.models.families import constraint_of
from symoro.models.identification.columns import (
    INERTIAL,
    Key,
    accelerated,
    drive_column,
    row_result,
    unit_parameters,
    unit_wrench,
)
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.recursion import LinkMotion


def energy_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """h, the energy of each parameter; and hf, the power lost by each friction parameter, if there are any."""

    def taken(key: Key) -> Expr:
        return total(s.graph, (s.qd[j] * x for j, x in drive_column(s, key).items()))

    chosen = selected(s, columns)
    lost = [column for column in chosen if not column.is_conservative]
    results = [row_result(s, "h", (c for c in chosen if c.is_conservative), energies(s), "K97:52")]
    return [*results, row_result(s, "hf", lost, taken, "K97:47")] if lost else results


def energy_of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """The same in the motion that the constraint gives to the open tree: what holds it does no work."""
    return energy_regressor(constraint_of(s).with_velocities, columns)


def difference_of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """DH for a constraint that holds at both ends."""
    start, end = (energies(constraint_of(at).with_velocities) for at in (s, s.end))
    chosen = selected(s, replace(columns, friction=False, offset=False))
    return [row_result(s, "DH", chosen, lambda key: end(key) - start(key), "K97:47")]


def power_of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """dh in the motion that the constraint gives to the open tree."""
    return power_regressor(constraint_of(s).moving, columns)


def energy_difference_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """DH = h(q_end, q̇_end) − h(q, q̇): the energy that each parameter stores between the two ends of a motion.

    There are no columns of friction and offsets: their energy depends on the motion between the ends.
    """
    start, end = energies(s), energies(s.end)
    chosen = selected(s, replace(columns, friction=False, offset=False))
    return [row_result(s, "DH", chosen, lambda key: end(key) - start(key), "K97:47")]


def power_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """dh, the power of each parameter: of the wrench that accelerates its link, or of its drive."""
    motion = accelerated(s)
    for j in s.outward:
        motion.move(j)

    def power(key: Key) -> Expr:
        if key[0] not in INERTIAL:
            return total(s.graph, (s.qd[j] * x for j, x in drive_column(s, key).items()))
        F, N = unit_wrench(motion, key)
        return motion.v[key[1]].dot(F) + motion.w[key[1]].dot(N)

    return [row_result(s, "dh", selected(s, columns), power, "K97:47")]


def energies(s: Symbols) -> Callable[[Key], Expr]:
    """The energy of the robot if one parameter is 1 and the others 0, in the state of these symbols."""
    motion = moved(s)
    g, height = gravity_in_frames(s)

    def energy(key: Key) -> Expr:
        return energy_of(motion, g, height, key) if key[0] in INERTIAL else rotor_energy(s, key)

    return energy


def moved(s: Symbols) -> LinkMotion:
    """Velocities of all links."""
    motion = LinkMotion(s).begin(s.v0, s.w0, s.vd0, s.wd0)
    for j in s.outward:
        motion.turn(j)
        motion.move(j)
    return motion


def gravity_in_frames(s: Symbols) -> tuple[dict[int, Vector], dict[int, Expr]]:
    """The acceleration of gravity in each frame, and gᵀ ⁰P of each frame's origin."""
    g, height = {0: s.g}, {0: s.graph.zero}
    for j in s.outward:
        i = s.parent[j]
        g[j] = s.name("GI", j, s.R[j].T @ g[i])
        height[j] = height[i] + g[i].dot(s.P[j])
    return g, height


def energy_of(motion: LinkMotion, g: dict[int, Vector], height: dict[int, Expr], key: Key) -> Expr:
    """The energy of link j where one of its parameters is 1 and the others 0 (K97:49-52)."""
    letters, j = key
    w, v = motion.w[j], motion.v[j]
    half = motion.s.graph.one / 2
    if letters == "M":
        return half * v.dot(v) - height[j]
    if letters.startswith("M"):
        axis = "XYZ".index(letters[1])
        return v.cross(w)[axis] - g[j][axis]
    a, b = ("XYZ".index(letter) for letter in letters)
    return half * (w[a] * w[a]) if a == b else w[a] * w[b]


def rotor_energy(s: Symbols, key: Key) -> Expr:
    """½ q̇ᵀ A q̇ of the rotors, with one rotor inertia 1."""
    unit = unit_parameters(s, key)
    terms = (s.qd[j] * x * s.qd[k] for j in s.variables for k, x in rotor_row(unit, j).items())
    return s.graph.one / 2 * total(s.graph, terms)
