"""Which columns a regressor has, and their table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, NotApplicable, ShapeError
from symoro.ir.program import Output, Program
from symoro.models.identification.base.model_parameters import model_base_set
from symoro.models.identification.base.tree import tree_base_set
from symoro.models.identification.columns import FRICTION, OFFSET, Column, own_column, own_value
from symoro.models.results import remembered
from symoro.robot.robot import Group
from symoro.robot.values import is_zero

# Outputs of identification models as tables: a column under the name of each parameter.


def column_names(array: Output) -> tuple[str, ...]:
    """The parameter of each column: D1_ZZR1 is row 1 of the column ZZR1."""
    return tuple(name.partition("_")[2] for name in array.names[: len(array.columns)])


def by_column(program: Program, values: ArrayLike, output: str | None) -> dict[str, NDArray[Any]]:
    """The columns of one output by name; all axes before the last one become rows, in their order."""
    array = _chosen(program, output)
    names, numbers = column_names(array), np.asarray(values)
    if numbers.shape[-len(array.shape) :] != array.shape:
        raise ShapeError("regressors.shape", name=array.name, wanted=array.shape, shape=str(numbers.shape))
    return dict(zip(names, numbers.reshape(prod(numbers.shape[:-1]), len(names)).T, strict=True))


def _chosen(program: Program, output: str | None) -> Output:
    known = {array.name: array for array in program.outputs}
    if output is None and len(known) > 1:
        raise ModelError("regressors.several_outputs", outputs=list(known))
    name = next(iter(known)) if output is None else output
    if name not in known:
        raise ModelError("regressors.no_output", name=repr(name), outputs=list(known))
    return known[name]


# Which columns an identification model has: standard or base parameters, friction, offsets.


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a caller wants besides those of the links: of all joints (True), none, or the robot's (None)."""

    rotors: bool | None = None
    """Rotor inertias."""
    friction: bool | None = None
    offset: bool | None = None
    """Torque offsets."""
    alike: bool = False
    """Whether the same parameters of all legs share one column."""


@remembered
def selected(s: Symbols, columns: Columns) -> tuple[Column, ...]:
    """Base parameters if the symbols are regrouped, else standard ones; then friction, then offsets."""
    if s.regrouped:
        chosen = [*model_base_set(s, columns.rotors).columns(s)]
    else:
        chosen = [own_column(s, *item) for item in tree_base_set(s, columns.rotors).standard.items()]
    for names, wanted in ((FRICTION, columns.friction), (OFFSET, columns.offset)):
        for j in s.variables:
            chosen += [own_column(s, (n, j)) for n in names if _is_wanted(s, n, j, wanted)]
    if not s.robot.groups:
        return tuple(chosen)
    by_group = sorted(chosen, key=lambda column: _group(s, column)[0])  # those of the base come first
    return tuple(_shared(s, by_group)) if columns.alike else tuple(by_group)


def _group(s: Symbols, column: Column) -> tuple[int, Group | None]:
    """The group of the column's link, with its number; the base is in none."""
    groups = ((n, group) for n, group in enumerate(s.robot.groups) if column.key[1] in group.joints)
    return next(groups, (-1, None))


def _shared(s: Symbols, chosen: Iterable[Column]) -> list[Column]:
    """Columns of the same parameter of different legs as one: their sum.

    What a leg shares with the platform depends on how it is attached: then base parameters of one name differ.
    """
    kinds = dict.fromkeys(one.kind.value for one in s.robot.closures if not one.cut)
    if s.regrouped and len(kinds) > 1:
        raise NotApplicable("regressors.legs_differ", robot=s.robot.name, kinds=list(kinds))
    by_name: dict[str, Column] = {}
    ending = "_legs" if s.beside_legs else ""  # the names of joints that belong to no leg have no ending
    for column in chosen:
        _, group = _group(s, column)
        name = column.name.removesuffix(group.ending) + ending if group and group.numbered else column.name
        known = by_name.get(name)
        by_name[name] = replace(column, name=name, parts={**known.parts, **column.parts} if known else column.parts)
    return list(by_name.values())


def _is_wanted(s: Symbols, name: str, j: int, wanted: bool | None) -> bool:
    has = not is_zero(own_value(s.robot, (name, j)))
    return wanted is not False and (has or (wanted is True and name in ("FV", "FS", "FO")))
