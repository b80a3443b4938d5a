"""The columns of identification models: one for each parameter, under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.minimal import Minimal, changed
from symoro.models.identification.regrouping import Key
from symoro.models.identification.structure import INERTIAL
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
    def is_conservative(self) -> bool:
        """Whether the parameter stores energy: those of links, and rotor inertias."""
        return self.key[0] in (*INERTIAL, "IA")

    @property
    def meaning(self) -> Meaning:
        text, unit = PARAMETERS[self.key[0]]
        text = f"{self.name}: {text.format(j=self.key[1])}{', regrouped' if self.regrouped else ''}"
        return Meaning(text, unit, self.key[1])


def own_column(s: Symbols, key: Key, name: str | None = None) -> Column:
    """The column of a standard parameter."""
    return Column(name or f"{key[0]}{key[1]}", key, {key: s.graph.one})


def base_columns(s: Symbols, found: Minimal) -> list[Column]:
    """A parameter that others depend on takes their columns too."""

    def parts(p: Key) -> dict[Key, Expr]:
        return {p: s.graph.one} | {d: row[p].expr for d, row in found.dependent.items() if p in row}

    return [Column(found.names[p], p, parts(p), changed(p, relation)) for p, relation in found.base.items()]


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
    """A matrix with a row for each movable joint, or for these with their labels, and a column for each parameter.

    An element, D3_XXR2, means the parameter of its column, and belongs to the joint of its row.
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
