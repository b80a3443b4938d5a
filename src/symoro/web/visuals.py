"""What the links of a robot from a URDF file look like, for the page, which has the meshes: the server opens none."""

from __future__ import annotations

from typing import Any

import numpy as np

from symoro.formats.shapes import visuals
from symoro.robot.robot import Robot

MOST = 2000


def visuals_data(robot: Robot) -> list[dict[str, Any]]:
    """Boxes, cylinders, spheres and names of meshes, each with its pose in a named frame (three rows of four)."""
    return [
        {
            "frame": visual.frame,
            "kind": visual.kind,
            "sizes": list(visual.sizes),
            "pose": np.asarray(visual.pose)[:3].ravel().tolist(),
            "colour": None if visual.colour is None else list(visual.colour),
            "mesh": visual.mesh,
        }
        for visual in visuals(robot.shapes)[:MOST]
    ]
