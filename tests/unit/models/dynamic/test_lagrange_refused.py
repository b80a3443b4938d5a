"""Lagrange's equations are written for trees with a motor for each variable; other robots are refused in words."""

from __future__ import annotations

import pytest

import symoro
from support.raised import raised
from symoro.errors import NotApplicable


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "diff-drive-2r"])
def test_loops_and_wheels(name: str) -> None:
    with raised("dynamics.method_for_trees", NotApplicable):
        symoro.inverse_dynamics(name, method="lagrange")
