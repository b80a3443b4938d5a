"""More solutions of equations from known ones, by monodromy.

Solutions that are followed around a closed path of parameters come back in another order. What is not yet known
among the ends is new, and after some such turns no new ones come (A. Sommese, C. Wampler, The Numerical Solution of
Systems of Polynomials Arising in Engineering and Science, 2005, § 15.4; T. Duff et al., Solving polynomial systems via
homotopy continuation and monodromy, IMA J. Numer. Anal. 2019).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from symoro.errors import NotApplicable
from symoro.models.loops.family import Array, Family
from symoro.models.progress import say

_TURNS = 60


def orbit(family: Family, u: Array, known: Array, rng: np.random.Generator, most: int, enough: int) -> Array:
    """The known solutions and all that turns bring, until `enough` turns in a row bring no new one.

    `NotApplicable` where there are more than `most`.
    """
    quiet = 0
    for _ in range(_TURNS):
        before = len(known)
        known = family.united(known, _around(family, u, known, rng))
        quiet = quiet + 1 if len(known) == before else 0
        say(f"{len(known)} complex solutions, {quiet} turns without a new one")
        if quiet == enough:
            return known
        if len(known) > most:
            break
    raise NotApplicable(f"the equations have more than {min(most, len(known))} complex solutions")


def _around(family: Family, u: Array, x: Array, rng: np.random.Generator) -> Array:
    """The solutions after a turn: through two other parameters and back."""
    corners = [u, family.drawn(rng), family.drawn(rng), family.returned(u, rng)]
    for start, end in pairwise(corners):
        x, reached = family.follow(x, start, end)
        x = x[reached >= 1]
    return family.solutions(x, u)
