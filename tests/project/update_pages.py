"""Runs the pages for users and writes what they show: answers of blocks, and pictures.

python tests/project/update_pages.py             every page
python tests/project/update_pages.py tutorial    one page
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.pages import Ran, run_page

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
NAMES = ("tutorial", "identification", "motion", "parallel")
PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in NAMES)]
PAGES += sorted((ROOT / "docs").glob("for-*.md"))


def update(page: Path) -> None:
    """Run the page in an empty folder, then write its answers and those of its files that are pictures of a page."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = answered(page.read_text(encoding="utf-8"), run_page(page, Path(folder)))
        page.write_text(text, encoding="utf-8")
        PICTURES.mkdir(exist_ok=True)
        for name in re.findall(r"pictures/([\w-]+\.svg)", text):
            if Path(name).exists():
                (PICTURES / name).write_bytes(Path(name).read_bytes())
        os.chdir(ROOT)


def answered(text: str, ran: list[Ran]) -> str:
    """The page with each block `text` replaced by what the block before it has printed."""
    for one in ran:
        if one.expected is not None:
            code = f"```{one.block.language}\n{one.block.text}```"
            at = text.index(code) + len(code)
            old = f"```text\n{one.expected}```"
            text = text[:at] + text[at:].replace(old, f"```text\n{one.printed.rstrip()}\n```", 1)
    return text


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for page in PAGES:
        if not chosen or page.stem in chosen:
            print(page.relative_to(ROOT), flush=True)
            update(page)
