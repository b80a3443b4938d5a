"""The arm angle of a 7R arm with spherical shoulder and wrist: where the elbow is on its circle.

Shoulder S, elbow E and wrist W are points of the arm: the axes 1 to 3 meet in S, 3 to 5 in E, 5 to 7 in W. For a given
pose, E can turn about the line from S to W. The arm angle ψ is the angle of the plane S E W from the plane of that line
and axis 1 (K. Kreutz-Delgado, M. Long and H. Seraji, Int. J. Robotics Research 11, 1992).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector
from symoro.models.geometric.inverse import types
from symoro.models.geometric.inverse.chain import ScrewChain
from symoro.models.geometric.inverse.loop import View
from symoro.models.geometric.inverse.steps import Cone, Found, Known, Pair, StepContext, tilt

#: The axis of joint 3, before it moves, seen from the shoulder.
_UPPER_ARM = View(True, 0, 4)


@dataclass(frozen=True, slots=True)
class Elbow:
    """The step that finds joints 1 and 2 from the arm angle: they turn the z axis to the direction of the upper arm."""

    joint: int
    tilted: int
    upper: Expr
    fore: Expr

    branches = 2
    type = "arm angle"

    @property
    def joints(self) -> tuple[int, ...]:
        return self.tilted, self.joint

    def coefficients(self, place: StepContext, values: Known) -> dict[str, Expr]:
        left, _ = place.loop.both(_UPPER_ARM, place.goal, place.values(values, self.tilted))
        f, (b1, b2, b3) = left.a[2], self.direction(place)
        C, S = f"C{self.tilted}", f"S{self.tilted}"
        return {"X": f.coefficient(S), "Y": f.coefficient(C), "K": f.coefficient(), "b1": b1, "b2": b2, "b3": b3}

    def turned(self, place: StepContext, values: Known) -> tuple[Pair, Pair]:
        """The vector that joint 1 turns, and what it becomes, once joint 2 is found."""
        b1, b2, _ = self.direction(place)
        return self._upper_arm(place, values), (b1, b2)

    def _upper_arm(self, place: StepContext, values: Known) -> Pair:
        """The x and y components of the z axis with joint 1 at zero."""
        left, _ = place.loop.both(_UPPER_ARM, place.goal, place.values(values))
        return left.a[0].coefficient(), left.a[1].coefficient()

    def direction(self, place: StepContext) -> Vector:
        """The unit vector from the shoulder to the elbow, in the directions of U, for the wrist at p.

        With the lengths a and b of the arm and L = |p|, u = p / L: y ∥ u × z, x = y × u, where z is axis 1, and
        E − S = a (cos η u + sin η (cos ψ x + sin ψ y)), 2 a L cos η = L² + a² − b².
        """
        a, b, psi = self.upper, self.fore, place.angle
        assert psi is not None
        g = psi.graph
        p = Vector(g, (x.coefficient() for x in place.goal[1]))
        square = p.dot(p)
        L = g.sqrt(square)
        u = Vector(g, (types.quotient(x, L) for x in p))
        across, other = u.cross(Vector(g, (0, 0, 1))), u.cross(Vector(g, (1, 0, 0)))
        upright = types.at_most(across.dot(across), types.EMPTY * g.one)
        side = Vector(g, (g.select(upright, x, y) for x, y in zip(other, across, strict=True)))
        length = g.sqrt(side.dot(side))
        y = Vector(g, (types.quotient(x, length) for x in side))
        sine = g.sqrt(types.positive(((a + b) * (a + b) - square) * (square - (a - b) * (a - b))))
        c, s, _ = types.unit(square + a * a - b * b, sine)
        return u * c + (y.cross(u) * g.cos(psi) + y * g.sin(psi)) * (s * g.sign(a))

    def roots(self, place: StepContext, values: Known) -> Iterator[Found]:
        c = self.coefficients(place, values)
        b = c["b1"], c["b2"], c["b3"]
        near = place.near[self.tilted], place.near[self.joint]
        for root in tilt(Cone(c["X"], c["Y"], c["K"], b, True, True), (near[0][0], near[0][1])):
            turned = self._upper_arm(place, {**values, self.tilted: root.value})
            one = place.length.graph.one
            yield {
                self.tilted: root,
                self.joint: types.rotation(turned, (b[0], b[1]), one, (near[1][0], near[1][1])),
            }


def elbow(chain: ScrewChain) -> Elbow:
    """The step of an arm with seven revolute joints; an error that says why it has no arm angle."""
    name, axes = chain.symbols.robot.name, chain.axes
    if len(axes) != 7 or any(axis.prismatic for axis in axes):
        raise NotApplicable("geometry.no_arm_angle", robot=name)
    right_angles = all(
        len(link) == 1 and link[0].shift.is_zero and chain.symbols.graph.cos(link[0].turn).is_zero
        for link in chain.links
    )
    if not right_angles or not all(axes[k].constant.is_zero for k in (1, 3, 5)):
        raise NotApplicable("geometry.arm_angle_axes", robot=name)
    return Elbow(axes[0].joint, axes[1].joint, axes[2].constant, axes[4].constant)
