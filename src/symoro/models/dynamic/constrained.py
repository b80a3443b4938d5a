"""Dynamics of robots that are not trees with a motor in each joint: an open tree, projected by its constraint.

The coordinates that the constraint leaves have the equations A_c v̇ + H_c = Γ (K10:55-58, 67-71, 83-88). Γ is the torque
of the motor of an active joint. At passive joints and at a base whose motion is unknown Γ is 0, and their accelerations
are found by the model. Robots without a constraint, with passive joints or a floating base, are the case G = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symoro.bind.symbols import PLATFORM_ACCELERATION, Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.constraint import BASE, Constraint, Entries, Row
from symoro.models.dynamic.lean.layout import InertiaLayout, RecursionLayout, SystemLayout, layouts, system_layouts
from symoro.models.dynamic.open_tree import forces, forces_on_free_base, matrix
from symoro.models.families import constraint_of
from symoro.models.recursion import six
from symoro.models.results import base_motion, by_joint, by_number
from symoro.models.results import matrix as matrix_result

#: With more joints and no constraint, the recursion needs fewer operations, and the matrix takes long to write.
LONG = 25


def inverse_dynamics(s: Symbols, layout: RecursionLayout | SystemLayout | None = None) -> list[Result]:
    """Accelerations of the coordinates without motors, GAM of the motors."""
    c = constraint_of(s)
    if not c.without_motor:
        return [*_base(c, {}), by_joint(s, "GAM", c.at_motors(forces(c.moving, _for_forces(layout))), s.active)]
    assert layout is None or isinstance(layout, SystemLayout)
    E = equations(s, layout)
    accelerations = _passive_accelerations(c, E)
    every = {**accelerations, **c.input_accelerations}
    needed = {
        j: total(s.graph, (E.A[j, k] * every[k] for k in c.left)) + E.H[j] for j in c.input_accelerations
    }  # (K10:68, 87)
    GAM = c.holding(needed)
    return [*as_results(c, accelerations), *([by_joint(s, "GAM", GAM, s.active)] if GAM else [])]


def inverse_dynamics_on_free_base(s: Symbols) -> list[Result]:
    """The same where nothing but the base is without motors: its acceleration follows by recursion (K10 § 7.2)."""
    c = constraint_of(s)
    if c.without_motor != BASE:
        raise NotApplicable("dynamics.not_a_free_base", robot=s.robot.name)
    VP0, f = forces_on_free_base(c.moving)
    return [*as_results(c, dict(zip(BASE, VP0, strict=True))), by_joint(s, "GAM", c.at_motors(f), s.active)]


def direct_dynamics(s: Symbols, layout: SystemLayout | None = None) -> list[Result]:
    """Accelerations of all coordinates that are left, for the torques of the motors."""
    return as_results(constraint_of(s), direct_accelerations(s, layout))


def direct_accelerations(s: Symbols, layout: SystemLayout | None = None) -> dict[int, Expr]:
    """v̇ = A_c⁻¹ (Γ − H_c) of all coordinates that are left (K10:58, 88)."""
    c, E = constraint_of(s), equations(s, layout)
    pushed = c.of_motors(s.tau)
    right = [pushed[i] - E.H[i] if i in pushed else -E.H[i] for i in c.left]
    return _solved(s, E, c.left, right)


def inertia_matrix(s: Symbols, layout: InertiaLayout | None = None, space: str = "platform") -> list[Result]:
    """A_c (K10:58); the six rows of a floating base come first. `space` "motors": at the motors of a platform."""
    c = constraint_of(s)
    at_motors = space == "motors"
    A = (c.inertia_of_motors if at_motors else c.inertia)(matrix(s, layout))
    order = tuple(c.torque_rows) if at_motors else c.left
    rows = Matrix(s.graph, ((A[i, k] for k in order) for i in order))
    return [matrix_result(s, "A", rows, (order, order) if all(k > 0 for k in order) and not s.free else None)]


def bias(s: Symbols, layout: RecursionLayout | None = None, space: str = "platform") -> list[Result]:
    """H_c (K10:58); the six elements of a floating base come first.

    Springs are no part of H in a tree. Where a constraint projects the torques, those of springs are projected, too.
    """
    c = constraint_of(s)
    if space == "motors":
        return [by_motor(c, "H", c.at_motors(forces(c.without_motor_accelerations, layout)))]
    return [by_coordinate(c, "H", c.forces(forces(c.coasting, layout, springs=bool(c.dependent))))]


def by_coordinate(c: Constraint, name: str, values: Mapping[int, Expr]) -> Result:
    """A vector with an element for each coordinate that is left; the six of a floating base come first."""
    known = all(k > 0 for k in c.left)
    return by_joint(c.s, name, values, c.left) if known else by_number(c.s, name, values.values())


def by_motor(c: Constraint, name: str, values: Mapping[int, Expr]) -> Result:
    """A vector with an element for each motor; the six of a floating base come first."""
    rows = tuple(c.torque_rows)
    known = all(k > 0 for k in rows)
    return by_joint(c.s, name, values, rows) if known else by_number(c.s, name, (values[k] for k in rows))


def inverse_layouts(s: Symbols) -> Iterable[RecursionLayout | SystemLayout]:
    """Where a search for the inverse model begins: it needs A only where accelerations are unknown."""
    return system_layouts(s) if constraint_of(s).without_motor else layouts(s)


@dataclass(frozen=True, slots=True)
class MotionEquations:
    """A_c v̇ + H_c = Γ in the coordinates that are left."""

    A: Entries
    H: dict[int, Expr]


def equations(s: Symbols, layout: SystemLayout | None = None) -> MotionEquations:
    """A_c = Gᵀ A G, and H_c for no acceleration of the coordinates that are left."""
    c = constraint_of(s)
    if layout and not c.dependent and len(s.movable) > LONG:
        raise NotApplicable("dynamics.too_long", robot=s.robot.name, most=LONG)
    A = matrix(s, layout.A if layout else None)
    return MotionEquations(c.inertia(A), c.forces(_coasting_forces(c, A, layout.H if layout else None)))


def _coasting_forces(c: Constraint, A: Entries, layout: RecursionLayout | None) -> dict[int, Expr]:
    """What the open tree needs where the coordinates that are left do not accelerate.

    A free link that the constraint then turns about one or two axes of frame 0 needs A x for it, which is shorter than
    the recursion: in the frame of the link, x has three components. Rows of a base whose motion is unknown would need
    A x, too; there the recursion is shorter.
    """
    coasting, graph = c.coasting, c.s.graph
    VP, x = dict(coasting.state.VP), dict[int, Expr]()
    for j in () if c.s.robot.base.free else c.s.free:
        about = {k: a for k, a in zip(six(j)[3:], VP[j][3:], strict=True) if not a.is_zero}
        if 0 < len(about) < 3:
            x |= about
            VP[j] = Vector(graph, (*VP[j][:3], *zeros(graph, 3)))
    if not x:
        return forces(coasting, layout)
    f = forces(coasting.in_state(VP=VP), layout)
    return {i: total(graph, (y, *(A[i, k] * a for k, a in x.items()))) for i, y in f.items()}


def in_found_motion(s: Symbols) -> Symbols:
    """The open tree in the motion of the inverse model, the accelerations that it finds included."""
    c = constraint_of(s)
    if not c.without_motor:
        return c.moving
    return with_accelerations(c, _passive_accelerations(c, equations(s)))


def with_accelerations(c: Constraint, accelerations: dict[int, Expr]) -> Symbols:
    """The open tree in the motion of the inputs and of accelerations that a model has found."""
    moving = c.in_motion(c.s.qdd | {k: x for k, x in accelerations.items() if k not in BASE})
    return moving.in_state(VP0=_of_base(c.s, accelerations)) if _has_base(c) else moving


def _passive_accelerations(c: Constraint, E: MotionEquations) -> dict[int, Expr]:
    """The accelerations of the coordinates without motors, for given ones of the others (K10:71, 86)."""
    s = c.s
    right = [
        -(E.H[i] + total(s.graph, (E.A[i, j] * x for j, x in c.input_accelerations.items()))) for i in c.without_motor
    ]
    return _solved(s, E, c.without_motor, right)


def _solved(s: Symbols, E: MotionEquations, unknown: tuple[int, ...], right: list[Expr]) -> dict[int, Expr]:
    rows = [[E.A[i, k] for k in unknown] for i in unknown]
    return dict(zip(unknown, s.graph.solve(rows, right), strict=True)) if unknown else {}


def _for_forces(layout: RecursionLayout | SystemLayout | None) -> RecursionLayout | None:
    return layout.H if isinstance(layout, SystemLayout) else layout


def _has_base(c: Constraint) -> bool:
    return BASE[0] in c.left


def as_results(c: Constraint, accelerations: dict[int, Expr]) -> list[Result]:
    """VP0 of a floating base, or V0 and VP0 that wheels give to theirs, then QDP of joints, or VP of a platform."""
    s, joints = c.s, _joints(accelerations)
    platform = [Result("VP", (6,), tuple(VP), PLATFORM_ACCELERATION) for VP in _of_platforms(c, accelerations)]
    if _has_base(c):
        VP0 = _of_base(s, accelerations)
        base = [base_motion("VP0", (*s.name("VP", 0, VP0[:3]), *s.name("WP", 0, VP0[3:])))]
    else:
        base = _base(c, joints)
    return [*base, *([by_joint(s, "QDP", joints, sorted(joints))] if joints else []), *platform]


def _of_platforms(c: Constraint, accelerations: dict[int, Expr]) -> Iterator[Vector]:
    """VP of each free link whose acceleration was found, with the components that the constraint determines."""
    for j in c.s.free:
        if any(k in accelerations for k in six(j)):
            every = c.accelerations(accelerations)
            yield Vector(c.s.graph, (every[k] for k in six(j)))


def _joints(accelerations: dict[int, Expr]) -> dict[int, Expr]:
    return {j: x for j, x in accelerations.items() if j > 0}


def _of_base(s: Symbols, accelerations: dict[int, Expr]) -> Vector:
    return Vector(s.graph, (accelerations[k] for k in BASE))


def _base(c: Constraint, joints: Row) -> list[Result]:
    """V0 and VP0 where the constraint gives them, for these accelerations of joints."""
    if BASE[0] not in c.dependent:
        return []
    moving = c.in_motion({**c.s.qdd, **joints}) if joints else c.moving
    return [base_motion("V0", moving.state.V0), base_motion("VP0", moving.state.VP0)]
