"""Where the axes of prismatic joints are: only their direction is given, and their place is free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symoro.formats.tree.frames import Placement, placements
from symoro.formats.tree.lines import Line, children
from symoro.formats.tree.poses import Array

_MOST = 12


def settled(found: list[Line]) -> tuple[list[Line], list[Placement]]:
    """The lines with prismatic axes at places that leave the fewest parameters, and the frames on them.

    Places are the origin of the file, a point of the antecedent's axis, and a point of a child's axis, tried one joint
    after the other; of equal ones the first is taken.
    """
    best = placements(found)
    sliding = [j for j, line in enumerate(found) if line.slides]
    for j in sliding[:_MOST]:
        for p in list(_places(found, j)):
            tried = [*found]
            tried[j] = replace(found[j], p=p)
            made = placements(tried)
            if _cost(made) < _cost(best):
                found, best = tried, made
    return found, best


def _places(found: list[Line], j: int) -> Iterator[Array]:
    yield found[found[j].parent].p
    for child in children(found)[j]:
        yield found[child].p


def _cost(made: list[Placement]) -> int:
    return sum(one.parameters.cost for one in made)
