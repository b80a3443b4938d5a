"""Which columns an identification model has: standard or base parameters, friction, offsets."""

from __future__ import annotations

from symoro.models.identification.columns import FRICTION, OFFSET, Column, base_columns, own_column
from symoro.models.identification.minimal import Minimal
from symoro.models.identification.model_set import model_set
from symoro.models.remembered import remembered
from symoro.robot.values import is_zero
from symoro.symbols import Symbols


@remembered
def columns(s: Symbols, rotors: bool | None, friction: bool | None, offset: bool | None) -> list[Column]:
    """Base parameters where the symbols are regrouped, else standard ones; then friction, then offsets.

    Of rotor inertias, friction and offsets: those that the robot has, where None; of all joints, or none.
    """
    found = model_set(s, rotors)
    chosen = base_columns(s, found) if s.regrouped else _standard_columns(s, found)
    for names, wanted in ((FRICTION, friction), (OFFSET, offset)):
        for j in s.movable:
            chosen += [own_column(s, (n, j)) for n in names if _is_wanted(s, n, j, wanted)]
    return chosen


def _is_wanted(s: Symbols, name: str, j: int, wanted: bool | None) -> bool:
    has = not is_zero(getattr(s.robot.drive(j), name))
    return wanted is not False and (has or (wanted is True and name in ("FV", "FS", "FO")))


def _standard_columns(s: Symbols, found: Minimal) -> list[Column]:
    return [own_column(s, key, name) for key, name in found.standard.items() if key[0] != "IA" or key[1] in s.movable]
