"""Parallel robots of several kinds of legs: platforms that a passive leg holds, and other ways to assemble one."""

from __future__ import annotations

from functools import cache

from symoro.formats import toml
from symoro.robot.robot import Robot

_HEAD = """
format = 1
kind = "parallel"
gravity = [0, 0, -9.81]
[platform]
home = [0, 0, 1]
[leg]
attachment = "spherical"
[[leg.joints]]
name = "universal 1"
actuated = false
[[leg.joints]]
name = "universal 2"
alpha = "pi/2"
theta = "q2 + pi/2"
actuated = false
[[leg.joints]]
name = "slider"
kind = "prismatic"
alpha = "pi/2"
"""
"""Legs of a universal joint and a slider with a motor."""

_SLIDERS = """
[[legs]]
base = {gamma = 0.1, alpha = 1.5, d = 0.6, b = 0.05}
platform = [0.3, 0.02, 0.01]
[[legs]]
base = {gamma = 2.2, alpha = 1.4, d = 0.55, b = -0.03}
platform = [-0.2, 0.28, 0.04]
[[legs]]
base = {gamma = 4.1, alpha = 1.6, d = 0.65}
platform = [-0.16, -0.25, -0.03]
"""

_PASSIVE_SLIDER = """
[[legs]]
base = {alpha = "pi/2"}
attachment = "fixed"
end = "end"
[[legs.joints]]
name = "universal 1"
actuated = false
[[legs.joints]]
name = "universal 2"
alpha = "pi/2"
theta = "q2 + pi/2"
actuated = false
[[legs.joints]]
name = "slider"
kind = "prismatic"
alpha = "pi/2"
actuated = false
[[legs.frames]]
name = "end"
link = 3
pose = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
"""

_PASSIVE_BALL = """
[[legs]]
base = {b = 1, alpha = "pi/2"}
attachment = "fixed"
[[legs.joints]]
name = "ball 1"
actuated = false
[[legs.joints]]
name = "ball 2"
alpha = "pi/2"
actuated = false
[[legs.joints]]
name = "ball 3"
alpha = "pi/2"
actuated = false
"""

TEXTS = {
    "ball-and-sliders": f'name = "ball-and-sliders"\n{_HEAD}{_SLIDERS}{_PASSIVE_BALL}',
    "tricept": f'name = "tricept"\n{_HEAD}{_SLIDERS}{_PASSIVE_SLIDER}',
}


@cache
def held(name: str) -> Robot:
    robot = toml.read_text(TEXTS[name], name).robot
    assert robot.platforms
    return robot
