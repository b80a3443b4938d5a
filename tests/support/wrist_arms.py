"""Random arms with a spherical wrist: any three joints, then three axes that meet in a point."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from support.kinematics import Reference
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, Value, as_value

ARM_ANGLES = ("0", "pi/2", "-pi/2", "pi", "pi/3", "0.7")
WRIST_ANGLES = ("pi/2", "-pi/2", "pi/3", "1.1")


def wrist_arm(seed: int) -> Robot:
    """A random arm; a length is zero or a symbol with a value."""
    rng = np.random.default_rng(seed)
    values: dict[str, Value] = {}

    def length(name: str) -> Value:
        if rng.random() < 0.4:
            return as_value(0)
        values[name] = as_value(round(float(rng.uniform(0.2, 1.0)), 3))
        return Symbol(name)

    joints = []
    for j in range(1, 7):
        prismatic = j <= 3 and rng.random() < 0.25
        kind = JointKind.PRISMATIC if prismatic else JointKind.REVOLUTE
        angle = str(rng.choice(ARM_ANGLES if j <= 4 else WRIST_ANGLES)) if j > 1 else "0"
        offsets = j <= 4
        joints.append(
            Joint(
                index=j,
                name=f"joint{j}",
                parent=j - 1,
                kind=kind,
                alpha=as_value(angle),
                d=length(f"D{j}") if offsets and j > 1 else as_value(0),
                theta=as_value(0) if not prismatic else as_value(str(rng.choice(["0", "pi/2", "0.4"]))),
                r=length(f"RL{j}") if offsets and not prismatic and j > 1 else as_value(0),
            )
        )
    zero = as_value(0)
    return Robot(
        name=f"wrist{seed}",
        joints=tuple(joints),
        gravity=(zero, zero, zero),
        values=values,  # type: ignore[arg-type]
    )


def regular_wrist_arms(count: int) -> list[Robot]:
    """The first random arms that are not singular everywhere."""
    found: list[Robot] = []
    seed = 0
    while len(found) < count:
        arm = wrist_arm(seed)
        q = np.random.default_rng(seed).normal(size=6)
        if abs(np.linalg.det(Reference(arm, q).jacobian(6, pin.LOCAL))) > 1e-6:
            found.append(arm)
        seed += 1
    return found
