"""A satellite whose arm moves: the motion of its floating base: python examples/floating_base.py."""

from __future__ import annotations

import numpy as np

import symoro


def main(seconds: float = 4.0, steps: int = 4000) -> None:
    """Move the arm along a given path, and integrate the acceleration of the base, which the inverse model gives."""
    robot = symoro.load("satellite")
    model = symoro.inverse_dynamics(robot)  # VP0 and GAM
    f, h = model.compile(), seconds / steps
    print(f"{model.title} of {robot.title}: inputs {model.inputs}, outputs {model.outputs}, {model.ops}")
    quat, V0 = np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(6)
    for step in range(steps):
        q, qd, qdd = swing(h * (step + 0.5), seconds)
        VP0 = f(quat, V0, q, qd, qdd).VP0
        quat, V0 = moved(quat, V0, VP0, h)
    turn = 2 * np.degrees(np.arcsin(np.linalg.norm(quat[:3])))
    print(f"after {seconds:g} s the arm stands at {np.degrees(swing(seconds, seconds)[0]).round(1)} degrees,")
    print(f"the satellite has turned by {turn:.2f} degrees and moves on with |V0| = {np.linalg.norm(V0):.1e}")


def swing(t: float, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A quintic path from rest to rest: position, velocity, acceleration."""
    x, reach = t / seconds, np.radians([60.0, -90.0, 45.0])
    position, velocity = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / seconds
    return reach * position, reach * velocity, reach * 60 * x * (1 - x) * (1 - 2 * x) / seconds**2


def moved(quat: np.ndarray, V0: np.ndarray, VP0: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """A small step. VP0 is the acceleration of the origin: the components of V0 change by VP0 − ω × v."""
    v, w = V0[:3], V0[3:]
    change = VP0 - np.r_[np.cross(w, v), np.zeros(3)]
    middle = V0 + change * h / 2
    x, s = quat[:3], quat[3]
    turned = quat + h / 2 * np.r_[s * middle[3:] + np.cross(x, middle[3:]), -x @ middle[3:]]
    return turned / np.linalg.norm(turned), V0 + change * h


if __name__ == "__main__":
    main()
