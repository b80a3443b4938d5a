"""A five-bar linkage: torques of its motors, and the wrench in its cut joint: python examples/closed_loop.py."""

from __future__ import annotations

import numpy as np

import symoro


def main() -> None:
    """Close the loop for given motors; compute torques, the inertia matrix and the wrench in the cut joint."""
    robot = symoro.load("five-bar")
    model = symoro.inverse_dynamics(robot)
    print(f"{robot.title}: inputs {model.inputs}, outputs {model.outputs}, {model.ops}")
    q = symoro.loop_geometry(robot).compile()([2.0, 1.0])  # of all joints, where the motors stand at 2 and 1
    qd, qdd = np.array([1.0, -0.5]), np.array([0.0, 2.0])
    G = symoro.loop_kinematics(robot).compile()(q, qd).G
    print(f"positions of all joints: {q.round(4)} rad, velocities {(G @ qd).round(4)} rad/s")
    print(f"torques of the motors: {model.compile()(q, qd, qdd).round(4)} N m")
    print(f"A of the motors:\n{symoro.inertia_matrix(robot).compile()(q).round(4)}")
    print(f"wrench in the cut joint: {symoro.cut_wrenches(robot).compile()(q, qd, qdd)[0].round(3)}")
    torques = model.derivative("q").compile()(q, qd, qdd)
    print(f"derivatives of the torques as the motors move, the loop staying closed:\n{torques.round(4)}")


if __name__ == "__main__":
    main()
