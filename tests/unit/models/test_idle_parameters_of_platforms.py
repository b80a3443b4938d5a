"""Parameters that have no effect on a platform's allowed motions need no values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.models.parallel.motions import random_motions
from symoro.robot.robot import Robot


def planar() -> Robot:
    robot = symoro.load("planar-3rrr")
    assert robot.platforms
    return robot


#: In a plane, only the moment of inertia about its normal and the first moments in it matter.
IDLE = ("XXP", "XYP", "XZP", "YYP", "YZP", "MZP")


@pytest.mark.parametrize("params", ["standard", "base"])
def test_a_platform_in_a_plane_needs_no_other_moments_of_inertia(params: str) -> None:
    robot = planar()
    without = replace(robot, values={name: x for name, x in robot.values.items() if name not in IDLE})
    motion: Any = random_motions(robot, 5)
    model = symoro.inverse_dynamics(without, params=params)
    assert not set(IDLE) & set(model.parameters)
    plain = symoro.inverse_dynamics(robot, optimize=False).compile("numpy")
    expected = plain(*motion, values=dict.fromkeys(IDLE, 0.7))
    assert np.abs(model.compile("numpy")(*motion) - expected).max() < 1e-12 * (1 + np.abs(expected).max())
