"""Direct dynamics of a chain of n joints: operations, seconds to generate, and the exponent of n with which each grows.

python benchmarks/direct_scaling.py [--joints 10 20 ... 100] [--method recursive] [--optimize]
"""

from __future__ import annotations

import argparse
from time import perf_counter

from fitting import exponent

import symoro
from symoro.robot.joint import Joint
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import as_value


def chain(n: int) -> Robot:
    """The library's snake with n joints: α alternates between π/2 and −π/2, links of length L."""
    joints = tuple(
        Joint(j, f"joint{j}", j - 1, alpha=as_value("pi/2" if j % 2 else "-pi/2"), d=as_value("L" if j > 1 else 0))
        for j in range(1, n + 1)
    )
    return Robot(f"chain{n}", joints, tuple(Inertia.symbolic(j) for j in range(1, n + 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--joints", type=int, nargs="+", default=list(range(10, 101, 10)))
    parser.add_argument("--method", default="recursive")
    parser.add_argument("--optimize", action="store_true")
    options = parser.parse_args()
    counts, seconds = [], []
    print(f"{'n':>5}{'M':>8}{'A':>8}{'D':>5}{'total/n':>9}{'seconds':>9}")
    for n in options.joints:
        start = perf_counter()
        ops = symoro.direct_dynamics(chain(n), method=options.method, optimize=options.optimize).ops  # type: ignore[attr-defined]
        seconds.append(perf_counter() - start)
        counts.append(float(ops.total))
        print(f"{n:5}{ops.mul:8}{ops.add:8}{ops.div:5}{ops.total / n:9.1f}{seconds[-1]:9.2f}", flush=True)
    growth, slowing = exponent(options.joints, counts), exponent(options.joints, seconds)
    print(f"operations grow as n^{growth:.3f}, seconds as n^{slowing:.3f}")


if __name__ == "__main__":
    main()
