"""The keys of `.par` files."""

from __future__ import annotations

from symoro.robot.joint import MOTION
from symoro.robot.link import Drive, Inertia, Wrench

SCALARS = ("NF", "NL", "NJ", "Type", "is_floating", "is_mobile")
GEOMETRIC = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
"""One item for each frame 1 … NF."""
LINKS = (*Inertia.names(), *Drive.names(), *Wrench.names())
"""One item for each link 1 … NL; if the base is floating or mobile, the first item is that of link 0."""
JOINTS = ("eta", "k", *MOTION.values())
"""One item for each joint 1 … NJ."""
VECTORS = {"W0": 3, "WP0": 3, "V0": 3, "VP0": 3, "G": 3, "Z": 16}

KEYS = (*SCALARS, *GEOMETRIC, *LINKS, *JOINTS, *VECTORS)
BY_LOWER = {key.lower(): key for key in KEYS}
"""Files differ in the case of keys: Ant and ant, B and b."""
