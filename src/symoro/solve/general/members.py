"""Other members of the continuum to which a branch belongs: a walk along its self-motion."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.continuum import curve, self_motions
from symoro.solve.general.polish import CERTIFIED, Chain, newton, wrapped

Array = NDArray[Any]
#: Refined twice, members are less than 1e-4 apart: a member inside limits that are wider than that is always found.
_STEPS, _BETWEEN, _TURNS = 40, 40, 8
#: Slides without an end are not followed further than so many steps.
_MOST = 100


def members(chain: Chain, q: Array) -> Array:
    """Configurations (n, joints) along the self-motion at q, on both sides; q alone where it is isolated."""
    along = self_motions(chain, q[None])[0]
    if not along.any():
        return q[None]
    return np.vstack([curve(chain, q, -along, _MOST)[:0:-1], curve(chain, q, along, _MOST)])


def finer(chain: Chain, walked: Array, place: int) -> Array:
    """Members between one of those that were walked and its neighbours."""
    configurations = [walked[place : place + 1]]
    for a, b in pairwise(walked[max(place - 1, 0) : place + 2]):
        starts = a + np.linspace(0, 1, _BETWEEN)[:, None] * wrapped(chain.kinds, (b - a)[None])
        q, error = newton(chain, starts, _STEPS)
        configurations.append(q[error <= CERTIFIED])
    return np.vstack(configurations)


def with_last_turn(chain: Chain, q: Array) -> Array:
    """The configuration of a chain whose first joints are at q; its last joint, which turns, is where the pose is."""
    turns = np.linspace(-np.pi, np.pi, _TURNS, endpoint=False)
    configurations, error = newton(chain, np.column_stack([np.tile(q, (_TURNS, 1)), turns]), _STEPS)
    away = np.abs(wrapped(chain.kinds, configurations - np.append(q, 0.0))[:, :-1]).max(axis=1)
    nearest: Array = configurations[np.where(error <= CERTIFIED, away, np.inf).argmin()]
    return nearest
