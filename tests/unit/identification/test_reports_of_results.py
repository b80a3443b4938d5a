"""Reports of an identification: the same result gives the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

import symoro
from support.synthetic import run_of


@pytest.mark.parametrize("ending", [".html", ".pdf"])
def test_a_report_is_the_same_on_every_run(ending: str, tmp_path: Path) -> None:
    _, run, _ = run_of("planar2r", count=400)
    files = []
    for name in ("first", "second"):
        found = symoro.identify("planar2r", {"t": run.t, "q": run["q"], "tau": run["tau"]})
        files.append(found.report(tmp_path / f"{name}{ending}").read_bytes())
    assert files[0] == files[1]
