"""Counts operations of recursive models of a swimmer with 10 to 100 links: python benchmarks/eel.py [links ...]."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from fitting import slope

import symoro
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot

SIZES = (10, 20, 30, 50, 75, 100)
MODELS = {"inverse_dynamics": "newton-euler", "direct_dynamics": "recursive"}


def eel(links: int) -> Robot:
    """The eel of the library with another number of links; the water's wrenches are left out."""
    robot = symoro.load("eel50")
    first, second, third = robot.joints[:3]
    joints = [first]
    for j in range(2, links + 1):
        like: Joint = second if j % 2 == 0 else third
        joints.append(Joint(j, f"joint{j}", j - 1, alpha=like.alpha, d=like.d))
    return replace(
        robot, name=f"eel{links}", joints=tuple(joints), inertias=(robot.inertia(1),) * links, drives=(), wrenches=()
    )


def main(sizes: Sequence[int]) -> int:
    """Operations and seconds for each size, and the slope of the operations."""
    for name, method in MODELS.items():
        totals, straight = [], True
        print(f"{name}\n{'links':>6} {'M + A + D':>10} {'per link':>9} {'seconds':>8}")
        for n in sizes:
            start = time.perf_counter()
            ops = getattr(symoro, name)(eel(n), method=method).ops.total
            totals.append(ops)
            print(f"{n:6} {ops:10} {ops / n:9.1f} {time.perf_counter() - start:8.2f}", flush=True)
        if len(sizes) > 2:
            line = slope(sizes, totals)
            middle = totals[0] + line * (sizes[-1] - sizes[0])
            straight = abs(middle - totals[-1]) <= 0.02 * totals[-1]
            print(f"slope: {line:.1f} operations a link{'' if straight else ', and not a straight line'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or SIZES))
