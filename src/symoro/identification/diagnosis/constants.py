"""Torques with a constant part that the model lacks: sensors and amplifiers that are not set to zero."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from symoro.identification.diagnosis.added_columns import added
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.rows.rows import Rows

_SURE = 5.0
"""Deviations of a constant part that is worth a warning."""
_EXPLAINED = 0.5
"""Least part of the residual that goes with it."""


def constants(rows: Rows, found: Estimate, motors: Collection[str]) -> Iterator[str]:
    """A warning for each motor whose residual is a constant torque for the most part."""
    parts = added(rows, found, [np.ones(len(block.y)) for block in rows.blocks])
    for name, part in parts.items():
        if name in motors and abs(part.value) > _SURE * part.sigma and part.explained > _EXPLAINED:
            yield f"torque of joint {name} has a constant part of {part.value:.4g} that the model lacks (offset=True)"
