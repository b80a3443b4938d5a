"""Writes docs/walk.md: the files that a model crosses on its way from a robot's name to a program.

python docs/walk.py            write the page
python docs/walk.py --check    status 1 where the page is not the one that would be written
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import symoro

PAGE = Path(__file__).with_name("walk.md")
ROOT = Path(symoro.__file__).parent
ROBOT, OPTIONS = "sr400", {"params": "base"}
#: The layers below the models: a reader of a model takes them as they are.
BELOW = ("ir", "robot", "formats", "findings", "errors.py", "lazy.py")
_FUNCTION = 0x1  # a code object with CO_OPTIMIZED is a function's, not a class's or a module's

HEAD = """# A walk through the code

`python docs/walk.py` writes this page. It follows one call, the direct dynamic model of a robot with closed loops in
its base parameters,

    symoro.direct_dynamics("{robot}", params="base")

and lists the files above `ir`, `robot`, `formats` and `findings` in the order of their entry, with their functions. It
crosses {files} files there ({every} with the layers below) and changes from file to file {changes} times.

| | file | functions |
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
    above = [(file, name) for file, name in calls if file.split("/")[0] not in BELOW]
    names: dict[str, list[str]] = {}
    for file, name in above:
        own = names.setdefault(file, [])
        if "<" not in name and "__" not in name:
            own.append(name)
    files = [file for file, _ in above]
    changes = sum(a != b for a, b in pairwise(files))
    head = HEAD.format(robot=ROBOT, files=len(names), every=len({file for file, _ in calls}), changes=changes)
    rows = (f"| {n} | `{file}` | {', '.join(own)} |" for n, (file, own) in enumerate(names.items(), 1))
    return head + "\n".join(rows) + "\n"


def main(arguments: list[str]) -> int:
    text = page()
    if arguments == ["--check"]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
