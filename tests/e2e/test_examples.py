"""The examples run as they are, without a warning, and find what they say they find."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.samples import named

FOLDER = Path(__file__).parents[2] / "examples"
#: What each example prints; the demonstration has tests of its own.
EXAMPLES = {
    "closed_loop": "wrench in the cut joint",
    "elastic_joints": "1.0 s: deformations",
    "floating_base": "the satellite has turned by 31.4",
    "mobile_manipulator": "1 N m on each wheel from rest",
    "motion": "computed torque  largest error",
    "parallel_robot": "the file gives the same robot: True",
}
#: They take more than a few seconds.
LARGE = {"motion", "parallel_robot"}


def test_every_example_is_here():
    assert {path.stem for path in FOLDER.glob("*.py")} == {"demo", *EXAMPLES}


@pytest.mark.parametrize("name", named(EXAMPLES, LARGE))
def test_an_example_runs_and_prints_its_result(name, tmp_path):
    command = [sys.executable, "-W", "error", FOLDER / f"{name}.py"]
    out = subprocess.check_output(command, text=True, cwd=tmp_path)
    assert EXAMPLES[name] in out
    assert "nan" not in out.lower()
