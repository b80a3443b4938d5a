"""The targets that are read by people: their equations, read back and run by Python, give what `evaluate` says."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.close import assert_close
from support.packages import ROBOTS, models
from support.small_programs import constants_only, every_operation, reserved_words
from symoro.emit import Source, emit_all
from symoro.emit.selftest import Golden, golden

PACKAGES = {
    "every-operation": (Source(every_operation(), "every", "A title *) | <b> & \\ { %"),),
    "reserved-words": (Source(reserved_words(), "words"),),
    "constants": (Source(constants_only(), "numbers"),),
}
NAMES = [
    *PACKAGES,
    *(pytest.param(robot, marks=pytest.mark.long) if robot != "planar2r" else robot for robot in ROBOTS),
]


def sources(name: str) -> tuple[Source, ...]:
    return PACKAGES[name] if name in PACKAGES else models(name)


def solve(*numbers: float) -> Any:
    """Matrix, row by row, and right side."""
    n = round((math.sqrt(4 * len(numbers) + 1) - 1) / 2)
    return np.linalg.solve(np.reshape(numbers[: n * n], (n, n)), numbers[n * n :])


FUNCTIONS = {n: getattr(math, n) for n in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "sqrt", "pi")}
FUNCTIONS |= {"abs": abs, "min": min, "max": max, "sign": np.sign, "solve": solve}
FUNCTIONS |= {"select": lambda c, a, b: a if c else b}


def run(equations: list[tuple[str, str]], values: dict[str, float]) -> dict[str, float]:
    """The variables after all equations."""
    found: dict[str, Any] = dict(values)
    for left, right in equations:
        exec(f"{left} = {right}", dict(FUNCTIONS), found)
    return found


def given(source: Source, case: Golden, known: dict[str, str]) -> dict[str, float]:
    """The numbers of parameters and inputs of the first case, by the names of the text."""
    values = {p: float(case.parameters[p]) for p in case.parameters}
    for array in source.program.inputs:
        values |= {v.name: float(x) for v, x in zip(array.variables, case.inputs[array.name][0], strict=True)}
    return {known.get(name, name): value for name, value in values.items()}


#: Names that the text writes in another way: Python's keywords, operations, and letters that are not ASCII.
KEYWORDS = ("lambda", "if", "and", "exp", "for", "None", "sin", "abs", "nan")
RENAMED = {word: f"{word}_" for word in KEYWORDS} | {"α": "u03B1", "_": "x_"}


def check(source: Source, equations: list[tuple[str, str]], outputs: dict[str, list[str]]) -> None:
    case = golden(source.program, source.known, cases=1)
    found = run(equations, given(source, case, RENAMED))
    for output in source.program.outputs:
        mine = [float(found[name]) for name in outputs[output.name]]
        assert_close(np.array(mine), case.outputs[output.name][0], case.tolerance)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_symoro_plus(name: str, tmp_path: Path) -> None:
    (path,) = emit_all(sources(name), "symoro", tmp_path, name)
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"^Equations:\n", text, flags=re.M)[1:]
    assert text.endswith("*=*\n")
    for source, part in zip(sources(name), parts, strict=True):
        body, _, rest = part.partition("(* Outputs")
        equations = re.findall(r"^[* ] (.+?) = (.+);", body, flags=re.M)
        outputs = re.findall(r"^   (\w+?)\(.*?\): ?([^-\n*]*)", rest.partition("*)")[0], flags=re.M)
        names = {o.name: words.split() for o, (_, words) in zip(source.program.outputs, outputs, strict=True)}
        check(source, equations, names)


class Tables(HTMLParser):
    """The cells of every table of a page, row by row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag == "td":
            self.tables[-1][-1].append("")
        self._cell = tag == "td"

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.tables[-1][-1][-1] += data


@pytest.mark.parametrize("name", NAMES)
def test_the_page(name: str, tmp_path: Path) -> None:
    page, _ = emit_all(sources(name), "html", tmp_path, name)
    reader = Tables()
    reader.feed(page.read_text(encoding="utf-8"))
    per_function = [reader.tables[1 + 3 * k : 4 + 3 * k] for k in range(len(sources(name)))]
    for source, (_, equations, outputs) in zip(sources(name), per_function, strict=True):
        names = {row[0]: row[2].split() for row in outputs[1:]}
        check(source, [(row[0], row[1]) for row in equations[1:]], names)


@pytest.mark.parametrize("name", NAMES)
def test_markdown_has_the_equations_of_the_page(name: str, tmp_path: Path) -> None:
    page, markdown = emit_all(sources(name), "html", tmp_path, name)
    reader = Tables()
    reader.feed(page.read_text(encoding="utf-8"))
    wanted = [row[:2] for table in reader.tables[2::3] for row in table[1:]]
    found = re.findall(r"^\| \*? ?\| `(.+?)` \| `(.+?)` \|", markdown.read_text(encoding="utf-8"), flags=re.M)
    assert [list(pair) for pair in found] == wanted


@pytest.mark.parametrize("name", NAMES)
def test_latex_is_balanced_and_has_every_equation(name: str, tmp_path: Path) -> None:
    (path,) = emit_all(sources(name), "latex", tmp_path, name)
    text = path.read_text(encoding="utf-8")
    depth = 0
    for brace in re.findall(r"(?<!\\)(?:\\\\)*([{}])", text):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert text.count("\\begin{align}") == len(sources(name))
    lines = sum(len([i for i in (*s.program.setup, *s.program.instructions) if not i.anonymous]) for s in sources(name))
    assert text.count(" &= ") >= lines
