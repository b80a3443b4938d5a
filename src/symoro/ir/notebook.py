"""A program as notebooks show it: a heading, and its equations in LaTeX, the first ones where there are many."""

from __future__ import annotations

from html import escape

from symoro.ir.latex import latex
from symoro.ir.program import Program

LINES = 60
"""The most equations that are shown: a page of a notebook."""


def html(program: Program, title: str) -> str:
    """The heading, the call with shapes, the number of operations, and the equations."""
    counts = f"{program.ops}; once for given parameters: {program.setup_ops}; X has no name in the papers"
    head = f"<p><b>{escape(title)}</b><br><code>{escape(program.call)}</code><br>{escape(counts)}</p>"
    more = len(_lines(program)) - LINES
    rest = f"<p>… and {more} more: model.equations() has all of them.</p>\n" if more > 0 else ""
    return f"{head}\n{escape(first_equations(program))}{rest}"


def first_equations(program: Program) -> str:
    """The first equations, in an `align` environment."""
    shown = "\n".join(_lines(program)[:LINES]).removesuffix(r" \\")
    return f"\\begin{{align}}\n{shown}\n\\end{{align}}\n"


def _lines(program: Program) -> list[str]:
    """One line for each equation."""
    return latex(program).splitlines()[1:-1]
