"""The result of a search for what loops or wheels regroup, and the notes that explain it to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from symoro.models.identification.base.tree import BaseSet
from symoro.models.identification.columns import Key
from symoro.models.sampling import Rank

_MODELS = (
    "dynamic models with params='base' keep {count}: they use only relations that hold on every branch and for any "
    "numbers of the geometry; models of `base_parameters(robot).robot` have the parameters of this branch"
)


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


Answer = tuple[ConstraintRegrouping | None, tuple[str, ...]]
"""What was found, with notes for the reader; None with the reason if nothing was found."""


def kept_note(kept: str, reason: str) -> str:
    """The note on a set that is kept because the search failed; `kept` says whose base parameters they are."""
    return f"these are the base parameters of {kept}: the torques are right, but there may be a smaller set: {reason}"


def loop_notes(regrouping: ConstraintRegrouping, causes: str = "loops") -> Iterator[str]:
    """How the loops regroup the tree's parameters, and on which branch that holds."""
    tree = regrouping.tree
    left = len(regrouping.minimal.base)
    yield f"the {causes} leave {left} of the tree's {len(tree.base)} base parameters ({regrouping.rank})"
    if regrouping.structural:
        names = _listed(_named(regrouping, regrouping.structural))
        yield f"the {causes} eliminate in any geometry and on every branch: {names}"
    yield from numeric_notes(regrouping)
    if len(regrouping.branches) > 1:
        q = ", ".join(f"{x:.4g}" for x in regrouping.branch)
        others = _listed(str(rank) for rank in regrouping.branches if rank != regrouping.rank.rank)
        yield f"these hold on the branch of q = ({q}); other branches have {others} parameters (`guess` chooses one)"
    if regrouping.special:
        yield _MODELS.format(count=len(tree.base) - len(regrouping.structural))


def numeric_notes(regrouping: ConstraintRegrouping) -> Iterator[str]:
    """Which relations were found by numbers, and whether they were recognised."""
    unknown = {e for e, _ in regrouping.numeric}
    if recognised := [p for p in regrouping.special if p not in unknown]:
        while_equal = "" if regrouping.general else " that hold only if lengths and angles that are equal stay equal"
        names = _listed(_named(regrouping, recognised))
        yield f"found numerically, recognised as expressions of the geometry{while_equal}: {names}"
    if regrouping.numeric:
        known = regrouping.tree.names
        pairs = _listed(f"{known[e]} in {known[k]}" for e, k in sorted(regrouping.numeric))
        yield f"coefficients found numerically, as numbers for the robot's own geometry: {pairs}"


def _named(regrouping: ConstraintRegrouping, keys: Iterable[Key]) -> Iterator[str]:
    return (regrouping.tree.names[p] for p in keys)


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)
