"""Inverse geometry of arms without a closed form on the page: branches of one pose by the general method."""

from __future__ import annotations

from typing import Any

import numpy as np

from symoro.errors import NotApplicable
from symoro.general_geometry import GeneralGeometry
from symoro.inverse import inverse_geometry
from symoro.models.geometric.inverse.solutions import Status
from symoro.robot.robot import Robot
from symoro.web.program import program_data


def general_data(found: GeneralGeometry) -> dict[str, Any]:
    """What the page shows: the direct model, whose pose must be the wanted one, and how branches are found."""
    steps = [
        {
            "number": number,
            "unknowns": [],
            "type": "",
            "source": text,
            "equation": "",
            "solution": "",
            "degenerate": "",
            "branches": found.branches if number == 1 else 1,
            "coefficients": {},
        }
        for number, text in enumerate(found.derivation.steps, 1)
    ]
    inverse = {"joints": found.joints, "branches": found.branches, "task": found.task, "numeric": True}
    return program_data(found.forward.program) | {"inverse": inverse | {"steps": steps, "separated_by": [], "goal": {}}}


def branches_at(robot: Robot, pose: list[float]) -> dict[str, Any]:
    """All branches for a pose, given as three rows of four numbers."""
    found = inverse_geometry(robot, method="general")
    if not isinstance(found, GeneralGeometry):
        raise NotApplicable(f"{robot.name}: the general method is for open chains on a fixed base")
    T = np.vstack([np.reshape(pose, (3, 4)), [0.0, 0.0, 0.0, 1.0]])
    s = found.compile("numpy")(T)
    if s.status is Status.INVALID:
        raise NotApplicable("this is no pose: its rotation is not orthogonal")
    return {
        "q": [row.tolist() for row, valid in zip(s.q, s.valid, strict=True) if valid],
        "status": str(s.status.value),
        "distance": float(s.distance),
    }
