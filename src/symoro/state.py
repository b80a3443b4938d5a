"""The state and motion in which a model is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector


@dataclass(frozen=True, slots=True)
class State:
    """Positions, velocities, accelerations, gravity and wrenches, as expressions.

    A model of the inputs is written in the state of the inputs. Gravity torques, Coriolis torques or the motion that
    closed loops give to passive joints are the same equations in a state of which some fields are replaced.
    """

    q: Mapping[int, Expr]
    """The variable of each joint that has one."""
    qd: dict[int, Expr]
    """The velocity of each variable; 0 for a joint without one."""
    qdd: dict[int, Expr]
    """The acceleration of each variable; 0 for a joint without one."""
    V0: Vector
    """Velocity [linear; angular] of the base in frame 0."""
    VP0: Vector
    """Acceleration [linear; angular] of the base in frame 0, without gravity."""
    g: Vector
    """The acceleration of gravity in frame 0."""
    wrench: Mapping[int, Vector]
    """[f; m] on the environment, of each link that has one."""
    suffix: str = ""
    """Stands behind the names of intermediate variables of this state."""
