"""Imports point down only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_contract_of_the_layers_is_kept() -> None:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 kept, 0 broken" in done.stdout


def test_importing_symoro_loads_nothing_heavy() -> None:
    """Heavy libraries would make the import slow; the test needs no clock."""
    code = "import sys, symoro; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    heavy = {"numpy", "scipy", "sympy", "llvmlite", "typer", "rich", "jinja2", "click", "pydantic", "mpmath"}
    assert "symoro" in loaded
    assert not loaded & heavy


def test_importing_symoro_costs_few_modules_of_its_own() -> None:
    code = "import sys, symoro; print(*(name for name in sys.modules if name.startswith('symoro')))"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert sorted(loaded) == ["symoro", "symoro.errors"]
