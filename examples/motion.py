"""Profiles of K13 chapter 8 and controllers of chapter 9, compared: python examples/motion.py.

Pictures go into the folder motion/: each profile with position, velocity and acceleration (K13 Figures 8.3-8.9), and
the errors of three controllers on the same motion.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import symoro
from symoro.motion.profiles import KINDS
from symoro.report.curves import plot

FOLDER = Path("motion")


def profiles() -> None:
    """The shortest time of each profile for the same limits."""
    for name, kind in KINDS.items():
        limits = {"velocity": [1.0, 2.0]} | ({"acceleration": [2.0, 6.0]} if "A" in kind.keeps else {})
        limits |= {"jerk": 20.0} if name == "jerk-limited" else {}
        t = symoro.trajectory([0.0, 0.0], [1.0, -3.0], name, **limits)
        t.plot(FOLDER / f"{name}.svg")
        print(f"{name:26s} {t.duration:.4f} s")


def controllers() -> None:
    """An arm whose load weighs 20 % more than its controllers know."""
    robot = symoro.load("planar2r")
    t = symoro.trajectory([0.0, 0.0], [1.5, -1.0], "quintic", duration=1.0)
    heavier = {"M2": 1.2 * robot.values.numbers()["M2"], "MX2": 1.2 * robot.values.numbers()["MX2"]}
    laws = {
        "PID": symoro.pid(robot, 15.0),
        "PD and gravity": symoro.pd_gravity(robot, [400.0, 100.0], [60.0, 15.0]),
        "computed torque": symoro.computed_torque(robot, 15.0),
    }
    errors = {}
    for name, law in laws.items():
        s = symoro.simulate(robot, law, t, values=heavier, duration=2.0)
        errors[name] = np.linalg.norm(s.error, axis=1)
        print(f"{name:16s} largest error {errors[name].max():.4f} rad, after 2 s {errors[name][-1]:.4f} rad")
    plot(s.t, np.column_stack(list(errors.values())), list(errors), unit="error (rad)", to=FOLDER / "controllers.svg")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    profiles()
    controllers()


if __name__ == "__main__":
    main()
