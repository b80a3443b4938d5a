"""The columns of regressors: names, parameters, and columns by unit parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from symoro.bind.symbols import Symbols
from symoro.bind.vocabulary import PARAMETERS, parameter_text
from symoro.findings import sentence
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.meaning import Meaning
from symoro.models.constraint import BASE, at_variables
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.newton_euler import at_joint, rotational_moment
from symoro.models.recursion import LinkMotion
from symoro.models.results import remembered
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Value

# The parameters of links and drives that the torques are linear in, each named by its letters and its link.


Key: TypeAlias = tuple[str, int]
"""A parameter: its letters and its link."""

#: The inertial parameters of a link, in the order in which base parameters keep them.
INERTIAL = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY", "MZ", "M", "YY")
#: The parameters of a drive that its torque is linear in, besides IA. BST and VS stay parameters of the model.
FRICTION = ("FV", "FS", "FA", "FST")
OFFSET = ("FO",)


def own_value(robot: Robot, key: Key) -> Value:
    """A parameter of the robot's tables."""
    letters, j = key
    table: Drive | Inertia = robot.inertia(j) if letters in INERTIAL else robot.drive(j)
    value: Value = getattr(table, letters)
    return value


def standard(robot: Robot) -> dict[Key, Value]:
    """The inertial parameters and rotor inertias of the robot's tables; with link 0 if the base moves freely."""
    values: dict[Key, Value] = {}
    for j in range(0 if robot.base.free else 1, robot.link_count + 1):
        names = (*Inertia.names(), *(("IA",) if j else ()))
        values |= {(name, j): own_value(robot, (name, j)) for name in names}
    return values


# The columns of identification models: one for each parameter, under its name.


@dataclass(frozen=True, slots=True)
class Column:
    """The column of a parameter: a combination of columns of standard parameters, usually of this one alone."""

    name: str
    key: Key
    parts: Mapping[Key, Expr]
    """The standard parameters of the combination, with their factors."""
    regrouped: bool = False

    @property
    def is_conservative(self) -> bool:
        """Whether the parameter stores energy: those of links, and rotor inertias."""
        return self.key[0] in (*INERTIAL, "IA")

    @property
    def meaning(self) -> Meaning:
        letters, j = self.key
        text = parameter_text(letters, j)
        if self.regrouped:
            text = sentence("symbols.regrouped", what=text)
        return Meaning(sentence("symbols.column", name=self.name, what=text), PARAMETERS[letters], j)


def own_column(s: Symbols, key: Key, name: str | None = None) -> Column:
    """The column of a standard parameter."""
    return Column(name or f"{key[0]}{s.label[key[1]]}", key, {key: s.graph.one})


def row_result(s: Symbols, name: str, chosen: Iterable[Column], entry: Callable[[Key], Expr], equation: str) -> Result:
    """A vector with an element for each column: h_XXR2."""
    chosen = list(chosen)
    elements = tuple(_combined(s, column, entry) for column in chosen)
    meanings = tuple(replace(column.meaning, equation=equation) for column in chosen)
    return Result(name, (len(chosen),), elements, tuple(f"{name}_{column.name}" for column in chosen), meanings)


def matrix_result(
    s: Symbols,
    name: str,
    chosen: Iterable[Column],
    entry: Callable[[Key], Mapping[int, Expr]],
    equation: str,
    rows: Mapping[int, str] | None = None,
) -> Result:
    """A matrix with a row for each movable joint and a column for each parameter.

    `rows` are other joints with the labels of their rows. The element D3_XXR2 has the meaning of its column, XXR2, and
    the link of its row, 3.
    """
    chosen, rows = list(chosen), {j: str(j) for j in s.movable} if rows is None else rows
    known: dict[Key, Mapping[int, Expr]] = {}
    for column in chosen:
        known |= {key: entry(key) for key in column.parts if key not in known}
    elements, names, meanings = [], [], []
    for j, label in rows.items():
        for column in chosen:
            elements.append(_combined(s, column, lambda key, j=j: known[key].get(j, s.graph.zero)))  # type: ignore[misc]
            names.append(f"{name}{label}_{column.name}")
            meanings.append(replace(column.meaning, link=max(j, 0), equation=equation))
    return Result(name, (len(rows), len(chosen)), tuple(elements), tuple(names), tuple(meanings))


def _combined(s: Symbols, column: Column, entry: Callable[[Key], Expr]) -> Expr:
    return total(s.graph, (x * entry(key) for key, x in column.parts.items()))


# The torques of the joints if one parameter is 1 and all others are 0 (K97 § 6.1).
#
# Columns share the velocities and accelerations of the links, and columns of one link share expressions on the way to
# the base.


def torques(s: Symbols) -> Callable[[Key], dict[int, Expr]]:
    """The column of a parameter: joint -> torque, and the wrench on a base that moves freely."""
    motion = accelerated(s)

    def column(key: Key) -> dict[int, Expr]:
        if key[0] not in INERTIAL:
            return drive_column(s, key)
        return at_variables(s, dict(at_joints(s, key[1], *unit_wrench(motion, key))))

    return column


def unit_inertia(s: Symbols, name: str) -> tuple[Expr, Vector, Matrix]:
    """Mass, first moments and inertia matrix of a link with one parameter 1 and all others 0."""
    one = {n: s.graph.lift(int(n == name)) for n in INERTIAL}
    rows = (("XX", "XY", "XZ"), ("XY", "YY", "YZ"), ("XZ", "YZ", "ZZ"))
    J = Matrix(s.graph, ((one[n] for n in row) for row in rows))
    return one["M"], Vector(s.graph, (one[n] for n in ("MX", "MY", "MZ"))), J


def unit_parameters(s: Symbols, key: Key) -> Symbols:
    """The symbols of the same robot with one parameter 1 and all others 0 (K97 § 6.1)."""
    names = (*INERTIAL, "IA", *FRICTION, *OFFSET)
    zeros = {(name, j): s.graph.zero for j in (0, *s.outward) for name in names}
    return replace(s, regrouped=zeros | {key: s.graph.one})


def accelerated(s: Symbols) -> LinkMotion:
    """Velocities and accelerations of all links; gravity is an acceleration of the base."""
    motion = LinkMotion(s).begin(s.v0, s.w0, s.vd0 - s.g, s.wd0)
    for j in s.outward:
        motion.turn(j)
        motion.accelerate(j)
    return motion


def unit_wrench(motion: LinkMotion, key: Key) -> tuple[Vector, Vector]:
    """Force and moment that move link j where one of its parameters is 1 and the others 0."""
    s, (name, j) = motion.s, key
    w, wd, U, vd = motion.w[j], motion.wd[j], motion.U[j], motion.vd[j]
    M, MS, J = unit_inertia(s, name)
    F = M * vd + U @ MS  # (K97:15)
    return F, rotational_moment(s, J, w, wd, U, j) + MS.cross(vd)  # (K97:16)


def at_joints(s: Symbols, j: int, f: Vector, m: Vector) -> Iterator[tuple[int, Expr]]:
    """The torques of a wrench on link j at the joints from it to the base, and at a free base (K97:17-20)."""
    while j:
        yield from at_joint(s, j, f, m)
        f, m = s.R[j] @ f, s.R[j] @ m
        m = m + s.P[j].cross(f)
        j = s.parent[j]
    if s.robot.base.free:
        yield from zip(BASE, (*f, *m), strict=True)


@remembered
def drive_column(s: Symbols, key: Key) -> dict[int, Expr]:
    """The torques of a drive with one parameter 1. The column of FS contains minus that of FST (K13:7.26)."""
    unit = unit_parameters(s, key)
    column = {j: total(s.graph, drive_terms(unit, j)) for j in s.variables}
    if key[0] == "FS" and not s.drive("FST", key[1]).is_zero:
        fading = drive_column(s, ("FST", key[1]))
        column = {j: x - fading[j] for j, x in column.items()}
    return column
