"""The base parameters of closed loops with what a reader has to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from numpy.linalg import LinAlgError

from symoro.errors import CannotClose, ModelError, ParameterError, ShapeError
from symoro.models.identification.loop_regrouping import LoopRegrouping, loop_regrouping
from symoro.models.identification.minimal import Minimal
from symoro.symbols import Symbols

_MODELS = "dynamic models with params='base' use the base parameters of the open tree, which hold on every branch"


def of_loops(s: Symbols, tree: Minimal, guess: Sequence[float] | None) -> tuple[LoopRegrouping | None, tuple[str, ...]]:
    """The regrouping by the loops; None with the reason where it cannot be found, so that the tree's set stays."""
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


def _kept(reason: str) -> str:
    return (
        f"these are the base parameters of the open tree: the torques are right, the number may not be least: {reason}"
    )


def _notes(found: LoopRegrouping) -> Iterator[str]:
    names, tree = found.tree.names, found.tree
    yield f"the loops leave {len(found.minimal.base)} of the tree's {len(tree.base)} base parameters ({found.rank})"
    if found.structural:
        yield f"through the cut joints, in any geometry, regroup {_listed(names[p] for p in found.structural)}"
    unknown = {e for e, _ in found.numeric}
    if recognised := [names[p] for p in found.special if p not in unknown]:
        yield f"found numerically, recognised as expressions of the geometry: {_listed(recognised)}"
    if found.numeric:
        pairs = _listed(f"{names[e]} in {names[k]}" for e, k in sorted(found.numeric))
        yield f"found numerically, numbers for the robot's own geometry: {pairs}"
    if len(found.branches) > 1:
        q = ", ".join(f"{x:.4g}" for x in found.branch)
        others = _listed(str(rank) for rank in found.branches if rank != found.rank.rank)
        yield f"this holds on the branch of q = ({q}); on others there are {others} (`guess` chooses)"
    yield _MODELS


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items)
