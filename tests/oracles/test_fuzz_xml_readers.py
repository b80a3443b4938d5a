"""2,000 mutations of URDF, xacro, MJCF and SDF files end in a robot or in a symoro error, and open no other file."""

from __future__ import annotations

import ast
import builtins
import io
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.mutated_xml import mutated, sources
from symoro.errors import SymoroError
from symoro.findings import areas, rows
from symoro.robot.robot import Robot

CASES, BATCHES = 2000, 20


@pytest.mark.parametrize("batch", [pytest.param(k, marks=pytest.mark.long if k > 1 else ()) for k in range(BATCHES)])
def test_mutated_files_end_in_a_robot_or_an_error(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text('<mujoco><worldbody><body name="secret"/></worldbody></mujoco>', encoding="utf-8")
    here = tmp_path / "inside"
    here.mkdir()
    rng, texts, found = random.Random(batch), sources(), Counter[str]()
    opened: list[str] = []
    for area in areas():  # the sentences of messages are in files of symoro
        rows(area)
    for reader, text in texts:  # this imports all modules, and shows that the sources themselves are robots
        assert outcome(reader, text, str(here / "robot")) == "robot"

    def watched(real: Any) -> Any:
        def open_(file: Any, *arguments: Any, **options: Any) -> Any:
            opened.append(str(file))
            return real(file, *arguments, **options)

        return open_

    with monkeypatch.context() as patched:
        for name in ("eval", "exec", "compile"):
            patched.setattr(builtins, name, _forbidden)
        patched.setattr(builtins, "open", watched(builtins.open))
        patched.setattr(io, "open", watched(io.open))
        for case in range(CASES // BATCHES):
            reader, text = rng.choice(texts)
            ended = outcome(reader, mutated(text, rng, str(secret)), str(here / "robot"))
            found[ended if ended in ("robot", "error") else f"case {case}, {reader.__name__}: {ended}"] += 1
    assert set(found) == {"robot", "error"}
    assert opened == []


def outcome(reader: Any, text: str, file: str) -> str:
    """What reading a text ends in: "robot", "error", or what must not be."""
    try:
        assert isinstance(reader.read_text(text, "robot", file).robot, Robot)
    except SymoroError as error:
        return "error" if str(error) else "an error that says nothing"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "robot"


_compile = compile


def _forbidden(*arguments: Any, **options: Any) -> Any:
    if len(arguments) == 4 and arguments[3] & ast.PyCF_ONLY_AST:  # `ast.parse`, which makes a tree and no code
        return _compile(*arguments, **options)
    raise AssertionError("a reader evaluated what a file says")
