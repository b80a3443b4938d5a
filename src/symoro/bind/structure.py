"""The structure of a robot: its links and joints in order, and the names of its symbols."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from symoro.lazy import lazy
from symoro.robot import topology
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import Symbol, symbols

_INPUT = re.compile(r"(QP|QDP|GAM|[FC][XYZ]|VP?|WP?)\d+|Q[XYZW]")
"""The usual names of inputs other than positions."""


@dataclass(frozen=True)
class Structure:
    """What follows from a robot's description alone. Joints and links are named by their index; 0 is the base."""

    robot: Robot

    @lazy
    def outward(self) -> tuple[int, ...]:
        """The links from the base to the tips."""
        return tuple(j.index for j in topology.outward(self.robot))

    @lazy
    def inward(self) -> tuple[int, ...]:
        """The links from the tips to the base."""
        return self.outward[::-1]

    @lazy
    def movable(self) -> tuple[int, ...]:
        """The joints that move."""
        return tuple(j.index for j in topology.movable(self.robot))

    @lazy
    def variables(self) -> tuple[int, ...]:
        """The joints with a variable of their own, in the order of q; the other movable joints follow them."""
        return tuple(j.index for j in topology.with_variables(self.robot))

    @lazy
    def active(self) -> tuple[int, ...]:
        """The variables that a motor moves."""
        return tuple(j for j in self.variables if self.robot.joint(j).actuated)

    @lazy
    def beside_legs(self) -> tuple[int, ...]:
        """The variables that belong to no leg, so that they do not follow a platform: all, where there is none."""
        legs = {j for group in self.robot.groups if group.numbered for j in group.joints}
        return tuple(j for j in self.variables if j not in legs)

    @lazy
    def passive(self) -> tuple[int, ...]:
        """The variables without a motor."""
        return tuple(j for j in self.variables if j not in self.active)

    @lazy
    def parent(self) -> dict[int, int]:
        """a(j), the antecedent of frame j."""
        return {j.index: j.parent for j in self.robot.joints}

    @lazy
    def children(self) -> dict[int, tuple[int, ...]]:
        """The links k with a(k) = j."""
        children: dict[int, tuple[int, ...]] = dict.fromkeys((0, *self.outward), ())
        for k in sorted(self.outward):
            children[self.parent[k]] += (k,)
        return children

    @lazy
    def free(self) -> tuple[int, ...]:
        """The links that nothing but closures holds: those of free joints."""
        return self.robot.platforms

    @lazy
    def jointed(self) -> tuple[int, ...]:
        """The links that joints place, from the base to the tips: all but the free ones, which carry nothing."""
        return tuple(j for j in self.outward if j not in self.free)

    @lazy
    def label(self) -> dict[int, str]:
        """What stands for a joint or link in names: its number, legs not counted; in a leg its number there, 2_1; P of
        a platform."""
        legs = {j for group in self.robot.groups if group.numbered for j in group.joints}
        others = (joint.index for joint in self.robot.joints if joint.index not in legs)
        numbers = {j: str(n) for n, j in enumerate((0, *others))}
        return numbers | {j: label for group in self.robot.groups for j, label in group.labels()}

    @lazy
    def revolute(self) -> dict[int, int]:
        """1 for a revolute joint (the papers' σ̄), else 0."""
        return {j.index: int(j.revolute) for j in self.robot.joints}

    @lazy
    def prismatic(self) -> dict[int, int]:
        """1 for a prismatic joint (the papers' σ), else 0."""
        return {j.index: int(j.prismatic) for j in self.robot.joints}

    @lazy
    def parameter_names(self) -> tuple[str, ...]:
        """Every symbol of the robot's tables that is neither a variable nor an input, in order."""
        r = self.robot
        geometry = tuple((j.gamma, j.b, j.alpha, j.d, j.theta, j.r, j.stiffness, j.rest) for j in r.joints)
        tables = (
            geometry,
            r.inertias,
            r.drives,
            r.base.inertia,
            r.base.pose,
            r.base.wheels,
            r.gravity,
            r.frames,
            r.coupling,
            r.closures,
        )
        names = dict.fromkeys(name for value in parameters(tables) for name in sorted(symbols(value)))
        variables = {j.variable for j in r.joints}
        return tuple(name for name in names if name not in variables)

    @lazy
    def _own_wrenches(self) -> frozenset[str]:
        """The symbols of wrenches that can name an input: no other entry, parameter or input has them."""
        tables = ((j, self.robot.wrench(j).items()) for j in range(self.robot.link_count + 1))
        pairs = [(v.name, f"{n}{self.label[j]}") for j, items in tables for n, v in items if isinstance(v, Symbol)]
        once = {name for name, count in Counter(name for name, _ in pairs).items() if count == 1}
        free = once - self._used
        return frozenset(
            name for name, usual in pairs if name in free and (name == usual or not _INPUT.fullmatch(name))
        )

    @lazy
    def _used(self) -> frozenset[str]:
        """The names of the parameters and of the joint variables."""
        return frozenset(self.parameter_names) | {j.variable for j in self.robot.joints if j.variable}

    def _unused(self, name: str) -> str:
        """The name, with an underscore behind it where a parameter has it already."""
        while name in self._used:
            name += "_"
        return name
