"""The tests themselves: names of files, places of helpers, and no test that CI passes over."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODULES = sorted(path for path in TESTS.rglob("*.py") if "__pycache__" not in path.parts)


def shown(path: Path) -> str:
    return str(path.relative_to(TESTS))


def test_the_name_of_a_module_is_found_once() -> None:
    count = Counter(path.name for path in MODULES)
    twice = [
        shown(path) for path in MODULES if count[path.name] > 1 and path.name not in ("conftest.py", "__init__.py")
    ]
    assert not twice, twice


def test_helpers_are_in_support() -> None:
    """Outside it there are tests, conftest.py, and tools that have a command line."""
    others = [path for path in MODULES if path.parent.name != "support" and not path.name.startswith("test_")]
    tools = [path for path in others if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")]
    assert [shown(path) for path in others if path not in tools and path.name != "conftest.py"] == []
    assert [shown(path) for path in MODULES if path.parent.name == "support" and path.name.startswith("test_")] == []


@pytest.mark.parametrize("path", [p for p in MODULES if p.name.startswith("test_")], ids=shown)
def test_no_test_module_imports_another(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [module for module in modules if module.rpartition(".")[2].startswith("test_")] == []


SKIPPED = """
import pytest

@pytest.mark.skipif(True, reason="there is no such tool")
def test_a_mark(): ...

def test_a_call():
    pytest.skip("not here")

@pytest.mark.xfail
def test_a_known_failure():
    assert False
"""


@pytest.mark.parametrize(("ci", "outcome"), [("", "2 skipped, 1 xfailed"), ("true", "1 failed, 1 xfailed, 1 error")])
def test_a_skip_is_a_failure_in_ci(ci: str, outcome: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_skipped.py").write_text(SKIPPED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, env={**os.environ, "CI": ci}, capture_output=True, text=True, check=False)
    assert outcome in done.stdout
    assert done.returncode == (1 if ci else 0)
    if ci:
        assert "there is no such tool (with CI=true nothing may be skipped)" in done.stdout
