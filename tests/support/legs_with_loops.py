"""Parallel robots whose legs are trees or have closed loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import symoro
from symoro.formats import toml
from symoro.models.build import known_parameters
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot

TWO_ARMS = """
format = 1
kind = "parallel"
name = "two-sr400"
gravity = [0, 0, "G3"]

[platform]
inertia = "symbolic"
home = [0, 0, 1.0]

[leg]
robot = "sr400"
attachment = "fixed"
end = "flange"

[[legs]]
base = {b = 0.1, d = -1.3}
platform = {alpha = "2*pi/3", d = -0.1}

[[legs]]
base = {gamma = "pi", d = -1.3}
platform = {gamma = "pi", alpha = "2*pi/3", d = -0.1}

[values]
G3 = -9.81
"""
"""Two arms with a parallelogram each: motor 7 is beside the way to the flange."""

FOUR_BARS = """
format = 1
kind = "parallel"
name = "3rrr-four-bars"
gravity = [0, "G2", 0]

[platform]
inertia = "symbolic"
home = [0, 0, 0]

[leg]
attachment = "revolute"
end = "end"

[[leg.joints]]
name = "stand"
kind = "fixed"

[[leg.joints]]
name = "shoulder"
parent = "stand"
actuated = false
inertia = "symbolic"

[[leg.joints]]
name = "knee"
parent = "shoulder"
d = "L1"
actuated = false
inertia = "symbolic"
drive = {FV = "FV3"}

[[leg.joints]]
name = "crank"
parent = "stand"
d = "B"
inertia = "symbolic"
drive = "symbolic"

[[leg.joints]]
name = "coupler"
parent = "crank"
d = "A"
actuated = false
inertia = "symbolic"

[[leg.joints]]
name = "cut"
parent = "coupler"
d = "C"
actuated = false

[[leg.joints]]
name = "mate"
parent = "shoulder"
kind = "fixed"
d = "H"

[[leg.cuts]]
joint = "cut"
mate = "mate"

[[leg.frames]]
name = "end"
link = "knee"
pose = [[1, 0, 0, "L2"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

[leg.values]
L1 = 0.3
L2 = 0.3
A = 0.18
B = 0.2
C = 0.19
H = 0.08

[[legs]]
base = {gamma = "pi/2", d = 0.5}
platform = {gamma = "pi/2", d = 0.15}

[[legs]]
base = {gamma = "7*pi/6", d = 0.5}
platform = {gamma = "7*pi/6", d = 0.15}

[[legs]]
base = {gamma = "11*pi/6", d = 0.5}
platform = {gamma = "11*pi/6", d = 0.15}

[values]
G2 = -9.81
"""
"""Planar legs whose motors move the first link through a four-bar linkage with unequal bars."""

COUNTERWEIGHT = """
[[leg.joints]]
name = "counterweight"
parent = "motor"
kind = "fixed"
d = -0.1
inertia = "symbolic"

[[leg.frames]]"""
"""A branch of the first link of each leg."""


@cache
def _read(text: str) -> ParallelRobot:
    """The robot, with the number 1 for symbols that have none: tests give others."""
    robot = toml.read_text(text, "robot").robot
    assert isinstance(robot, ParallelRobot)
    missing = known_parameters(robot)
    return robot.with_values({name: 1 for name in missing if name not in robot.values})


@cache
def _loaded(name: str) -> ParallelRobot:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
    return robot


ROBOTS: dict[str, Callable[[], ParallelRobot]] = {
    "delta-parallelogram": lambda: _loaded("delta-parallelogram"),
    "delta-counterweights": lambda: _read(library.text("delta").replace("[[leg.frames]]", COUNTERWEIGHT)),
    "two-sr400": lambda: _read(TWO_ARMS),
    "3rrr-four-bars": lambda: _read(FOUR_BARS),
}
