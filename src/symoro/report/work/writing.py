"""Writes a report: a page of HTML that stands alone, a PDF file, or a notebook that makes everything again."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

from symoro.errors import SymoroError
from symoro.ir.latex import lines
from symoro.report.work.content import ReportedModel, Work
from symoro.report.work.mathml import mathml
from symoro.report.work.notebook import notebook
from symoro.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 2_000
"""The most equations of a model that a report shows."""


def formulas(part: ReportedModel) -> list[str]:
    """The equations of a model in LaTeX."""
    return [line.replace("&=", "=", 1) for _, line in lines(part.program, lambda name, form: form)]


def figures(work: Work) -> dict[str, Figure]:
    """The robot in its configuration, and torques along a quick motion; what cannot be drawn is left out."""
    from symoro.report.curves import plot
    from symoro.report.picture import draw

    pictures: dict[str, Figure] = {}
    with suppress(SymoroError):  # a length has no number
        pictures[work.say("robot")] = draw(work.robot, work.q)
    if (moved := work.torques()) is not None:
        part, times, torques = moved
        names = next(output.names for output in part.program.outputs if output.name == "GAM")
        pictures[work.say("torques")] = plot(times, torques, names, unit="N·m or N")
    return pictures


def html(work: Work) -> bytes:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(loader=PackageLoader("symoro.report.work", "."), autoescape=True, undefined=StrictUndefined)
    parts = [(part, formulas(part)) for part in work.parts]
    shown: dict[str, Any] = {
        "work": work,
        "figures": {title: _data(figure) for title, figure in figures(work).items()},
        "parts": [(part, [mathml(tex) for tex in texs[:MOST]], max(0, len(texs) - MOST)) for part, texs in parts],
        "version": __version__,
    }
    return pages.get_template("page.html").render(shown).encode()


def _data(figure: Figure) -> str:
    """A picture as an address that carries it."""
    written = BytesIO()
    figure.savefig(written, format="png", dpi=144)
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def pdf(work: Work) -> bytes:
    from symoro.report.work.pdf import document

    return document(work, figures(work), [(part, formulas(part)) for part in work.parts])


KINDS: dict[str, Callable[[Work], bytes]] = {"html": html, "pdf": pdf, "ipynb": notebook}


def write(work: Work, kind: str) -> bytes:
    """The bytes of a report of a kind."""
    if kind not in KINDS:
        raise SymoroError("report.bad_kind", kind=repr(kind), allowed=list(KINDS))
    return KINDS[kind](work)
