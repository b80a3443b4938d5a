"""Runs the tests of structural decisions as each processor that this machine can play: python tests/processors.py

Ranks, mobility, branches, base parameters, counts and statuses must be the same on every processor. The status is 1
where a test fails, and where the machine cannot play a second processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.processor import Environment, played

TESTS = Path(__file__).parent
FILES = (
    "unit/models/loops",
    "unit/models/identification/test_base_parameters.py",
    "unit/models/geometric/test_inverse_tasks.py",
    "unit/models/geometric/test_undetermined_arms.py",
    "unit/models/geometric/test_limits_of_a_continuum.py",
    "unit/models/geometric/test_one_pose_answers.py",
    "unit/robot/test_parallel_legs.py",
    "oracles/test_loop_base_parameters.py",
    "oracles/test_loop_geometry_and_kinematics.py",
    "oracles/test_loops_by_legs.py",
    "oracles/test_inverse_catalogue.py",
    "oracles/test_general_inverse.py",
    "counts/test_budget.py",
    "project/test_families_page.py",
)


def main() -> int:
    """Run the tests as all processors, two at a time."""
    processors = played()
    print("processors that this machine can play:", *processors, sep="\n  ", flush=True)
    if len(processors) < 2:
        print("a second processor is needed: NumPy or OpenBLAS has one kind of code only here", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(2) as pool:
        passed = list(pool.map(passes, processors, processors.values()))
    return 0 if all(passed) else 1


def passes(processor: str, environment: Environment) -> bool:
    """Whether the tests pass as a processor; what they print is shown where they do not."""
    files = [str(TESTS / file) for file in FILES]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long", *files]
    variables = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | environment
    done = subprocess.run(command, env=variables, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    print(f"{processor}: {lines[-1] if lines else 'no tests'}", flush=True)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
