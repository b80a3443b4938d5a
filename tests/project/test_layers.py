"""Imports point down only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src"


def test_every_contract_of_the_layers_is_kept() -> None:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 kept, 0 broken" in done.stdout


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions count: they hide a circle, but the modules still cannot be understood one by one.

    Imports for type checkers do not count: they are never run, and two types may well name each other, as `Graph` and
    `Expr` do.
    """
    files = {_module(file): file for file in sorted((SOURCES / "symoro").rglob("*.py"))}
    graph = {name: sorted(_imported(file, files.keys()) - {name}) for name, file in files.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " imports ".join(reversed(error.args[1]))
        raise AssertionError(circle) from None


def test_functions_are_imported_and_not_named_by_texts() -> None:
    """Readers and tools can follow an import; they cannot follow "symoro.module:name"."""
    named = re.compile(r"""["']symoro\.[a-z_.]+:""")
    files = sorted((SOURCES / "symoro").rglob("*.py"))
    assert [str(file) for file in files if named.search(file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"isinstance\(.*ParallelRobot",
        r"class \w+\(Robot\)",
        r"(?<!document)(?<!self)\.parallel\b",  # the documents of the page have a part of that name
        r"OfPlatform|renew_properties|_OWN_LOOK|cast\(AnyInverse",
        r"(do|does) not exist for parallel robots",
    ],
)
def test_there_is_one_kind_of_robot(pattern: str) -> None:
    """Arms, loops, floating bases and platforms are one class, and no code has a second way for one of them."""
    files = sorted((SOURCES / "symoro").rglob("*.py"))
    lines = [(file.name, line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    imports = re.compile(r"\s*(from|import) |\s*\"ParallelRobot\": ")
    assert [(name, line) for name, line in lines if re.search(pattern, line) and not imports.match(line)] == []


def test_properties_have_no_locks() -> None:
    """A process that is forked while a thread computes a `functools.cached_property` waits for ever in Python 3.11."""
    files = sorted((SOURCES / "symoro").rglob("*.py"))
    found = sorted(file.name for file in files if "cached_property" in file.read_text(encoding="utf-8"))
    assert found == ["lazy.py", "packed.py"]  # the latter writes code that has no symoro


def _module(file: Path) -> str:
    parts = file.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(file: Path, modules: Set[str]) -> set[str]:
    """The modules of symoro that a file imports anywhere."""
    found = set()
    for node in _run(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else str(node.module) for name in names}
    return found & modules


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree without those that only type checkers read."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _run(child)


def test_importing_symoro_loads_nothing_heavy() -> None:
    """Heavy libraries would make the import slow; the test needs no clock."""
    code = "import sys, symoro; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    heavy = {"numpy", "scipy", "sympy", "llvmlite", "typer", "rich", "jinja2", "click", "pydantic", "mpmath"}
    assert "symoro" in loaded
    assert not loaded & heavy
