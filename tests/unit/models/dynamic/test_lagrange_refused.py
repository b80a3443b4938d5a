"""Lagrange's equations are written for trees with a motor for each variable; other robots are refused in words."""

from __future__ import annotations

import pytest

import symoro
from symoro.errors import NotApplicable


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "diff-drive-2r"])
def test_loops_and_wheels(name: str) -> None:
    with pytest.raises(NotApplicable, match="for trees with a motor for each variable"):
        symoro.inverse_dynamics(name, method="lagrange")
