"""Base parameters of robots whose motions are constrained, by loops or wheels: what that regroups of the tree's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.inertia import accumulate
from symoro.models.identification.minimal import Minimal, base_name
from symoro.models.identification.rank import Rank
from symoro.models.identification.regrouping import Key
from symoro.symbols import Symbols

Stage = Mapping[Key, Mapping[Key, Any]]
"""Eliminated parameter -> what its column is of others': coefficients, or values of the robot's tables."""


@dataclass(frozen=True)
class ConstraintRegrouping:
    """The base parameters of a robot with loops or wheels, and how these were found to regroup the tree's."""

    minimal: Minimal
    tree: Minimal
    """The base parameters of the open tree."""
    structural: tuple[Key, ...]
    """Parameters of the tree that regroup in any geometry: by symbols."""
    special: tuple[Key, ...]
    """Parameters whose coefficients were found by numbers; loops, on this branch."""
    numeric: frozenset[tuple[Key, Key]]
    """The coefficients (eliminated, kept) that were not recognised and are numbers."""
    general: bool
    """Whether `special` holds for any numbers of the geometry's symbols, or only while equal ones stay equal."""
    rank: Rank
    branch: tuple[float, ...]
    """A configuration q of the branch."""
    branches: tuple[int, ...] = ()
    """The ranks that other configurations have."""


def keeping(keys: Sequence[Key]) -> list[int]:
    """The order in which parameters are kept: from the base to the tips, rotor inertias last (GK88)."""
    return sorted(range(len(keys)), key=lambda k: (keys[k][0] == "IA", k))


def regrouped_further(s: Symbols, tree: Minimal, stages: Sequence[Stage]) -> Minimal:
    """The tree's base parameters with those eliminated added to the others, in the order of the stages."""
    base = {p: dict(relation) for p, relation in tree.base.items()}
    for stage in stages:
        for eliminated, row in stage.items():
            gone = base.pop(eliminated)
            for p, x in row.items():
                accumulate(base[p], coefficient(s, tree, x), gone)
    taken = set(tree.standard.values()) | set(s.parameter_names)
    names = tree.names | {p: base_name(p, relation, tree.standard, taken) for p, relation in base.items()}
    dependent = {d: {p: x for p, x in row.items() if p in base} for d, row in tree.dependent.items()}
    return Minimal(tree.standard, names, base, dependent)


def coefficient(s: Symbols, tree: Minimal, x: Any) -> Coefficient:
    """A coefficient of a stage in the field of the tree's relations."""
    field = next(iter(next(iter(tree.base.values())).values())).field
    return x if isinstance(x, Coefficient) else field.value(x, s.bind(x))
