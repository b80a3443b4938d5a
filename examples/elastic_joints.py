"""An arm with springs behind its motors: the oscillation when the motors stop: python examples/elastic_joints.py."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import symoro


def main() -> None:
    """Hold the motors (q̈ of the motors is 0 in the inverse model) and integrate the motion of the springs."""
    robot = symoro.load("flexible-arm")
    model = symoro.inverse_dynamics(robot)  # QDP of the springs, GAM of the motors
    f = model.compile()
    print(f"{robot.title}: inputs {model.inputs}, outputs {model.outputs}, {model.ops}")

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, qd = np.array([0.3, y[0], -0.5, y[1]]), np.array([0, y[2], 0, y[3]])
        return np.r_[y[2:], f(q, qd, np.zeros(2)).QDP]

    times = np.linspace(0, 1, 11)
    swing = solve_ivp(rate, (0, 1), [0.0, 0.0, 0.0, 0.0], t_eval=times, rtol=1e-9)
    for t, springs in zip(times, swing.y.T, strict=True):
        GAM = f([0.3, springs[0], -0.5, springs[1]], [0, springs[2], 0, springs[3]], [0, 0]).GAM
        print(f"{t:4.1f} s: deformations {np.degrees(springs[:2]).round(3)} degrees, torques {GAM.round(2)} N m")
    pairs = symoro.direct_dynamics("flexible-joints")  # motors and springs of K13 § 7.3.8, as two joints each
    print(f"{pairs.robot.title}: {[joint.variable for joint in pairs.robot.joints]}, {pairs.ops}")


if __name__ == "__main__":
    main()
