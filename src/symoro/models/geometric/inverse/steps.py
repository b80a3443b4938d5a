"""The steps of a derivation: each one finds joints from those before it, with all its roots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.geometric.inverse import types
from symoro.models.geometric.inverse.chain import ScrewChain
from symoro.models.geometric.inverse.loop import ChainLoop, Goal, Values, View
from symoro.models.geometric.inverse.probe import (
    DIMENSION,
    Component,
    EliminationPair,
    ExprPolynomial,
    Source,
    SquaredLength,
    known,
    unknown,
)
from symoro.models.geometric.inverse.types import (
    DOUBLE,
    EMPTY,
    NEARLY_EMPTY,
    TANGENT,
    Root,
    at_most,
    both,
    circle_roots,
    either,
    line_roots,
    opposite,
    positive,
    quotient,
    unit,
)

# The steps of a derivation: each one finds joints from those before it, with all its roots.


# Two angles that turn one direction into another: the step that solves a wrist.
#
# Rz(θj) M Rz(θx) w = b with unit vectors w and b. The z component has θx only, K + X S + Y C = b_z. A cosine alone
# gives an angle near 0 with half of the digits. Therefore, with ρ² = X² + Y² and ψ the angle between θx and atan2(X,
# Y), half angles are used: 2ρ sin²(ψ/2) = K + ρ − b_z and 2ρ cos²(ψ/2) = b_z − K + ρ. Where K + ρ is 1, the first right
# side is 1 − b_z = (b_x² + b_y²) / (1 + b_z), which has all digits; the second is treated in the same way.


@dataclass(frozen=True, slots=True)
class Cone:
    """K + X S + Y C = b_z; `top` says that K + ρ is 1, `bottom` that K − ρ is −1, whatever the pose is."""

    X: Expr
    Y: Expr
    K: Expr
    b: tuple[Expr, Expr, Expr]
    top: bool
    bottom: bool


def tilt(cone: Cone, near: tuple[Expr, Expr]) -> Iterator[Root]:
    """The two roots θx; free is 1 where the direction does not depend on it."""
    g = cone.X.graph
    c0, s0, rho = unit(cone.Y, cone.X)
    cosine, sine, exists = _angle(cone, rho)
    c, s, _ = unit(cosine, sine)
    empty = at_most(rho, EMPTY * g.one) if rho.constant is None else g.zero
    flat = at_most(_across(cone), EMPTY**2 * g.one) if cone.top or cone.bottom else g.zero
    twice = both(at_most(s * s, DOUBLE * g.one), opposite(at_most(_across(cone), 100 * DOUBLE * g.one)))
    exact = cone.top and cone.bottom  # then ψ has all digits, however small it is
    weak = g.zero if exact else at_most(s * s, NEARLY_EMPTY**2 * g.one)
    if rho.constant is None:
        weak = weak + at_most(rho, NEARLY_EMPTY * g.one)
    s = g.select(twice, g.zero, s)  # the middle of two roots that are one has all digits
    for sign in (1, -1):
        C, S = c0 * c - sign * (s0 * s), s0 * c + sign * (c0 * s)
        value = g.select(empty, near[0], C), g.select(empty, near[1], S)
        once = g.one if sign > 0 else opposite(either(either(twice, flat), empty))
        yield Root(value, both(once, either(empty, exists)), empty if sign > 0 else g.zero, weak)


def _across(cone: Cone) -> Expr:
    """b_x² + b_y²."""
    x, y, _ = cone.b
    return x * x + y * y


def _angle(cone: Cone, rho: Expr) -> tuple[Expr, Expr, Expr]:
    """Cosine and sine of ψ up to a factor, and whether ψ exists."""
    g, z = rho.graph, cone.b[2]
    if cone.top and cone.bottom:  # K = 0 and ρ = 1: b_z is the cosine, and the length of (b_x, b_y) the sine
        return z, g.sqrt(_across(cone)), g.one
    up, down = cone.K + rho - z, z - cone.K + rho
    if cone.top:
        up = g.select(g.less(z, g.zero), 1 - z, quotient(_across(cone), 1 + z))
    if cone.bottom:
        down = g.select(g.less(z, g.zero), quotient(_across(cone), 1 - z), 1 + z)
    exists = both(at_most(-TANGENT * g.one, up), at_most(-TANGENT * g.one, down))
    up, down = positive(up), positive(down)
    return down - up, 2 * g.sqrt(up * down), exists


# Three prismatic joints, all revolute ones known: three linear equations for their positions.
#
# A r = B says that the slides, along the unit vectors in the columns of A, reach the wanted position. Elimination with
# pivoting needs no divisor that can vanish while A is regular. Where the three directions are in a plane, det A = 0,
# and the slides move along the null vector n of A without moving the end. With mᵀA = 0, the matrix of cofactors is c m
# nᵀ, so that A + cof(A) is regular, and (A + cof(A)) Δr = B − A r0 has n·Δr = 0: the solution is the one nearest to r0.


#: A determinant below this is rounding only. Above it, slides that go far reach poses that a plane does not contain.
_FLAT = 1e-13


@dataclass(frozen=True, slots=True)
class ThreeSlidesStep:
    """The step that finds three prismatic joints; in the view, all of them are on the way along the chain."""

    view: View
    slides: tuple[int, int, int]

    joints = property(lambda self: self.slides)
    branches = 1
    type = "1 (three equations)"

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        left, right = place.loop.both(self.view, place.goal, place.values(values, *self.slides))
        rows = [a - b for a, b in zip(left.p, right.p, strict=True)]
        matrix = {
            f"A{k}{n}": row.coefficient(f"r{j}") for k, row in enumerate(rows, 1) for n, j in enumerate(self.slides, 1)
        }
        return matrix | {f"B{k}": -row.coefficient() for k, row in enumerate(rows, 1)}

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        c, g = self.coefficients(place, values), place.length.graph
        A = Matrix(g, ([c[f"A{k}{n}"] for n in (1, 2, 3)] for k in (1, 2, 3)))
        B = Vector(g, (c[f"B{k}"] for k in (1, 2, 3)))
        cofactors = _cofactors(A)
        volume = abs(A.rows[0].dot(cofactors.rows[0]))
        flat, weak = at_most(volume, _FLAT * g.one), at_most(volume, NEARLY_EMPTY * g.one)
        near = Vector(g, (g.select(flat, place.near[j][0], g.zero) for j in self.slides))
        regular = [
            [a + g.select(flat, b, g.zero) for a, b in zip(*rows, strict=True)]
            for rows in zip(A.rows, cofactors.rows, strict=True)
        ]
        steps = g.solve(regular, list(B - A @ near))
        yield {
            j: Root((near[n] + steps[n],), g.one, both(flat, _moves(cofactors.column(n))), weak if n == 0 else None)
            for n, j in enumerate(self.slides)
        }


def _cofactors(A: Matrix) -> Matrix:
    a, b, c = A.rows
    return Matrix(A.graph, (b.cross(c), c.cross(a), a.cross(b)))


def _moves(column: Vector) -> Expr:
    """1 where the null vector has this joint: its square is a part of the sum of the cofactors' squares."""
    g = column.graph
    return g.less(EMPTY * g.one, total(g, (x * x for x in column)))


# The steps of a derivation: each one finds one or two joints from those before it, with all its roots.


RootsByJoint = Mapping[int, Root]
ValuesByJoint = Mapping[int, tuple[Expr, ...]]
Pair = tuple[Expr, Expr]


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step can use: the loop with polynomials, the wanted pose, and what to take for an angle that is free."""

    loop: ChainLoop
    goal: Goal
    length: Expr
    near: Mapping[int, tuple[Expr, ...]]
    angle: Expr | None = None
    """The arm angle, where it is given."""
    widened: float = 1.0
    """How much larger than usual an equation may be that leaves its unknown free."""

    def values(self, solved: ValuesByJoint, *unknowns: int) -> Values:
        """Solved joints as they are, unknowns as unknowns; all others are at zero, because the equation has none."""
        graph = self.length.graph
        values: dict[int, tuple[ExprPolynomial, ...]] = {}
        for axis in self.loop.chain.axes:
            j = axis.joint
            if j in unknowns:
                values[j] = tuple(unknown(graph, f"{name}{j}") for name in (("r",) if axis.prismatic else ("C", "S")))
            else:
                at_rest = (graph.zero,) if axis.prismatic else (graph.one, graph.zero)
                values[j] = tuple(known(x) for x in solved.get(j, at_rest))
        return values

    def scale(self, dimension: int) -> Expr:
        """The natural size of a quantity: a power of the arm's length."""
        return self.widened * self.length**dimension


@dataclass(frozen=True, slots=True)
class OneUnknownStep:
    """An equation in one unknown: of the angle, of degree 1 or 2 in sine and cosine; or of r, of degree 1, 2 or 4.

    `varies` says that the divisor of a root depends on the pose, so that digits are lost where it is small.
    """

    source: Source
    joint: int
    prismatic: bool
    degree: int
    varies: bool = False

    @property
    def joints(self) -> tuple[int, ...]:
        return (self.joint,)

    @property
    def branches(self) -> int:
        return {1: 1, 2: 2}.get(self.degree, 4) if self.prismatic else 2 * self.degree

    @property
    def loses_digits(self) -> bool:
        """Whether the pose is wrong, too, where an angle or a length is ill-conditioned."""
        return isinstance(self.source, EliminationPair) or (self.prismatic and self.degree == 1 and self.varies)

    @property
    def type(self) -> str:
        if self.degree > 2 - (not self.prismatic):
            return "9"
        if isinstance(self.source, SquaredLength):
            return ("4" if self.prismatic else "8") if self.source.together else "5" if self.prismatic else "7"
        return ("1" if self.degree == 1 else "quadratic") if self.prismatic else "2"

    def equation(self, place: StepContext, values: ValuesByJoint) -> ExprPolynomial:
        zero = self.source.zero(place.loop, place.goal, place.values(values, self.joint))
        assert isinstance(zero, ExprPolynomial)
        return zero

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        """The coefficients by their letters in the type's formula."""
        f, j = self.equation(place, values).coefficient, self.joint
        if self.prismatic:
            powers = [f(*([f"r{j}"] * k)) for k in range(5)]
            letters = {1: "BA", 2: "CBA"}.get(self.degree, "EDCBA")
            return dict(zip(letters, powers, strict=False))
        C, S = f"C{j}", f"S{j}"
        if self.degree == 1:  # C² and S² have the same coefficient, and C S has none
            return {"X": f(S), "Y": f(C), "Z": -(f() + f(C, C))}
        return {"M11": f(C, C), "M12": f(C, S) / 2, "M22": f(S, S), "m1": f(C) / 2, "m2": f(S) / 2, "k": f()}

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        c = self.coefficients(place, values)
        near, scale = place.near[self.joint], self._scale(place)
        roots: Iterator[Root] | list[Root]
        if self.prismatic:
            roots = (
                types.linear(c["A"], c["B"], scale) if self.degree == 1
                else types.quadratic(c["A"], c["B"] / 2, c["C"]) if self.degree == 2
                else line_roots([c[letter] for letter in "ABCDE"])
            )  # fmt: skip
        elif self.degree == 1:
            D = self._discriminant(place, values, c["X"], c["Y"])
            roots = types.sine_and_cosine(c["X"], c["Y"], c["Z"], scale, (near[0], near[1]), D)
        else:
            roots = circle_roots((c["M11"], c["M12"], c["M22"]), (c["m1"], c["m2"]), c["k"])
        yield from ({self.joint: root} for root in roots)

    def _scale(self, place: StepContext) -> Expr:
        """The natural size of the coefficients; those of an elimination are products, which have none."""
        eliminated = isinstance(self.source, EliminationPair)
        return place.length.graph.zero if eliminated else place.scale(self.source.dimension)

    def _discriminant(self, place: StepContext, values: ValuesByJoint, X: Expr, Y: Expr) -> Expr | None:
        """D = X² + Y² − Z² of an arm with the squared length K + X S + Y C, which must be ρ²: Z = ρ² − K.

        With B = √(X² + Y²), D = (K + B − ρ²) (ρ² − (K − B)). This form has all digits where the arm is nearly folded:
        the smallest squared length, K − B, is a constant, and ρ² is a sum of squares.
        """
        if not isinstance(self.source, SquaredLength):
            return None
        arm, other = self.source.sides(place.loop, place.goal, place.values(values, self.joint))
        square, B = other.coefficient(), X.graph.sqrt(X * X + Y * Y)
        K = arm.coefficient() + arm.coefficient(f"C{self.joint}", f"C{self.joint}")
        D: Expr = types.nonzero(K + B - square, K + B) * types.nonzero(square - (K - B), square)
        return D


@dataclass(frozen=True, slots=True)
class RotatedUnknown:
    """Type 3 with orthogonal equations: the joint turns one known vector into another."""

    view: View
    vector: str
    joint: int

    joints = property(lambda self: (self.joint,))
    branches = 1
    type = "3"

    def vectors(self, place: StepContext, values: ValuesByJoint) -> tuple[Pair, Pair]:
        """a and b of Rz(θ) a = b; seen from the other end, the joint turns b into a."""
        left, right = place.loop.both(self.view, place.goal, place.values(values))
        a, b = (_known(getattr(figure, self.vector)) for figure in (left, right))
        return ((a[0], a[1]), (b[0], b[1])) if self.view.outward else ((b[0], b[1]), (a[0], a[1]))

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        (a1, a2), (b1, b2) = self.vectors(place, values)
        return {"a1": a1, "a2": a2, "b1": b1, "b2": b2}

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        a, b = self.vectors(place, values)
        near = place.near[self.joint]
        yield {self.joint: types.rotation(a, b, place.scale(DIMENSION[self.vector]), (near[0], near[1]))}


@dataclass(frozen=True, slots=True)
class TwoAngleStep:
    """Type 3: two equations in the sine and cosine of one angle."""

    first: Component
    second: Component
    joint: int

    joints = property(lambda self: (self.joint,))
    branches = 1
    type = "3"

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        coefficients: dict[str, Expr] = {}
        for number, component in (("1", self.first), ("2", self.second)):
            of_equation = OneUnknownStep(component, self.joint, False, 1).coefficients(place, values)
            coefficients |= {letter + number: x for letter, x in zip("ABD", of_equation.values(), strict=True)}
        return coefficients

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        c = self.coefficients(place, values)
        scale = place.scale(self.first.dimension + self.second.dimension)
        near = place.near[self.joint]
        rows = [(c["A" + n], c["B" + n], c["D" + n]) for n in "12"]
        yield {self.joint: types.two_equations(rows[0], rows[1], scale, (near[0], near[1]))}


@dataclass(frozen=True, slots=True)
class DirectionStep:
    """Two angles that turn one direction into another."""

    view: View
    vector: str
    joint: int
    tilted: int
    top: bool
    bottom: bool

    joints = property(lambda self: (self.tilted, self.joint))
    branches = 2
    type = "direction"

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        left, right = place.loop.both(self.view, place.goal, place.values(values, self.tilted))
        f, b = getattr(left, self.vector)[2], getattr(right, self.vector)
        if not _has(f, self.tilted):  # the tilt is on the other way
            f, b = b[2], getattr(left, self.vector)
        C, S = f"C{self.tilted}", f"S{self.tilted}"
        parts = {"X": f.coefficient(S), "Y": f.coefficient(C), "K": f.coefficient()}
        return parts | dict(zip(("b1", "b2", "b3"), _known(b), strict=True))

    def turned(self, place: StepContext, values: ValuesByJoint) -> tuple[Pair, Pair]:
        """The vector that the joint turns, and what it becomes, once the tilt is found."""
        return RotatedUnknown(self.view, self.vector, self.joint).vectors(place, values)

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        c = self.coefficients(place, values)
        cone = Cone(c["X"], c["Y"], c["K"], (c["b1"], c["b2"], c["b3"]), self.top, self.bottom)
        near = place.near[self.tilted]
        for root in tilt(cone, (near[0], near[1])):
            now = {**values, self.tilted: root.value}
            yield {self.tilted: root, **next(RotatedUnknown(self.view, self.vector, self.joint).roots(place, now))}


def _known(vector: tuple[ExprPolynomial, ...]) -> tuple[Expr, Expr, Expr]:
    x, y, z = (part.coefficient() for part in vector)
    return x, y, z


def _has(f: ExprPolynomial, joint: int) -> bool:
    return any(name == f"C{joint}" or name == f"S{joint}" for monomial in f.terms for name in monomial)


class SolutionStep(Protocol):
    """What a derivation is made of."""

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that it finds."""

    @property
    def branches(self) -> int:
        """The number of its roots."""

    @property
    def type(self) -> str:
        """The type of its equation."""

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        """What the equation is made of, by the letters of its formula."""

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
        """Every root, for the joints found before."""


# The arm angle of a 7R arm with spherical shoulder and wrist: where the elbow is on its circle.
#
# Shoulder S, elbow E and wrist W are points of the arm: the axes 1 to 3 meet in S, 3 to 5 in E, 5 to 7 in W. For a
# given pose, E can turn about the line from S to W. The arm angle ψ is the angle of the plane S E W from the plane of
# that line and axis 1 (K. Kreutz-Delgado, M. Long and H. Seraji, Int. J. Robotics Research 11, 1992).


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

    def coefficients(self, place: StepContext, values: ValuesByJoint) -> dict[str, Expr]:
        left, _ = place.loop.both(_UPPER_ARM, place.goal, place.values(values, self.tilted))
        f, (b1, b2, b3) = left.a[2], self.direction(place)
        C, S = f"C{self.tilted}", f"S{self.tilted}"
        return {"X": f.coefficient(S), "Y": f.coefficient(C), "K": f.coefficient(), "b1": b1, "b2": b2, "b3": b3}

    def turned(self, place: StepContext, values: ValuesByJoint) -> tuple[Pair, Pair]:
        """The vector that joint 1 turns, and what it becomes, once joint 2 is found."""
        b1, b2, _ = self.direction(place)
        return self._upper_arm(place, values), (b1, b2)

    def _upper_arm(self, place: StepContext, values: ValuesByJoint) -> Pair:
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

    def roots(self, place: StepContext, values: ValuesByJoint) -> Iterator[RootsByJoint]:
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
