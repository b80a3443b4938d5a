"""Time and peak memory for building and optimising the inverse dynamics of chains of n = 5 … 200 joints.

python benchmarks/scaling.py [n ...]

Each chain is built in a separate process, so that its peak memory can be measured. As in the library's snake, every
joint is revolute, the axes turn by ±π/2 from one joint to the next, and all parameters are symbols.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

from fitting import exponent

SIZES = (5, 10, 20, 50, 100, 200)
LIMITS = {20: (1.0, None), 200: (15.0, 1000.0)}
"""n: (CPU seconds, megabytes) that building may take."""


def chain(n: int) -> Any:
    """A chain of n revolute joints."""
    from symoro.robot.joint import Joint
    from symoro.robot.link import Drive, Inertia
    from symoro.robot.robot import Robot
    from symoro.robot.values import Symbol, parse

    joints = tuple(
        Joint(j, f"joint{j}", j - 1, alpha=parse("pi/2" if j % 2 else "-pi/2"), d=Symbol(f"L{j}"))
        for j in range(1, n + 1)
    )
    inertias = tuple(Inertia.symbolic(j) for j in range(1, n + 1))
    drives = tuple(Drive(IA=Symbol(f"IA{j}")) for j in range(1, n + 1))
    return Robot(f"chain{n}", joints, inertias, drives)


def measure(n: int) -> dict[str, float]:
    """Seconds and megabytes of one model, in this process."""
    import symoro

    robot = chain(n)
    symoro.inverse_dynamics("planar2r")  # imports at first use are not measured
    start, cpu = time.perf_counter(), time.process_time()
    model = symoro.inverse_dynamics(robot)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    return {"n": n, "seconds": seconds, "cpu": cpu, "megabytes": peak, "mul": model.ops.mul, "add": model.ops.add}


def main(sizes: list[int]) -> int:
    """Measure, print, and check the limits."""
    print(f"{'joints':>6} {'seconds':>9} {'CPU':>8} {'MB':>6} {'M':>7} {'A':>7} {'(M + A) / n':>12}", flush=True)
    results, broken = [], []
    for n in sizes:
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(n)], stdout=subprocess.PIPE, text=True, check=True
        )
        r = json.loads(done.stdout)
        results.append(r)
        ops = r["mul"] + r["add"]
        used = f"{r['seconds']:9.3f} {r['cpu']:8.3f} {r['megabytes']:6.0f}"
        print(f"{n:6} {used} {r['mul']:7} {r['add']:7} {ops / n:12.1f}", flush=True)
        seconds, megabytes = LIMITS.get(n, (None, None))
        if (seconds and r["cpu"] > seconds) or (megabytes and r["megabytes"] > megabytes):
            broken.append(f"{n} joints: more than {seconds} s" + (f" or {megabytes:g} MB" if megabytes else ""))
    if len(results) > 1:
        larger = [r for r in results if r["n"] >= 20]
        fitted = larger if len(larger) > 1 else results
        growth = exponent([r["n"] for r in fitted], [r["cpu"] for r in fitted])
        print(f"time grows as n^{growth:.2f} from {fitted[0]['n']} to {fitted[-1]['n']} joints")
    print("\n".join(broken) if broken else "within the limits: 20 joints in 1 s, 200 in 15 s and 1 GB")
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        sys.exit(main([int(word) for word in sys.argv[1:]] or list(SIZES)))
