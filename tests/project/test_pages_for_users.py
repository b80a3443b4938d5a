"""The pages for users are run as a reader does it: from top to bottom, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.pages import run_page, sequence

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", DOCS / "tutorial.md", DOCS / "motion.md", *sorted(DOCS.glob("for-*.md"))]
#: Pages with tests of their own, which run their blocks in another way.
ELSEWHERE = {"adding-a-family", "adding-a-model", "adding-a-target", "cli", "formats", "functions", "identification"}
ELSEWHERE |= {"inverse-geometry"}
#: Pages that take more than a few seconds.
SLOW = ("for-", "motion", "parallel")
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def with_code() -> list[Path]:
    """Every page with code that has no test of its own; a new page is run without an entry anywhere."""
    pages = [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]
    found = [page for page in pages if any(block.language in ("python", "sh") for block in sequence(page))]
    return [page for page in found if page.stem not in ELSEWHERE]


def test_the_pages_for_users_are_among_those_that_are_run() -> None:
    assert set(PAGES) <= set(with_code())


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] * page.stem.startswith(SLOW)) for page in with_code()],
    ids=lambda page: page.stem,
)
def test_every_block_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for block, printed, expected in run_page(page, tmp_path):
        if expected is not None:
            wrong = f"{page.name}:{block.line}: it prints something else (python tests/project/update_pages.py)"
            assert printed.strip() == expected.strip(), wrong
    for name in re.findall(r"pictures/([\w-]+\.svg)", page.read_text(encoding="utf-8")):
        drawn = ElementTree.parse(tmp_path / name).getroot()
        shown = ElementTree.parse(DOCS / "pictures" / name).getroot()
        assert texts(drawn) == texts(shown), f"{name} has changed: python tests/project/update_pages.py"


def texts(picture: ElementTree.Element) -> list[str]:
    """The titles, labels and numbers of a picture."""
    return [text.strip() for text in picture.itertext() if text.strip()]


@by_page
def test_every_block_has_a_language_that_is_run_or_explained(page: Path) -> None:
    """A block without a language is for the eyes only, such as the installation."""
    assert {block.language for block in sequence(page)} <= {"python", "sh", "toml", "text", ""}


def test_every_page_is_in_the_table_of_contents() -> None:
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```{toctree}\n(.*?)```", page, re.DOTALL)
    entries = {line for block in blocks for line in block.splitlines()}
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} <= entries, "name the page in docs/index.md"


def test_the_tutorial_has_twelve_tasks() -> None:
    heads = re.findall(r"^### (\d+)\. ", (DOCS / "tutorial.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads == [str(n) for n in range(1, 13)]


def test_pictures_are_small_and_every_one_is_shown() -> None:
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *DOCS.glob("*.md"))]
    shown = {name for text in texts for name in re.findall(r"pictures/([\w-]+\.(?:svg|png))", text)}
    pictures = {path: path.read_bytes() for path in (DOCS / "pictures").iterdir()}
    assert {path.name for path in pictures} == shown
    for path, content in pictures.items():
        has_pixels = path.suffix == ".png" or b"data:image/png" in content
        assert len(content) < (300_000 if has_pixels else 60_000), path.name
