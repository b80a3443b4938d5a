"""The files name no place outside the repository, and links, versions and pinned packages agree."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
TEXT = {".py", ".md", ".toml", ".txt", ".cff", ".jinja", ".yml", ".yaml", ".csv", ".par", ".json", ".c", ".h", ""}


def files() -> list[Path]:
    """The files under version control; none where there is no git."""
    try:
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


FILES = [path for path in files() if path.suffix in TEXT]
PAGES = [path for path in FILES if path.suffix == ".md"]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.~/-])/(work|root|home|opt|Users|mnt)/",  # a path of somebody's machine
        r"(?<![\w/-])(\.\./)*shared/",
        r"\bissue #?\d",
        r"index-url|file:///|find-links",  # the address of a registry
    ],
)
def test_no_file_names_a_path_of_a_machine(pattern: str) -> None:
    own = Path(__file__)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in FILES
        if path != own
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_lock_names_exact_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin)] == []


def test_the_lock_covers_what_the_project_asks_for() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["test"], *extras["dev"]]
    names = {re.match(r"[A-Za-z0-9._-]+", one)[0].lower() for one in asked} - {"symoro"}  # type: ignore[index]
    lock = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    assert [name for name in sorted(names) if f"\n{name}==" not in lock] == []


def test_versions_agree() -> None:
    import tomllib

    import symoro

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == symoro.__version__
    assert f"version: {symoro.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_pinned_packages_install_on_every_python_that_is_allowed() -> None:
    """pip takes no version that wants a newer Python: with such a pin, nothing is installed on an older one."""
    oldest = "3.11.0"
    wanted = {d.name: d.metadata.get("Requires-Python") for d in distributions()}
    assert [name for name, text in wanted.items() if text and not SpecifierSet(text).contains(oldest)] == []
