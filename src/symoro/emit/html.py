"""A page of HTML, and the same in Markdown: the equations with their meaning, to read and to share."""

from __future__ import annotations

from html import escape

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.plain import plain, results
from symoro.emit.target import Target
from symoro.ir.infix import PLAIN


def _write(package: Package) -> dict[str, str]:
    files = {f"{package.name}.html": "html/page.html", f"{package.name}.md": "html/page.md"}
    return render(package, files, results=results)


TARGET = plain(
    Target(
        name="html",
        title="A page of HTML",
        suffix=".html",
        dialect=PLAIN,
        reserved=frozenset(),
        write=_write,
        comment=lambda text: escape(" ".join(text.split())).replace("|", "&#124;"),
    )
)
