"""Poses at which two branches of a leg meet are reached in both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro

HEAD = """kind = "parallel"
name = "slides"
gravity = [0, -9.81, 0]
[platform]
inertia = {M = 1, ZZ = 0.1}
home = [0.02, 0.3, 0]
"""
SLIDE = """[[legs]]
attachment = "revolute"
end = "end"
base = {{alpha = "-pi/2", d = {0}}}
platform = [{1}, 0, 0]
[[legs.joints]]
kind = "prismatic"
[[legs.joints]]
alpha = "pi/2"
actuated = false
[[legs.frames]]
name = "end"
link = 2
pose = [[1,0,0,0.5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]
"""
CRANK = """[[legs]]
attachment = "revolute"
base = {d = 0.1, alpha = 0}
platform = [0, 0.1, 0]
end = "end"
[[legs.joints]]
[[legs.joints]]
d = 0.4
actuated = false
[[legs.frames]]
name = "end"
link = 2
pose = [[1,0,0,0.4],[0,1,0,0],[0,0,1,0],[0,0,0,1]]
"""


@pytest.mark.parametrize("branch", [0, 1])
def test_a_leg_at_its_fold_is_reached_in_both_branches(tmp_path: Path, branch: int) -> None:
    """Leg 1 has a rod of 0.5 m, whose end is 0.5 m beside its slide at x = 0.2."""
    file = tmp_path / "slides.toml"
    file.write_text(HEAD + SLIDE.format(-0.4, -0.1) + SLIDE.format(0.4, 0.1) + CRANK)
    found = symoro.workspace(symoro.load(file).in_branch(branch, 0, 0), x=[0.1, 0.2, 0.20000001])
    np.testing.assert_array_equal(found.reachable, [True, True, False])
