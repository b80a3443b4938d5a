"""A tripod with an arm on its platform and a slider beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from symoro.formats import toml
from symoro.robot import library
from symoro.robot.robot import Robot

ARMS = """
[[joints]]
name = "shoulder"
parent = "platform"
alpha = "pi/2"
inertia = {XX = 0.2, YY = 0.3, ZZ = 0.25, MX = 0.4, MY = 0.1, M = 2}
drive = {IA = 0.05}

[[joints]]
name = "elbow"
d = 0.3
actuated = false
inertia = {XX = 0.1, YY = 0.1, ZZ = 0.12, MX = 0.2, MZ = 0.05, M = 1}

[[joints]]
name = "slider"
parent = 0
d = 0.5
kind = "prismatic"
inertia = {M = 3}

[leg]"""


@cache
def robot() -> Robot:
    """Without friction."""
    found = toml.read_text(library.text("3rps").replace("[leg]", ARMS, 1), "x").robot
    return found.with_values({n: 0 for n in found.values if n[:2] in ("FV", "FS")})


@cache
def driven() -> Robot:
    """With a motor in each joint of the arm."""
    joints = tuple(replace(joint, actuated=joint.actuated or joint.name == "elbow") for joint in robot().joints)
    return replace(robot(), joints=joints)
