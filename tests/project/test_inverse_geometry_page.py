"""docs/inverse-geometry.md is run block by block, in its order; its assertions hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "inverse-geometry.md"


@pytest.mark.long
def test_every_block_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 8
    assert "5. q6: type 3" in capsys.readouterr().out
