"""Loops with six unknown joints by elimination, against Newton's method from many starts on products of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.compared_branches import compared_loop
from support.coupled_robots import six_bar
from support.random_loops import random_closed_robot
from support.samples import some


@pytest.mark.parametrize("number", some(1, of=400))
def test_every_branch_of_a_spatial_loop_is_found(number: int) -> None:
    """Robots with a spatial loop of seven joints; every second one has a planar loop on it."""
    robot, q = random_closed_robot(2 * number + 1)
    record = compared_loop(robot, 4, number)
    assert record.method in ("closed form", "elimination")
    assert record.poses == record.generating
    assert record.lost == 0
    assert record.worst < 1e-12
    f = symoro.loop_geometry(robot).compile("numpy")
    branches = f.branches(q[list(f.assembler().active)], limits=False)
    assert np.abs(f.gap(branches)).max() < 1e-12
    assert np.abs((branches - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1).min() < 1e-6
    for one, other in zip(*np.triu_indices(len(branches), 1), strict=True):
        assert np.abs((branches[one] - branches[other] + np.pi) % (2 * np.pi) - np.pi).max() > 1e-6


def test_planar_loops_with_four_unknown_joints_are_not_eliminated() -> None:
    """A planar loop has three equations: two loops of the six-bar linkage determine their joints together."""
    assert symoro.loop_geometry(six_bar()).compile("numpy").method == "continuation"
    assert symoro.loop_geometry("four-bar").compile("numpy").method == "closed form"
