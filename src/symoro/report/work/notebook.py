"""A notebook that makes the results of a report again: the robot is in it, with every edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from symoro.formats import written
from symoro.report.work.content import MOTION, ReportedModel, Work

Cell = tuple[str, str]
"""markdown or code, and its text."""


def notebook(work: Work) -> bytes:
    """The cells as a file of Jupyter (nbformat 4)."""
    cells: list[dict[str, Any]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, text in _cells(work)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(book, ensure_ascii=False, indent=1).encode()


def _cells(work: Work) -> Iterator[Cell]:
    needs = work.say("needs", install="`pip install 'symoro[plot]'`")
    yield "markdown", f"# {work.title}\n\n{needs}"
    yield "code", _robot(work)
    if not work.robot.platforms:
        yield "code", f"q = {_numbers(work.q)}\nsymoro.draw(robot, q)"
    used: dict[str, int] = {}
    for part in work.parts:
        used[part.name] = k = used.get(part.name, 0) + 1
        yield from _part(work, part, part.name if k == 1 else f"{part.name}_{k}")


def _robot(work: Work) -> str:
    """The robot as TOML text; it is loaded from a file, as any robot is."""
    text = written(work.robot, "robot.toml")
    plain = "'''" not in text and "\\" not in text and not text.endswith("'")
    return "\n".join(
        [
            "from pathlib import Path",
            "from tempfile import mkdtemp",
            "",
            "import symoro",
            "",
            f"text = {_quoted(text) if plain else repr(text)}",
            f"path = Path(mkdtemp()) / {_file(work.robot.name)!r}",
            'path.write_text(text, encoding="utf-8")',
            "robot = symoro.load(path)",
            "robot",
        ]
    )


def _quoted(text: str) -> str:
    return f"'''\\\n{text}'''"


def _file(name: str) -> str:
    letters = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
    return f"{letters or 'robot'}.toml"


def _part(work: Work, part: ReportedModel, name: str) -> Iterator[Cell]:
    """Make a model, look at it and count it; where there are numbers, compute its values."""
    options = "".join(f", {key}={value!r}" for key, value in part.options.items() if value is not None)
    yield "markdown", f"## {work.titled(part)}\n\n{part.citation}"
    yield "code", f"{name} = symoro.{part.name}(robot{options})\n{name}"
    if part.name == "inverse_geometry" and not work.robot.platforms:
        yield "code", f"print({name}.derivation)"
    yield "code", f"print({name}.ops)"
    if part.numeric:
        arrays = [a for a in part.program.inputs if a.name in MOTION]
        lines = [f"{a.name} = {_numbers(work.state.of(work.robot, a))}" for a in arrays]
        call = f"{name}.compile()({', '.join(a.name for a in arrays)})"
        yield "code", "\n".join([*lines, call])


def _numbers(values: Any) -> str:
    return f"[{', '.join(repr(float(x)) for x in values)}]"
