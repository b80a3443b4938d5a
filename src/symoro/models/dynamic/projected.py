"""Parts of the dynamics of robots with constraints or a floating base: those of the open tree, projected (K10:55).

The torques H_c of `bias` are the sum of these parts: gravity, Coriolis, friction, springs and external wrenches.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, total, zeros
from symoro.models.constraint import BASE, at_variables
from symoro.models.dynamic.composite_links import composite_moments
from symoro.models.dynamic.constrained import by_coordinate, by_motor
from symoro.models.dynamic.drives import friction_of_joint, rotor_row
from symoro.models.dynamic.newton_euler import link_torques, link_wrenches, rotational_moment
from symoro.models.dynamic.statics import gravity_torques
from symoro.models.families import constraint_of
from symoro.models.recursion import angular
from symoro.models.results import by_joint


def gravity(s: Symbols, space: str = "platform") -> list[Result]:
    """Gᵀ Q, with Q by Newton-Euler when nothing moves (K97:23)."""
    return [held(s, link_forces(s.at_rest), space)]


def held(s: Symbols, Q: dict[int, Expr], space: str) -> Result:
    """Q of the open tree at the coordinates that are left, or at the motors."""
    c, needed = constraint_of(s), at_variables(s, Q)
    if space == "motors":
        return by_motor(c, "Q", c.at_motors(needed))
    return by_coordinate(c, "Q", c.forces(needed))


def gravity_by_composite_links(s: Symbols, space: str = "platform") -> list[Result]:
    """Gᵀ Q, with the weights of composite links at their centres of mass (L91:58); link 0 carries all others."""
    whole = composite_moments(s)
    M, MS = s.M[0], s.MS[0]
    for k in s.children[0]:
        M, MS = M + whole[k][0], MS + s.R[k] @ whole[k][1] + s.P[k] * whole[k][0]
    base = dict(zip(BASE, (*(-(M * s.g)), *s.g.cross(MS)), strict=True))
    return [held(s, base | gravity_torques(s), space)]


def coriolis_torques(s: Symbols) -> list[Result]:
    """Γ of velocities alone, without gravity, drives and wrenches; rotors of dependent joints accelerate.

    A base with a given motion stands still. A floating base moves with V0; its acceleration VP0 is 0.
    """
    c, none = constraint_of(s), zeros(s.graph, 6)
    alone = c.coasting.in_state(g=none[:3], wrench={})
    if not s.robot.base.free:
        alone = alone.in_state(V0=none, VP0=none)
    forces = at_variables(s, link_forces(alone))
    for j in s.variables:
        forces[j] = forces[j] + total(s.graph, (x * alone.qdd[k] for k, x in rotor_row(s, j).items()))
    return [by_coordinate(c, "CQP", c.forces(forces))]


def friction(s: Symbols) -> list[Result]:
    """Gᵀ Γ_f: the friction of a passive joint acts on the motors that move it."""
    c = constraint_of(s)
    moving = c.with_velocities
    GAMF = c.at_motors({j: total(s.graph, friction_of_joint(moving, j)) for j in s.variables})
    return [by_joint(s, "GAMF", GAMF, tuple(j for j in c.torque_rows if j > 0))]


def link_forces(s: Symbols) -> dict[int, Expr]:
    """What the links need at every coordinate of the open tree, without drives and springs."""
    joints = link_torques(s)
    return dict(zip(BASE, _base_wrench(s), strict=True)) | joints if s.robot.base.free else joints


def _base_wrench(s: Symbols) -> Vector:
    """[f; m] that a base whose motion is unknown needs, at the origin of frame 0 (K97:15-19)."""
    wrenches = {j: (f, m) for j, f, m in link_wrenches(s)}
    U, vd = angular(s, s.w0, s.wd0, 0), s.vd0 - s.g
    f = s.M[0] * vd + U @ s.MS[0] + s.force[0]
    m = rotational_moment(s, s.J[0], s.w0, s.wd0, U, 0) + s.MS[0].cross(vd) + s.moment[0]
    for k in s.children[0]:
        fk, mk = wrenches[k]
        fi = s.R[k] @ fk
        f, m = f + fi, m + s.R[k] @ mk + s.P[k].cross(fi)
    return Vector(s.graph, (*f, *m))
