"""Which columns an identification model has: standard or base parameters, friction, offsets."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.models.identification.base.model_parameters import model_base_set
from symoro.models.identification.base.tree.regrouping import tree_base_set
from symoro.models.identification.columns import Column, own_column
from symoro.models.identification.parameters import FRICTION, OFFSET, own_value
from symoro.models.remembered import remembered
from symoro.robot.values import is_zero
from symoro.symbols import Symbols


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a caller wants besides those of the links: of all joints (True), none, or the robot's (None)."""

    rotors: bool | None = None
    """Rotor inertias."""
    friction: bool | None = None
    offset: bool | None = None
    """Torque offsets."""


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
    return tuple(chosen)


def _is_wanted(s: Symbols, name: str, j: int, wanted: bool | None) -> bool:
    has = not is_zero(own_value(s.robot, (name, j)))
    return wanted is not False and (has or (wanted is True and name in ("FV", "FS", "FO")))
