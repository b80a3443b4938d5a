"""The result of a search for what loops or wheels regroup, and the notes that explain it to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from symoro.errors import SymoroError
from symoro.findings import Finding
from symoro.models.identification.base.tree import BaseSet
from symoro.models.identification.columns import Key
from symoro.models.sampling import Rank

#: Whose base parameters are kept where no smaller set is known.
OF_MODELS = Finding("regressors.of_models")


@dataclass(frozen=True)
class ConstraintRegrouping:
    """The base parameters of a robot with loops or wheels, and how they were found."""

    minimal: BaseSet
    tree: BaseSet
    """The base parameters of the open tree."""
    structural: tuple[Key, ...]
    """Parameters of the tree that are eliminated in any geometry and on every branch, as in models."""
    special: tuple[Key, ...]
    """Parameters of the tree that are eliminated by numeric search; with loops, on this branch."""
    numeric: frozenset[tuple[Key, Key]]
    """The coefficients (eliminated, kept) that were not recognised as expressions and are numbers."""
    general: bool
    """Whether `special` holds for any numbers of the geometry's symbols. If not, equal numbers have to stay equal."""
    rank: Rank
    branch: tuple[float, ...]
    """A configuration q of the branch."""
    branches: tuple[int, ...] = ()
    """All ranks that were found, on this branch and on others."""


RegroupingWithNotes = tuple[ConstraintRegrouping | None, tuple[Finding, ...]]
"""A regrouping, with notes for the reader; None with the reason if there is none."""


def kept_note(kept: Finding, reason: object) -> Finding:
    """The note on a set that is kept because the search failed; `kept` says whose base parameters they are."""
    return Finding("regressors.kept", kept=kept, reason=reason)


def reason_of(error: Exception) -> object:
    """What an error says."""
    return error.finding if isinstance(error, SymoroError) else str(error)


def loop_notes(regrouping: ConstraintRegrouping, wheels: bool) -> Iterator[Finding]:
    """How the loops, with `wheels` or without, regroup the tree's parameters, and on which branch that holds."""
    tree, count = regrouping.tree, len(regrouping.minimal.base)
    code = "regressors.left_by_loops_and_wheels" if wheels else "regressors.left_by_loops"
    yield Finding(code, count=count, tree=len(tree.base), rank=regrouping.rank.finding)
    if regrouping.structural:
        code = "regressors.eliminated_by_loops_and_wheels" if wheels else "regressors.eliminated_by_loops"
        yield Finding(code, names=_named(regrouping, regrouping.structural))
    yield from numeric_notes(regrouping)
    if len(regrouping.branches) > 1:
        others = [rank for rank in regrouping.branches if rank != regrouping.rank.rank]
        yield Finding("regressors.branch", q=regrouping.branch, others=others)
    if regrouping.special:
        yield Finding("regressors.models_keep", count=len(tree.base) - len(regrouping.structural))


def numeric_notes(regrouping: ConstraintRegrouping) -> Iterator[Finding]:
    """Which relations were found by numbers, and whether they were recognised."""
    unknown = {e for e, _ in regrouping.numeric}
    if recognised := [p for p in regrouping.special if p not in unknown]:
        code = "regressors.recognised" if regrouping.general else "regressors.recognised_while_equal"
        yield Finding(code, names=_named(regrouping, recognised))
    if regrouping.numeric:
        known = regrouping.tree.names
        pairs = [f"{known[e]} in {known[k]}" for e, k in sorted(regrouping.numeric)]
        yield Finding("regressors.numbers", names=pairs)


def _named(regrouping: ConstraintRegrouping, keys: Iterable[Key]) -> list[str]:
    return [regrouping.tree.names[p] for p in keys]
