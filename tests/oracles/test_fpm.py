"""The package of Fortran, built and tested by Fortran's own package manager."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support.packages import search_path
from support.small_programs import every_operation
from support.tools import needs_fortran
from symoro.emit import Source, emit_all


@needs_fortran
def test_fpm_builds_the_package_and_runs_its_self_test(tmp_path: Path) -> None:
    emit_all([Source(every_operation(), "every")], "fortran", tmp_path)
    environment = os.environ | {"PATH": search_path()}
    for command, wanted in (("test", "every: 20 cases"), ("run", "=")):
        ran = subprocess.run(
            ["fpm", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert wanted in ran.stdout + ran.stderr
        assert "FAILED" not in ran.stdout + ran.stderr
