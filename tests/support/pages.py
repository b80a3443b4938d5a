"""Code of documentation pages: blocks by their first line, and a block as a module."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest


def blocks(page: Path, language: str) -> dict[str, str]:
    """The blocks of code of a page, by their first line."""
    found = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return {text.partition("\n")[0].removeprefix("# "): text for text in found}


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
