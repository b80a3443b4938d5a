"""Robots whose joint coordinates are functions of variables, and their torques by SymPy and a plain robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from symoro.robot.joint import Joint
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import Bindings, Symbol, as_value, to_text

Array = np.ndarray[Any, np.dtype[np.float64]]
#: Forms of a coordinate; {q} is the joint's own variable, {p} that of another joint.
OWN = ("-{q}", "{q} + 1/3", "2*{q}", "NG*{q} - pi/4", "-{q}/3", "{q} + sin({q})/4", "{q}^2 + {q}")
COUPLED = ("{q} - {p}", "{q} + {p}/2", "-{q} + NG*{p}", "{q} + {q}*{p}/5")
FOLLOWING = ("2*{p}", "-{p}", "NG*{p} + 1/5", "sin({p})")


def with_functions(
    robot: Robot,
    seed: int,
    follows: Callable[[Joint], bool] = lambda joint: True,
    own: Callable[[Joint], tuple[str, ...]] = lambda joint: (*OWN, *COUPLED),
) -> Robot:
    """The robot with random coordinates in its tree; no joint has a coupling, springs stay with variables.

    `follows` says which joints may have no variable of their own, and `own` which forms the others may have.
    """
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    owners: list[str] = []
    drives = list(robot.drives)
    for joint in robot.joints:
        if not joint.movable or joint.index > robot.link_count:
            joints.append(joint)
            continue
        forms = [form for form in own(joint) if owners or "{p}" not in form]
        forms += FOLLOWING if owners and follows(joint) else ()
        form = forms[rng.integers(len(forms))]
        other = owners[rng.integers(len(owners))] if owners else ""
        value = as_value(form.format(q=joint.variable, p=other))
        following = "{q}" not in form
        moving: dict[str, Any] = {joint.moving: value, "variable": None if following else joint.variable}
        joints.append(replace(joint, **moving, actuated=joint.actuated and not following))
        if following:
            drives[joint.index - 1] = Drive()
        else:
            owners.append(str(joint.variable))
    values = Bindings({**robot.values, "NG": as_value(1.7)})
    return replace(robot, joints=tuple(joints), drives=tuple(drives), values=values, coupling=())


@dataclass(frozen=True)
class Map:
    """x = f(q) of a robot's joint coordinates, with its first and second derivatives, by SymPy."""

    robot: Robot

    def __post_init__(self) -> None:
        owners = [j for j in self.robot.joints[: self.robot.link_count] if j.variable]
        moving = [j for j in self.robot.joints[: self.robot.link_count] if j.movable]
        q = [sympy.Symbol(str(j.variable)) for j in owners]
        numbers = {sympy.Symbol("NG"): 1.7}
        x = [sympy.sympify(to_text(j.position).replace("^", "**")).subs(numbers) for j in moving]
        F = sympy.Matrix(x).jacobian(q)
        rates = sympy.symbols(f"v0:{len(q)}")
        curve = (F * sympy.Matrix(rates)).jacobian(q) * sympy.Matrix(rates)
        object.__setattr__(self, "_x", sympy.lambdify([q], x))
        object.__setattr__(self, "_F", sympy.lambdify([q], F))
        object.__setattr__(self, "_curve", sympy.lambdify([q, rates], curve))

    def x(self, q: Array) -> Array:
        return np.array(self._x(q), dtype=float)  # type: ignore[attr-defined]

    def F(self, q: Array) -> Array:
        return np.array(self._F(q), dtype=float).reshape(-1, len(q))  # type: ignore[attr-defined]

    def curve(self, q: Array, qd: Array) -> Array:
        return np.array(self._curve(q, qd), dtype=float).ravel()  # type: ignore[attr-defined]


def plain(robot: Robot) -> Robot:
    """The same links with a variable for each joint, and no drives and springs."""
    joints = tuple(_plain_joint(joint) if joint.movable else joint for joint in robot.joints)
    return replace(robot, joints=joints, drives=tuple(Drive() for _ in robot.drives))


def _plain_joint(joint: Joint) -> Joint:
    name = f"x{joint.index}"
    moving: dict[str, Any] = {joint.moving: Symbol(name), "variable": name}
    return replace(joint, elastic=False, actuated=True, **moving)
