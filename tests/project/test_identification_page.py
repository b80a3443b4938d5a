"""docs/identification.md is run block by block, in its order; its assertions hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "identification.md"


def test_every_block_of_the_page_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 6
    assert "ZZR1" in capsys.readouterr().out


def test_the_page_shows_every_identification_model() -> None:
    from symoro.models.catalogue import entries

    text = PAGE.read_text(encoding="utf-8")
    assert [e.name for e in entries() if e.menu == "Identification" and f"| `{e.name}` |" not in text] == []
