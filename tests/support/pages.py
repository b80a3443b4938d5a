"""Code of documentation pages: blocks by their first line, a block as a module, and a page run from top to bottom."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest


class Block(NamedTuple):
    """A block of a page: its language, its text and its line."""

    language: str
    text: str
    line: int


class Ran(NamedTuple):
    """A block that was run, what it printed, and what the page says that it prints (None where it says nothing)."""

    block: Block
    printed: str
    expected: str | None


def blocks(page: Path, language: str) -> dict[str, str]:
    """The blocks of code of a page, by their first line."""
    found = [block.text for block in sequence(page) if block.language == language]
    return {text.partition("\n")[0].removeprefix("# "): text for text in found}


def sequence(page: Path) -> list[Block]:
    """The blocks of code of a page in their order."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [Block(m[1], m[2], text.count("\n", 0, m.start()) + 1) for m in found]


def run_page(page: Path, folder: Path) -> list[Ran]:
    """Run a page as its reader does, in one folder: Python in one session, commands in a shell, files by their names.

    A block of another language whose first line is a comment with a file's name is written to that file. A block
    `text` is what the block before it prints.
    """
    found, all_blocks, names = [], sequence(page), dict[str, object]()
    for name in ("emps", "tx40"):  # measurements that a page may read
        if f'"{name}/' in page.read_text(encoding="utf-8") and not (folder / name).exists():
            (folder / name).symlink_to(Path(__file__).parents[1] / "data" / name)
    for place, block in enumerate(all_blocks):
        after = all_blocks[place + 1] if place + 1 < len(all_blocks) else None
        expected = after.text if after is not None and after.language == "text" else None
        if block.language == "python":
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
            found.append(Ran(block, printed.getvalue(), expected))
        elif block.language == "sh":
            found.append(Ran(block, shell(block.text, folder), expected))
        elif file := re.match(r"(?:#|//|/\*) (\S+\.\w+)", block.text):
            (folder / file[1]).write_text(block.text, encoding="utf-8")
    return found


def shell(text: str, folder: Path) -> str:
    """What commands print; `symoro` is the one of this interpreter."""
    tools = folder / ".tools"
    if not tools.exists():
        tools.mkdir()
        (tools / "symoro").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symoro "$@"\n', encoding="utf-8")
        (tools / "symoro").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-eu", "-c", text], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def as_module(text: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The text as a module of this name, for one test."""
    file = folder / f"{name.rpartition('.')[2]}.py"
    file.write_text(text, encoding="utf-8")
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module
