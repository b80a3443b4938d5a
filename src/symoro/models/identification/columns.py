"""The columns of identification models: one for each parameter, under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.parameters import INERTIAL, Key
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS


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
        text, unit = PARAMETERS[self.key[0]]
        text = f"{self.name}: {text.format(j=self.key[1])}{', regrouped' if self.regrouped else ''}"
        return Meaning(text, unit, self.key[1])


def own_column(s: Symbols, key: Key, name: str | None = None) -> Column:
    """The column of a standard parameter."""
    return Column(name or f"{key[0]}{key[1]}", key, {key: s.graph.one})


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
