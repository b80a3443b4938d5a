"""The columns of identification models: one for each parameter, under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.minimal import Minimal, changed, minimal
from symoro.models.identification.regrouping import Key
from symoro.models.identification.structure import INERTIAL
from symoro.robot.values import is_zero
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS

#: The parameters of a drive that its torque is linear in, besides IA. BST and VS stay parameters of the model.
FRICTION = ("FV", "FS", "FA", "FST")
OFFSET = ("FO",)


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter, and the standard parameters whose columns make up its own: mostly itself alone."""

    name: str
    key: Key
    parts: Mapping[Key, Expr]
    regrouped: bool = False

    @property
    def is_inertial(self) -> bool:
        return self.key[0] in INERTIAL

    @property
    def is_conservative(self) -> bool:
        """Whether the parameter stores energy: those of links, and rotor inertias."""
        return self.key[0] in (*INERTIAL, "IA")

    @property
    def meaning(self) -> Meaning:
        text, unit = PARAMETERS[self.key[0]]
        text = f"{self.name}: {text.format(j=self.key[1])}{', regrouped' if self.regrouped else ''}"
        return Meaning(text, unit, self.key[1])


def columns(s: Symbols, rotors: bool | None, friction: bool | None, offset: bool | None) -> list[Column]:
    """Base parameters where the symbols are regrouped, else standard ones; then friction, then offsets.

    Of rotor inertias, friction and offsets: those that the robot has, where None; of all joints, or none.
    """
    asked = ("columns", rotors, friction, offset)
    if asked not in s.memory:
        s.memory[asked] = _columns(s, rotors, friction, offset)
    found: list[Column] = s.memory[asked]
    return found


def _columns(s: Symbols, rotors: bool | None, friction: bool | None, offset: bool | None) -> list[Column]:
    found = minimal(s, rotors)
    chosen = base_columns(s, found) if s.regrouped else _standard_columns(s, found)
    for names, wanted in ((FRICTION, friction), (OFFSET, offset)):
        for j in s.movable:
            chosen += [_column(s, (n, j)) for n in names if _is_wanted(s, n, j, wanted)]
    return chosen


def _is_wanted(s: Symbols, name: str, j: int, wanted: bool | None) -> bool:
    has = not is_zero(getattr(s.robot.drive(j), name))
    return wanted is not False and (has or (wanted is True and name in ("FV", "FS", "FO")))


def _column(s: Symbols, key: Key, name: str | None = None) -> Column:
    return Column(name or f"{key[0]}{key[1]}", key, {key: s.graph.one})


def _standard_columns(s: Symbols, found: Minimal) -> list[Column]:
    return [_column(s, key, name) for key, name in found.standard.items() if key[0] != "IA" or key[1] in s.movable]


def base_columns(s: Symbols, found: Minimal) -> list[Column]:
    """A parameter that others depend on takes their columns too."""

    def parts(p: Key) -> dict[Key, Expr]:
        return {p: s.graph.one} | {d: row[p].expr for d, row in found.dependent.items() if p in row}

    return [Column(found.names[p], p, parts(p), changed(p, relation)) for p, relation in found.base.items()]


def unit_parameters(s: Symbols, key: Key) -> Symbols:
    """The symbols of the same robot with one parameter 1 and all others 0 (K97 § 6.1)."""
    names = (*INERTIAL, "IA", *FRICTION, *OFFSET)
    zeros = {(name, j): s.graph.zero for j in (0, *s.outward) for name in names}
    return replace(s, regrouped=zeros | {key: s.graph.one})


def row_result(s: Symbols, name: str, chosen: Iterable[Column], entry: Callable[[Key], Expr], equation: str) -> Result:
    """A vector with an element for each column: h_XXR2."""
    chosen = list(chosen)
    elements = tuple(_combined(s, column, entry) for column in chosen)
    meanings = tuple(replace(column.meaning, equation=equation) for column in chosen)
    return Result(name, (len(chosen),), elements, tuple(f"{name}_{column.name}" for column in chosen), meanings)


def matrix_result(
    s: Symbols, name: str, chosen: Iterable[Column], entry: Callable[[Key], Mapping[int, Expr]], equation: str
) -> Result:
    """A matrix with a row for each movable joint and a column for each parameter: D3_XXR2.

    An element means the parameter of its column, and belongs to the joint of its row.
    """
    chosen = list(chosen)
    known: dict[Key, Mapping[int, Expr]] = {}
    for column in chosen:
        known |= {key: entry(key) for key in column.parts if key not in known}
    elements, names, meanings = [], [], []
    for j in s.movable:
        for column in chosen:
            elements.append(_combined(s, column, lambda key, j=j: known[key].get(j, s.graph.zero)))  # type: ignore[misc]
            names.append(f"{name}{j}_{column.name}")
            meanings.append(replace(column.meaning, link=j, equation=equation))
    return Result(name, (len(s.movable), len(chosen)), tuple(elements), tuple(names), tuple(meanings))


def _combined(s: Symbols, column: Column, entry: Callable[[Key], Expr]) -> Expr:
    return total(s.graph, (x * entry(key) for key, x in column.parts.items()))
