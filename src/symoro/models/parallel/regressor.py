"""The dynamic identification model of a parallel robot: Γ = D K, with a column for each parameter (K97:39, K10:66)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.meaning import Meaning
from symoro.models.dynamic.newton_euler import rotational_moment
from symoro.models.identification.base.tree.regrouping import tree_base_set
from symoro.models.identification.columns import Column, own_column
from symoro.models.identification.parameters import FRICTION, OFFSET, own_value
from symoro.models.identification.unit_columns import torques, unit_inertia
from symoro.models.parallel.dynamics import Motion, platform_jacobian
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.letters import INERTIAL
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.recursion import angular
from symoro.robot.values import Symbol, is_zero
from symoro.vocabulary import PARAMETERS


@dataclass(frozen=True, slots=True)
class PlatformColumn:
    """The torques of the motors for a parameter that is 1; `leg` is 0 for the platform."""

    name: str
    letters: str
    leg: int
    elements: tuple[Expr, ...]


def dynamic_regressor(m: Mechanism, alike: bool) -> list[Result]:
    """D, with a row for each motor; `alike`: the same parameters of all legs share one column."""
    found = list(columns(m, Motion(m, m.of.V, m.of.VP)))
    chosen = shared(m, found) if alike else found
    motors = m.of.robot.motors
    elements, names, meanings = [], [], []
    for k in range(len(motors)):
        for column in chosen:
            elements.append(column.elements[k])
            names.append(f"D{k + 1}_{column.name}")
            text, unit = PARAMETERS[column.letters]
            meanings.append(Meaning(f"{column.name}: {text.format(j='j of a leg' if column.leg else 'p')}", unit))
    return [Result("D", (len(motors), len(chosen)), tuple(elements), tuple(names), tuple(meanings))]


def columns(m: Mechanism, motion: Motion) -> Iterator[PlatformColumn]:
    """The columns of the platform, then those of each leg; base parameters where the mechanism is regrouped."""
    onto_motors = platform_jacobian(m).T
    for name in INERTIAL:
        value = getattr(m.of.robot.platform, name)
        if not is_zero(value):
            label = value.name if isinstance(value, Symbol) else f"{name}{'R' * m.base}P"
            yield PlatformColumn(label, name, 0, tuple(onto_motors @ _platform_wrench(m, motion, name)))
    for i, leg in enumerate(motion.legs):
        N, column = _projection(m, leg, onto_motors), torques(leg.s)
        for chosen in _leg_columns(leg):
            yield PlatformColumn(_label(chosen, i + 1), chosen.key[0], i + 1, _projected(leg, N, column, chosen))


def _projection(m: Mechanism, leg: Leg, onto_motors: Matrix) -> dict[int, Vector]:
    """What a torque of each joint of a leg means for the motors; a motor's own torque passes unchanged."""
    square = len(m.of.robot.motors) == m.structure.freedom
    found = {}
    for j in leg.s.variables:
        if square and (leg.number, j) in m.of.robot.motors:
            place = m.of.robot.motors.index((leg.number, j))
            found[j] = Vector(m.graph, (int(k == place) for k in range(len(m.of.robot.motors))))
        else:
            found[j] = onto_motors @ leg.row_of(j)
    return found


def _projected(
    leg: Leg, N: dict[int, Vector], column: Callable[..., dict[int, Expr]], chosen: Column
) -> tuple[Expr, ...]:
    graph = leg.s.graph
    parts = {key: column(key) for key in chosen.parts}
    along = {
        j: total(graph, (x * parts[key].get(j, graph.zero) for key, x in chosen.parts.items())) for j in leg.s.variables
    }
    size = len(next(iter(N.values())))
    return tuple(total(graph, (N[j][k] * x for j, x in along.items())) for k in range(size))


def _leg_columns(leg: Leg) -> list[Column]:
    """The inertial parameters and rotors of a leg, base ones where it is regrouped, then friction and offsets."""
    s = leg.s
    found = tree_base_set(s)
    chosen = found.columns(s) if s.regrouped else [own_column(s, *item) for item in found.standard.items()]
    for name in (*FRICTION, *OFFSET):
        chosen += [own_column(s, (name, j)) for j in s.variables if not is_zero(own_value(s.robot, (name, j)))]
    return chosen


def _label(column: Column, leg: int) -> str:
    """ZZR1_2 of leg 2."""
    return column.name if column.name.endswith(f"_{leg}") else f"{column.name}_{leg}"


def _platform_wrench(m: Mechanism, motion: Motion, name: str) -> Vector:
    """F_p where one parameter of the platform is 1 and the others 0 (K97:15-16)."""
    of, R = m.of, m.of.R
    s = m.legs[0].s.in_state(suffix="_p")
    w, wd, a = R.T @ motion.V[3:], R.T @ motion.VP[3:], R.T @ (motion.VP[:3] - of.g)
    U, (M, MS, J) = angular(s, w, wd, 0), unit_inertia(s, name)
    f, n = M * a + U @ MS, rotational_moment(s, J, w, wd, U, 0) + MS.cross(a)
    return Vector(m.graph, (*(R @ f), *(R @ n)))


def shared(m: Mechanism, found: list[PlatformColumn]) -> list[PlatformColumn]:
    """Columns of the same parameter of different legs, added."""
    made: dict[str, PlatformColumn] = {}
    for column in found:
        name = column.name.removesuffix(f"_{column.leg}") if column.leg else column.name
        known = made.get(name)
        before = known.elements if known else (m.graph.zero,) * len(column.elements)
        added = tuple(a + b for a, b in zip(before, column.elements, strict=True))
        made[name] = PlatformColumn(name, column.letters, column.leg, added)
    return list(made.values())
