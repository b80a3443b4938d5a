"""Poses with their branches, for the self-test of generated code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.chain import GivenJoint, links_at
from symoro.solve.general.polish import Chain, forward, jacobian
from symoro.solve.general.solve import Found, solve

Array = NDArray[Any]
_CASES, _CANDIDATES, _REGULAR = 10, 60, 1e-3


class WellPosed(NamedTuple):
    """A pose, the positions of the given joints, and the branches."""

    pose: Array
    r: Array
    branches: Found


def well_posed_cases(kinds: str, links: Array, redundant: Sequence[GivenJoint] = (), seed: int = 0) -> list[WellPosed]:
    """Poses of random configurations and their branches; poses far from singularities are preferred."""
    rng, cases = np.random.default_rng(seed), []
    for _ in range(_CANDIDATES):
        q = np.array([rng.uniform(-np.pi, np.pi) if kind == "R" else rng.uniform(-1, 1) for kind in kinds])
        r = rng.uniform(-1, 1, len(redundant))
        chain = Chain(kinds, links_at(links, redundant, r), np.eye(4))
        pose = forward(chain, q[None])[0][0]
        branches = solve(kinds, chain.links, pose)
        cases.append((-_regularity(chain, branches), WellPosed(pose, r, branches)))
        if sum(worst < -_REGULAR for worst, _ in cases) == _CASES:
            break
    cases.sort(key=lambda case: case[0])
    return [case for _, case in cases[:_CASES]]


def _regularity(chain: Chain, branches: Found) -> float:
    """The smallest singular value of the Jacobian at a branch, relative to the largest one."""
    if branches.continuum or not len(branches.q):
        return 0.0
    s = np.linalg.svd(jacobian(chain, *forward(chain, branches.q)), compute_uv=False)
    return float((s[:, -1] / s[:, 0]).min())
