"""Files with the instruction of each line: they are the files that `emit` writes, and every statement has its line."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import symoro
from symoro.emit import Source, emit_all, traced_files
from symoro.emit.trace import Marks, traced

LANGUAGES = ["c", "cpp", "fortran", "rust", "javascript", "matlab", "julia", "python", "jax", "casadi", "mathematica"]
LANGUAGES += ["maple", "html", "symoro"]


@cache
def source_of(robot: str) -> Source:
    return symoro.direct_dynamics(robot).source


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("robot", ["planar2r", pytest.param("four-bar", marks=pytest.mark.long)])
def test_traced_files_are_the_files(language: str, robot: str, tmp_path: Path) -> None:
    source = source_of(robot)
    files = traced_files(source, language)
    emit_all([source], language, tmp_path)
    assert {name: file.text for name, file in files.items()} == {
        name: (tmp_path / name).read_text(encoding="utf-8") for name in files
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_hold_the_names_and_statements_their_symbols(language: str) -> None:
    program = source_of("planar2r")
    files = traced_files(program, language)
    named = {r for i in (*program.program.setup, *program.program.instructions) for r in i.results if r[0] != "%"}
    found = set()
    for file in files.values():
        lines = file.text.split("\n")
        for place in file.places:
            written = lines[place.line][place.column : place.column + place.length]
            assert written.rstrip("_") in (place.symbol, f"x{place.symbol}", place.symbol.replace("_", "$"))
        for line, symbol in file.statements.items():
            on_line = {place.symbol for place in file.places if place.line == line}
            assert symbol in on_line or symbol not in "".join(lines[line])
            found.add(symbol)
    assert named <= found


def test_marks_are_removed_and_counted() -> None:
    marks = Marks(on=True)
    text = f"a = {marks.name('RL4', 'RL4_')};\n  {marks.right('W', ('x',))[0]}"
    found = traced(text, marks)
    assert found.text == "a = RL4_;\n  x"
    assert [(p.line, p.column, p.length, p.symbol) for p in found.places] == [(0, 4, 4, "RL4")]
    assert found.statements == {1: "W"}
