"""Inverse geometry of arms without a closed form on the page: branches of one pose by the general method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symoro.errors import NotApplicable
from symoro.model import Model
from symoro.robot.robot import Robot
from symoro.solve.branches import Status
from symoro.solve.general.robot import NumericDriver
from symoro.solve.ways import inverse_geometry


def general_inverse(inverse: Model) -> dict[str, Any]:
    """What the page says of the method: how branches are found, and how many there are at most."""
    steps = [
        {
            "number": number,
            "unknowns": [],
            "type": "",
            "source": text,
            "equation": "",
            "solution": "",
            "degenerate": "",
            "branches": inverse.branches if number == 1 else 1,
            "coefficients": {},
        }
        for number, text in enumerate(inverse.derivation.steps, 1)
    ]
    facts = {"joints": inverse.joints, "branches": inverse.branches, "task": inverse.task, "numeric": True}
    return facts | {"steps": steps, "separated_by": [], "goal": {}}


def branches_at(robot: Robot, pose: list[float], positions: Mapping[int, float] | None = None) -> dict[str, Any]:
    """All branches for a pose, three rows of four numbers, and for given positions of some joints."""
    known = positions or {}
    inverse = inverse_geometry(robot, method="general", redundant={j: f"given{j}" for j in known})
    if not isinstance(inverse.driver, NumericDriver):
        raise NotApplicable("page.open_chains", robot=robot.name)
    T = np.vstack([np.reshape(pose, (3, 4)), [0.0, 0.0, 0.0, 1.0]])
    s = inverse.compile("numpy")(T, *([list(known.values())] if known else []))
    if s.status is Status.INVALID:
        raise NotApplicable("page.no_pose")
    return {
        "q": [row.tolist() for row, valid in zip(s.q, s.valid, strict=True) if valid],
        "status": str(s.status.value),
        "distance": float(s.distance),
    }
