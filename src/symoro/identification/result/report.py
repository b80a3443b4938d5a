"""A report of a result: one file with tables and pictures, .html or .pdf."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from symoro.errors import SymoroError
from symoro.figures import new_figure, svg_of
from symoro.identification.result.pictures import torques
from symoro.identification.result.text import COLUMNS, cells, lines, summary
from symoro.saving import path_of, whole_file

if TYPE_CHECKING:
    from symoro.identification.result.result import Identification

_STYLE = (
    "body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right}"
)
_LINES_OF_A_PAGE = 62


def require_report(path: Path) -> Path:
    """The path of a report; an error where its ending is not that of one."""
    if path.suffix.lower() not in (".html", ".pdf"):
        raise SymoroError(f"{path}: {path.suffix or 'no ending'!r} is not a report (allowed: .html, .pdf)")
    return path


def write_report(r: Identification, to: str | Path) -> Path:
    """Write the report of a result; the ending of the file says its format."""
    path = require_report(path_of(to))
    with whole_file(path) as new:
        if path.suffix.lower() == ".html":
            new.write_text(_html(r), encoding="utf-8")
        else:
            _pdf(r, new)
    return path


def _html(r: Identification) -> str:
    title = f"Identification of {escape(r.subject.robot.title or r.subject.robot.name)}"
    said = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in summary(r))
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = "".join(f"<tr>{_row(cells(p))}</tr>" for p in r.parameters)
    warnings = "".join(f"<li>{escape(text)}</li>" for text in r.warnings) or "<li>none</li>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><table>{said}</table><h2>Warnings</h2><ul>{warnings}</ul>"
        f"<h2>Parameters</h2><table><tr>{head}</tr>{rows}</table>{_picture(r)}</html>\n"
    )


def _row(texts: Sequence[str]) -> str:
    """Cells of a row; numbers are aligned to the right."""
    name, value, sigma, percent, unit, more = map(escape, texts)
    numbers = "".join(f"<td class=n>{x}</td>" for x in (value, sigma, percent))
    return f"<td>{name}</td>{numbers}<td>{unit}</td><td>{more}</td>"


def _picture(r: Identification) -> str:
    if r.rows is None:
        return ""
    drawn = svg_of(torques(r.residuals))
    return f"<h2>Torques</h2>{drawn[drawn.index('<svg') :]}"


def _pdf(r: Identification, path: Path) -> None:
    """Pages of text, then the picture."""
    new_figure((1, 1))  # says what to install where matplotlib is missing
    from matplotlib.backends.backend_pdf import PdfPages

    text = list(lines(r))
    with PdfPages(path, metadata={"CreationDate": None}) as pages:
        for first in range(0, len(text), _LINES_OF_A_PAGE):
            figure = new_figure((8.27, 11.69))
            page = "\n".join(line[:130] for line in text[first : first + _LINES_OF_A_PAGE])
            figure.text(0.05, 0.97, page.replace("$", r"\$"), family="monospace", fontsize=6.5, va="top")
            pages.savefig(figure)
        if r.rows is not None:
            pages.savefig(torques(r.residuals))
