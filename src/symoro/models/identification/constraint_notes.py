"""The base parameters of closed loops and of wheels with what a reader has to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from numpy.linalg import LinAlgError

from symoro.errors import CannotClose, ModelError, ParameterError, ShapeError
from symoro.models.identification.constraint_regrouping import ConstraintRegrouping
from symoro.models.identification.loop_regrouping import loop_regrouping
from symoro.models.identification.minimal import Minimal
from symoro.models.identification.regrouping import Key
from symoro.models.identification.rolling_regrouping import rolling_regrouping
from symoro.symbols import Symbols

_MODELS = (
    "dynamic models with params='base' keep {count}: they regroup only what does so on every branch and for any "
    "numbers of the geometry; models of `base_parameters(robot).robot` have the parameters of this branch"
)
Answer = tuple[ConstraintRegrouping | None, tuple[str, ...]]


def of_loops(s: Symbols, tree: Minimal, guess: Sequence[float] | None) -> Answer:
    """The regrouping by the loops; None with the reason where it cannot be found, so that the models' set stays."""
    if s.robot.base.free:
        return None, (_kept("the base moves freely"),)
    if guess is not None and len(guess) != len(s.movable):
        raise ShapeError(f"guess has {len(guess)} positions; {s.robot.name} has {len(s.movable)} joints")
    try:
        found = loop_regrouping(s, tree, guess)
    except (ModelError, ParameterError, CannotClose, LinAlgError) as reason:
        return None, (_kept(str(reason)),)
    if found is None and guess is not None:
        raise CannotClose(f"the loops of {s.robot.name} close neither at the guess nor around it")
    if found is None:
        return None, (_kept("no family of closed configurations was found"),)
    if not found.rank.clear:
        return None, (_kept(f"the rank is not clear ({found.rank})"),)
    return found, tuple(_notes(found))


def of_wheels(s: Symbols, tree: Minimal) -> Answer:
    """The regrouping by rolling; None with the reason where it cannot be found: then the plane's set stays."""
    try:
        found = rolling_regrouping(s, tree)
    except (ModelError, ParameterError, LinAlgError) as reason:
        return None, (_kept(str(reason)),)
    if not found.rank.clear:
        return None, (_kept(f"the rank is not clear ({found.rank})"),)
    count = f"{len(found.minimal.base)} of the {len(tree.base)} base parameters of a base that moves on a plane"
    return found, (f"rolling leaves {count} ({found.rank})", *_by_numbers(found))


def _kept(reason: str) -> str:
    return f"these are the base parameters of models: the torques are right, the number may not be least: {reason}"


def _notes(found: ConstraintRegrouping) -> Iterator[str]:
    tree = found.tree
    yield f"the loops leave {len(found.minimal.base)} of the tree's {len(tree.base)} base parameters ({found.rank})"
    if found.structural:
        names = _listed(_named(found, found.structural))
        yield f"along the loops, in any geometry and on every branch, regroup {names}"
    yield from _by_numbers(found)
    if len(found.branches) > 1:
        q = ", ".join(f"{x:.4g}" for x in found.branch)
        others = _listed(str(rank) for rank in found.branches if rank != found.rank.rank)
        yield f"this holds on the branch of q = ({q}); on others there are {others} (`guess` chooses)"
    if found.special:
        yield _MODELS.format(count=len(tree.base) - len(found.structural))


def _by_numbers(found: ConstraintRegrouping) -> Iterator[str]:
    unknown = {e for e, _ in found.numeric}
    if recognised := [p for p in found.special if p not in unknown]:
        while_equal = "" if found.general else ", while its lengths and angles with equal numbers stay equal"
        names = _listed(_named(found, recognised))
        yield f"found numerically, recognised as expressions of the geometry{while_equal}: {names}"
    if found.numeric:
        known = found.tree.names
        pairs = _listed(f"{known[e]} in {known[k]}" for e, k in sorted(found.numeric))
        yield f"found numerically, numbers for the robot's own geometry: {pairs}"


def _named(found: ConstraintRegrouping, keys: Iterable[Key]) -> Iterator[str]:
    return (found.tree.names[p] for p in keys)


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)
