"""A differential drive with an arm: wheels that roll without slipping: python examples/mobile_manipulator.py."""

from __future__ import annotations

import numpy as np

import symoro


def main() -> None:
    """The torques of the motors on a straight line, in a curve, and while the arm moves."""
    robot = symoro.load("diff-drive-2r")
    model = symoro.inverse_dynamics(robot)
    f = model.compile()
    print(f"{robot.title}: inputs {model.inputs}, outputs {model.outputs}, {model.ops}")
    q = np.array([0, 0, 0.4, 0.6])
    for text, qd in (("straight", [10, 10, 0, 0]), ("curve", [8, 12, 0, 0]), ("arm swings", [10, 10, 2, 1])):
        found = f(q, qd, np.zeros(4))
        vx, wz = found.V0[[0, 5]].round(9) + 0.0  # no -0.00
        print(f"{text:>10}: v = {vx:5.2f} m/s, ω = {wz:5.2f} rad/s, torques {found.GAM.round(3)} N m")
    direct = symoro.direct_dynamics(robot).compile()
    found = direct(q, np.zeros(4), [1, 1, 0, 0])
    print(f"1 N m on each wheel from rest: the base accelerates by {found.VP0[0]:.3f} m/s²")


if __name__ == "__main__":
    main()
