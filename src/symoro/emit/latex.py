"""LaTeX: an article with the equations of every function, its inputs and its parameters."""

from __future__ import annotations

import re

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.plain import plain
from symoro.emit.target import Target
from symoro.ir.infix import PLAIN
from symoro.ir.latex import latex, latex_name

_ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _comment(text: str) -> str:
    """The text with everything escaped that LaTeX reads as a command."""
    return re.sub(r"[\\{}$&#%_~^]", lambda m: _ESCAPED.get(m[0], f"\\{m[0]}"), " ".join(text.split()))


def _write(package: Package) -> dict[str, str]:
    return render(package, {f"{package.name}.tex": "latex/article.tex"}, equations=latex, symbol=latex_name)


TARGET = plain(
    Target(
        name="latex",
        title="LaTeX",
        suffix=".tex",
        dialect=PLAIN,
        reserved=frozenset(),
        write=_write,
        comment=_comment,
    )
)
