"""The delay between each torque and the motion, from the residuals of a fit.

A torque that is δ earlier than the motion is y = W β + δ d/dt(W β) to first order: β and the δ of all joints are found
together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.diagnosis.added_columns import added
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.processing.processing import Processing
from symoro.identification.rows.rows import Block, Rows

_SURE = 5.0
"""Deviations from which on a delay is worth a warning, if it is longer than a sample."""

_EXPLAINED = 0.5
"""Least part of the residual that goes with a delay that is worth a warning."""


@dataclass(frozen=True)
class Delay:
    """How much earlier a torque is than the motion that it belongs to, in seconds, with its standard deviation."""

    value: float
    sigma: float
    explained: float = 0.0
    """The part of the residual that goes with it: that of a model that lacks something else stays."""


def delays(rows: Rows, found: Estimate, how: Processing) -> dict[str, Delay]:
    """The delay of each joint's torque, as the option `delay` takes it; none where it cannot be told."""
    parts = added(rows, found, [_slope(block, found.beta) for block in rows.blocks])
    measured = {block.joint for block in rows.blocks if block.y.any()}  # rows of springs have no torque
    return {
        name: Delay(parts[name].value + how.delay_of(j), parts[name].sigma, parts[name].explained)
        for j, name in enumerate(rows.joints)
        if j in measured and name in parts
    }


def _slope(block: Block, beta: Array) -> Array:
    """d/dt(W β), 0 beside gaps."""
    y = block.W @ beta[block.columns]
    if len(y) < 3:
        return np.zeros_like(y)
    step = np.diff(block.t)
    usual = step <= 1.5 * np.median(step)
    whole = np.concatenate([[False], usual]) & np.concatenate([usual, [False]])
    return np.where(whole, np.gradient(y, block.t), 0.0)


def late(found: dict[str, Delay], how: Processing, joints: tuple[str, ...], period: float) -> Iterator[str]:
    """Warnings about torques that are more than a sample earlier or later than the processing takes them."""
    for j, name in enumerate(joints):
        if name in found:
            rest = found[name].value - how.delay_of(j)
            if abs(rest) > max(period, _SURE * found[name].sigma) and found[name].explained > _EXPLAINED:
                word = "earlier" if rest > 0 else "later"
                yield (
                    f"torque of joint {name} is {1e3 * abs(rest):.3g} ms ({abs(rest) / period:.1f} samples) {word} "
                    "than its motion (delay='auto', or delay=[seconds for each motor])"
                )
