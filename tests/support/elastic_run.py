"""A simulated run of an arm with elastic joints, measured on both sides of its springs."""

from __future__ import annotations

from typing import Any

import numpy as np

import symoro


def elastic_run(robot: symoro.Robot) -> dict[str, Any]:
    """Positions of links and motors and torques of `flexible-joints` under a controller, at 1 kHz."""
    law = symoro.pid(robot, KP=[80, 40], KD=[15, 8], KI=[5, 5])
    via = [[0.9, 0.5], [-0.6, 1.0], [0.7, -0.8], [-0.5, 0.3]]
    motion = symoro.trajectory([0, 0], [1.2, -1.0], via=via, velocity=4.0, acceleration=12.0, robot=robot)
    s = symoro.simulate(robot, law, motion, period=1e-3)
    links = np.column_stack([s.q[:, 0] + s.q[:, 1], s.q[:, 2] + s.q[:, 3]])
    return {"t": s.t, "q": links, "qm": s.q[:, [0, 2]], "tau": s.tau}
