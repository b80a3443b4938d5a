"""benchmarks/limits.py measures what it says."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import symoro
from symoro.bench.cases import plain
from symoro.formats import load
from symoro.ir.expr import Op

ROOT = Path(__file__).parents[2]
#: The instructions that are counted are those of x86.
ROBOTS = ("planar3r",) if platform.machine() in ("x86_64", "AMD64") else ()
#: Multiplications of a sine with its cosine: quadrant, three parts of pi/2, r², r³, the polynomials of sine and cosine.
OF_A_SINE = 1 + 3 + 2 + 6 + 7


@pytest.mark.parametrize("robot", ROBOTS)
def test_each_multiplication_of_a_batch_is_counted_once(robot: str) -> None:
    words = [sys.executable, ROOT / "benchmarks" / "limits.py", "--one", "batch", robot, "inverse_dynamics"]
    done = subprocess.run([*words, "--rounds", "1"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    program = symoro.inverse_dynamics(plain(load(robot))).program
    angles = {a.name for i in program.instructions if i.op in (Op.SIN, Op.COS) for a in i.args}
    assert found["count"] == program.ops.mul + OF_A_SINE * len(angles)
    assert 0 < found["fma"] < found["in cache"]
    assert {"batch threads=1", "batch threads=2", "float64", "float32"} < found.keys()


def test_robots_and_numbers_that_do_not_exist_are_named() -> None:
    for words, message in ((("nobody",), "no robot 'nobody'"), (("--rounds", "0"), "0 is not a number from 1 on")):
        command = [sys.executable, ROOT / "benchmarks" / "limits.py", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr
