"""No Julia is at hand: the grammar of what is written is checked by a parser, tree-sitter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import tree_sitter
import tree_sitter_julia

import symoro
from support.packages import models
from support.small_programs import constants_only, every_operation, reserved_words
from symoro.emit import Source, emit_all

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
loop = symoro.loop_geometry("four-bar")
PACKAGES = {
    "every": (Source(every_operation(), "every", 'A =# title \\ " $x'),),
    "words": (Source(reserved_words(), "words"),),
    "numbers": (Source(constants_only(), "numbers"),),
    "four-bar": models("four-bar"),
    "driver": (replace(loop.step.source, method=loop.method),),
}


def errors(node: tree_sitter.Node) -> Iterator[str]:
    if node.type == "ERROR" or node.is_missing:
        yield f"line {node.start_point[0] + 1}: {(node.text or b'')[:80]!r}"
    for child in node.children if node.has_error else ():
        yield from errors(child)


def test_the_parser_finds_errors() -> None:
    assert list(errors(PARSER.parse(b"function f(x\n x +\nend").root_node))


@pytest.mark.parametrize("name", PACKAGES)
def test_julia_is_grammatical(name: str, tmp_path: Path) -> None:
    for path in emit_all(PACKAGES[name], "julia", tmp_path, name):
        if path.suffix == ".jl":
            assert not list(errors(PARSER.parse(path.read_bytes()).root_node))


def test_a_law_and_its_closed_loop_are_grammatical(tmp_path: Path) -> None:
    for path in symoro.pid("planar2r", 5.0).emit("julia", tmp_path):
        if path.suffix == ".jl":
            assert not list(errors(PARSER.parse(path.read_bytes()).root_node))
    assert "closed loop" in (tmp_path / "selftest.jl").read_text(encoding="utf-8")
