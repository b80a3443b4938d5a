"""The keys of `.par` files."""

from __future__ import annotations

from symoro.robot.joint import MOTION
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.topology import is_serial

SCALARS = ("NF", "NL", "NJ", "Type", "is_floating", "is_mobile")
GEOMETRIC = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
"""One item for each frame 1 … NF."""
LINKS = (*Inertia.names(), *Drive.names(), *Wrench.names())
"""One item for each link 1 … NL; if the base is floating or mobile, the first item is that of link 0."""
JOINTS = ("eta", "k", *MOTION.values())
"""One item for each joint 1 … NJ."""
VECTORS = {"W0": 3, "WP0": 3, "V0": 3, "VP0": 3, "G": 3, "Z": 16}

TYPES = ("simple", "tree", "closed loop")
"""The meaning of the numbers of `Type`."""


def type_of(robot: Robot) -> int:
    """The number `Type` of a robot."""
    return 2 if robot.cuts else 0 if is_serial(robot) else 1


KEYS = (*SCALARS, *GEOMETRIC, *LINKS, *JOINTS, *VECTORS)
BY_LOWER = {key.lower(): key for key in KEYS}
"""Files differ in the case of keys: Ant and ant, B and b."""
