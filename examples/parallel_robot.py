"""A Delta robot with its parallelograms: legs, torques and a file: python examples/parallel_robot.py."""

from __future__ import annotations

import numpy as np

import symoro
from symoro.robot.link import Wrench


def main() -> None:
    """Find the freedoms of the platform, its motors for a pose, and their torques while the platform pushes."""
    robot = symoro.load("delta-parallelogram")
    print(f"{robot.title}: {symoro.mobility(robot)}")
    T = np.eye(4)
    T[:3, 3] = 0.05, -0.03, -0.58
    found = symoro.inverse_geometry(robot).compile()(T)
    print(f"positions of the motors in the branch that reaches the home pose: {found.q[0].round(4)} rad")
    again = symoro.forward_geometry(robot).compile()(found.q[0])
    print(f"positions of the platform for these motors ({again.status}):\n{again.T[:, :3, 3].round(4)}")
    tool = robot.exert(Wrench.symbolic("P"), "platform")
    torques = symoro.inverse_dynamics(tool, params="base").compile()
    V, VP = np.array([0.5, 0, 0, 0, 0, 0]), np.array([0, 10.0, 0, 0, 0, 0])
    for push in (0, 20):
        GAM = torques(T, V, VP, wrench=[0, 0, -push, 0, 0, 0])
        print(f"torques while the platform pushes down by {push} N: {GAM.round(3)} N m")
    symoro.write(tool, "delta-with-tool.toml", force=True)
    print(f"the file gives the same robot: {symoro.load('delta-with-tool.toml') == tool}")


if __name__ == "__main__":
    main()
