"""docs/walk.md is what docs/walk.py writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "walk.py"


def test_the_walk_is_the_one_of_the_code() -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"], check=False)
    assert run.returncode == 0, "the walk has changed: run python docs/walk.py"
