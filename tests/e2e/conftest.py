"""A fixture that runs the command line as a user does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from symoro.cli import main


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def symoro(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command, for example symoro("list", "--json"); return its status and what it printed."""

    def run(*words: object) -> Done:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return run
