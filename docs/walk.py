"""Writes docs/walk.md: the packages that a model crosses on its way from a robot's name to a program.

python docs/walk.py            write the page
python docs/walk.py --check    status 1 where the page is not the one that would be written
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import symoro

PAGE = Path(__file__).with_name("walk.md")
ROOT = Path(symoro.__file__).parent
ROBOT, OPTIONS = "sr400", {"params": "base"}
_FUNCTION = 0x1  # a code object with CO_OPTIMIZED is a function's, not a class's or a module's

HEAD = """# A walk through the code

`python docs/walk.py` writes this page. It follows one call, the direct dynamic model of a robot with closed loops in
its base parameters,

    symoro.direct_dynamics("{robot}", params="base")

and lists the packages whose functions it calls, in the order of their entry.

| | package | what it is |
|---|---|---|
"""


def visited(run: Callable[[], Any]) -> list[tuple[str, str]]:
    """The functions of symoro that are called, as (file, name), in the order of their first calls."""
    seen: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        seen.setdefault(frame.f_code)

    sys.settrace(note)
    try:
        run()
    finally:
        sys.settrace(None)
    ours = [code for code in seen if code.co_flags & _FUNCTION and code.co_filename.startswith(str(ROOT))]
    return list(dict.fromkeys((Path(c.co_filename).relative_to(ROOT).as_posix(), c.co_qualname) for c in ours))


def page() -> str:
    """The text of the page."""
    calls = visited(lambda: symoro.direct_dynamics(ROBOT, **OPTIONS))
    packages = dict.fromkeys((ROOT / file).parent for file, _ in calls)
    rows = (f"| {n} | `{_name(package)}` | {_title(package)} |" for n, package in enumerate(packages, 1))
    return HEAD.format(robot=ROBOT) + "\n".join(rows) + "\n"


def _name(package: Path) -> str:
    return package.relative_to(ROOT.parent).as_posix()


def _title(package: Path) -> str:
    """The first sentence of what the package says of itself."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def main(arguments: list[str]) -> int:
    text = page()
    if arguments == ["--check"]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
