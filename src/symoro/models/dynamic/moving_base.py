"""Dynamics of robots of which the base, or some joints, move freely: models that find those motions too (K10 §§ 6, 7).

The inverse model takes the accelerations of the driven joints and gives their torques, with the accelerations of the
base (VP0) and of the free joints (QDP). The direct model gives all accelerations. VP0 is the acceleration of the
origin of frame 0, not the derivative of the components of V0: v̇ of the components is VP0 − ω × v.
"""

from __future__ import annotations

from itertools import chain

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.models.dynamic.articulated_body import Spatial
from symoro.models.dynamic.drives import drive_terms, friction_of_joint, spring
from symoro.models.dynamic.free_motion import FreeMotion
from symoro.models.dynamic.newton_euler import along_axis
from symoro.models.results import base_motion, by_joint
from symoro.robot.base import BaseKind
from symoro.symbols import Symbols


def inverse_dynamics(s: Symbols) -> list[Result]:
    """VP0 of a free base, QDP of the free joints, GAM of the driven ones."""
    motion = FreeMotion(s, {j: passive_torque(s, j) for j in s.free}, _given(s), floating(s)).run()
    GAM = {j: _torque(s, j, motion.wrench[j]) for j in s.driven}
    return results(s, motion.VP[0], free={j: motion.qdd[j] for j in s.free}, GAM=GAM)


def direct_dynamics(s: Symbols) -> list[Result]:
    """VP0 of a free base and QDP of all joints."""
    torque = {j: passive_torque(s, j) for j in s.free}
    torque |= {j: s.tau[j] - total(s.graph, friction_of_joint(s, j)) for j in s.driven}  # (K10:44, 106)
    motion = FreeMotion(s, torque, _given(s), floating(s)).run()
    return results(s, motion.VP[0], free={j: motion.qdd[j] for j in s.movable})


def floating(s: Symbols) -> bool:
    """Whether the base moves freely in space."""
    return s.robot.base.kind is BaseKind.FLOATING


def passive_torque(s: Symbols, j: int) -> Expr:
    """What acts on a joint without a motor: its spring and its friction (K10:69 and the remark of § 6.2)."""
    return spring(s, j) - total(s.graph, friction_of_joint(s, j))


def _given(s: Symbols) -> dict[int, Expr]:
    return {j: s.qdd[j] for j in s.outward}


def _torque(s: Symbols, j: int, wrench: Spatial) -> Expr:
    """Γ of a driven joint."""
    axial = along_axis(s, j, wrench.linear, wrench.angular)
    return total(s.graph, chain([axial], drive_terms(s, j)))  # (K10:82, 100)


def results(s: Symbols, base: Spatial, free: dict[int, Expr], GAM: dict[int, Expr] | None = None) -> list[Result]:
    """VP0 where the base is free, QDP where joints are, GAM where torques are asked for."""
    found = []
    if floating(s):
        v, w = base.linear + s.g, base.angular
        found.append(base_motion("VP0", (*s.name("VP", 0, v), *s.name("WP", 0, w))))
    if free:
        found.append(by_joint(s, "QDP", free, sorted(free)))
    return found + ([by_joint(s, "GAM", GAM, sorted(GAM))] if GAM else [])
