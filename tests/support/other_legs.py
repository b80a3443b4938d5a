"""Parallel robots whose legs are trees, have closed loops, or slide on the platform."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import symoro
from symoro.formats import toml
from symoro.models.build import known_parameters
from symoro.robot import library
from symoro.robot.robot import Robot

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

SLIDING = """
format = 1
kind = "parallel"
name = "planar-3rrp"
gravity = [0, "G2", 0]

[platform]
inertia = "symbolic"

[leg]
attachment = "prismatic"
end = "end"

[[leg.joints]]
name = "motor"
inertia = "symbolic"
drive = "symbolic"

[[leg.joints]]
name = "knee"
d = "L1"
actuated = false
inertia = "symbolic"

[[leg.frames]]
name = "end"
link = "knee"
pose = [[0, 0, 1, 0.02], [1, 0, 0, "E"], [0, 1, 0, 0.03], [0, 0, 0, 1]]

[leg.values]
L1 = 0.5
E = 0.05

[[legs]]
base = {gamma = "pi/2", d = 0.5}
platform = {b = 0.03, gamma = "pi/2", alpha = "pi/2", d = 0.15}

[[legs]]
base = {gamma = "7*pi/6", d = 0.5}
platform = {b = 0.03, gamma = "7*pi/6", alpha = "pi/2", d = 0.15}

[[legs]]
base = {gamma = "11*pi/6", d = 0.5}
platform = {b = 0.03, gamma = "11*pi/6", alpha = "pi/2", d = 0.15}

[values]
G2 = -9.81
"""
"""Planar legs of two hinges whose ends slide along the sides of the platform."""

SPATIAL = """
format = 1
kind = "parallel"
name = "6usp"
gravity = [0, 0, "G3"]

[platform]
inertia = "symbolic"
home = [0, 0, 0.5]

[leg]
attachment = "prismatic"

[[leg.joints]]
name = "motor"
alpha = "pi/2"
inertia = "symbolic"
drive = "symbolic"

[[leg.joints]]
name = "swing"
alpha = "pi/2"
actuated = false
inertia = "symbolic"

[[leg.joints]]
name = "ball 1"
d = "L"
actuated = false

[[leg.joints]]
name = "ball 2"
alpha = "pi/2"
actuated = false

[[leg.joints]]
name = "ball 3"
alpha = "pi/2"
actuated = false
inertia = "symbolic"

[leg.values]
L = 0.8

[[legs]]
base = {gamma = "0*pi/3", d = 0.6}
platform = {gamma = "0*pi/3 + 0.1", b = 0.00, alpha = "pi/3", d = 0.2}

[[legs]]
base = {gamma = "1*pi/3", d = 0.6}
platform = {gamma = "1*pi/3 + 0.2", b = 0.02, alpha = "pi/2", d = 0.2}

[[legs]]
base = {gamma = "2*pi/3", d = 0.6}
platform = {gamma = "2*pi/3 + 0.3", b = 0.04, alpha = "pi/3", d = 0.2}

[[legs]]
base = {gamma = "3*pi/3", d = 0.6}
platform = {gamma = "3*pi/3 + 0.1", b = 0.06, alpha = "pi/2", d = 0.2}

[[legs]]
base = {gamma = "4*pi/3", d = 0.6}
platform = {gamma = "4*pi/3 + 0.2", b = 0.08, alpha = "pi/3", d = 0.2}

[[legs]]
base = {gamma = "5*pi/3", d = 0.6}
platform = {gamma = "5*pi/3 + 0.3", b = 0.10, alpha = "pi/2", d = 0.2}

[values]
G3 = -9.81
"""
"""Rods between a universal joint and a ball, which slides along a line of the platform."""

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
def _read(text: str) -> Robot:
    """The robot, with the number 1 for symbols that have none: tests give others."""
    robot = toml.read_text(text, "robot").robot
    assert robot.platforms
    missing = known_parameters(robot)
    return robot.with_values({name: 1 for name in missing if name not in robot.values})


@cache
def _loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot


ROBOTS: dict[str, Callable[[], Robot]] = {
    "delta-parallelogram": lambda: _loaded("delta-parallelogram"),
    "delta-counterweights": lambda: _read(library.text("delta").replace("[[leg.frames]]", COUNTERWEIGHT)),
    "two-sr400": lambda: _read(TWO_ARMS),
    "planar-3rrp": lambda: _read(SLIDING),
    "6usp": lambda: _read(SPATIAL),
    "3rrr-four-bars": lambda: _read(FOUR_BARS),
}
