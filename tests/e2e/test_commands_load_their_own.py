"""A command loads its own module and no other command's."""

from __future__ import annotations

import subprocess
import sys

import pytest

from symoro.cli.app import COMMANDS, asked

LOADED = """
import sys
from symoro.cli import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(("line", "own"), [("--version", None), ("list", "listing"), ("check puma560", "check")])
def test_other_commands_are_not_loaded(line: str, own: str | None) -> None:
    run = subprocess.run([sys.executable, "-c", LOADED, *line.split()], capture_output=True, text=True, check=True)
    loaded = set(run.stderr.split())
    assert not loaded & {f"symoro.cli.{module}" for module in COMMANDS.values() if module != own}
    assert not loaded & {"scipy.signal", "matplotlib"}


@pytest.mark.parametrize("words", [[], ["--help"], ["lst"], ["-h", "nonsense"]])
def test_help_and_unknown_words_have_all_commands(words: list[str]) -> None:
    assert list(asked(words)) == list(COMMANDS)


def test_completion_has_all_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SYMORO_COMPLETE", "complete_bash")
    assert list(asked(["list"])) == list(COMMANDS)
