"""A report as a PDF file, drawn by matplotlib: pages of A4 that are filled from top to bottom."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from symoro.report.work.content import ReportedModel, Work
from symoro.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT, MARGIN = 8.27, 11.69, 0.8
INK, QUIET, LINE = "#12161c", "#626c7b", "#cdd3db"
MOST = 600
"""The most equations of a model: each takes about 20 ms."""
_STYLE: dict[Any, Any] = {"font.family": "DejaVu Sans", "mathtext.fontset": "stix", "pdf.fonttype": 42, "font.size": 9}


def document(
    work: Work, figures: Mapping[str, Figure], formulas: Sequence[tuple[ReportedModel, Sequence[str]]]
) -> bytes:
    """The file; its pages are numbered."""
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import PdfPages

    written = BytesIO()
    with mpl.rc_context(_STYLE), PdfPages(written, metadata={"Title": work.title, "CreationDate": None}) as pages:
        sheet = _Sheet(pages, f"{work.title} · symoro {__version__}")
        sheet.text(work.title, size=17, weight="bold")
        sheet.text(work.robot.source, colour=QUIET)
        sheet.heading(work.say("geometry"))
        sheet.table(work.geometry())
        sheet.text(work.values(), size=8)
        for title, figure in figures.items():
            sheet.picture(figure, title)
        sheet.heading(work.say("operations"))
        sheet.table(work.counts())
        for part, texs in formulas:
            sheet.heading(work.titled(part))
            sheet.text(" · ".join(filter(None, (part.citation, part.chosen))), colour=QUIET)
            for number, tex in enumerate(texs[:MOST], 1):
                sheet.formula(number, tex)
            if len(texs) > MOST:
                sheet.text(work.say("more_in_html", count=len(texs) - MOST), colour=QUIET)
        sheet.end()
    return written.getvalue()


class _Sheet:
    """Fills pages: everything is put below what is there, on a new page where no room is left."""

    def __init__(self, pages: Any, foot: str) -> None:
        self.pages, self.foot, self.number = pages, foot, 0
        self.begin()

    def begin(self) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH, HEIGHT))
        self.y, self.number = HEIGHT - MARGIN, self.number + 1

    def end(self) -> None:
        self.put(MARGIN, 0.45, self.foot[:110], 7, QUIET)
        self.put(WIDTH - MARGIN, 0.45, str(self.number), 7, QUIET, ha="right")
        self.pages.savefig(self.figure)

    def room(self, height: float) -> None:
        """Begin a page where less than this is left."""
        if self.y - height < MARGIN:
            self.end()
            self.begin()

    def put(self, x: float, y: float, text: str, size: float, colour: str = INK, **more: Any) -> None:
        style: dict[str, Any] = {"fontsize": size, "color": colour, "parse_math": False} | more
        self.figure.text(x / WIDTH, y / HEIGHT, text, **style)

    def text(self, text: str, size: float = 9, colour: str = INK, **more: Any) -> None:
        for line in textwrap.wrap(text, int(72 * (WIDTH - 2 * MARGIN) / (0.56 * size))):
            self.room(size / 72 * 1.5)
            self.y -= size / 72 * 1.5
            self.put(MARGIN, self.y, line, size, colour, **more)

    def heading(self, text: str) -> None:
        self.room(0.9)
        self.y -= 0.25
        self.text(text, size=12, weight="bold")
        self.y -= 0.06

    def table(self, rows: Sequence[Sequence[str]], size: float = 8) -> None:
        """Columns as wide as their longest text, smaller where they do not fit."""
        letters = [max(len(row[k]) for row in rows) + 2 for k in range(len(rows[0]))]
        most = 72 * (WIDTH - 2 * MARGIN) / 0.58
        size = max(3.5, min(size, most / sum(letters)))
        for number, row in enumerate(rows):
            self.room(size / 72 * 1.9)
            self.y -= size / 72 * 1.9
            x = MARGIN
            for text, count in zip(row, letters, strict=True):
                self.put(x, self.y, text, size, QUIET if number == 0 else INK)
                x += count * 0.58 * size / 72
            self.rule(self.y - 0.04)
        self.y -= 0.08

    def rule(self, y: float) -> None:
        from matplotlib.lines import Line2D

        ends = [MARGIN / WIDTH, 1 - MARGIN / WIDTH]
        self.figure.add_artist(Line2D(ends, [y / HEIGHT] * 2, color=LINE, linewidth=0.4))

    def picture(self, figure: Figure, title: str) -> None:
        """A figure as pixels, half of the page wide."""
        import matplotlib.image as image

        drawn = BytesIO()
        figure.savefig(drawn, format="png", dpi=200)
        pixels = image.imread(BytesIO(drawn.getvalue()))
        width = 4.4
        height = width * pixels.shape[0] / pixels.shape[1]
        self.room(height + 0.4)
        self.y -= height + 0.1
        axes = self.figure.add_axes((MARGIN / WIDTH, self.y / HEIGHT, width / WIDTH, height / HEIGHT))
        axes.imshow(pixels)
        axes.set_axis_off()
        self.text(title, size=8, colour=QUIET)

    def formula(self, number: int, tex: str, size: float = 9.5) -> None:
        """An equation as maths, smaller where it is long; as text where it is too long or has a matrix."""
        most = WIDTH - 2 * MARGIN - 0.45
        width = _width(tex, size)
        if width is None or width > 2 * most:
            return self.lines(number, tex)
        height = 0.29 if r"\frac" in tex else 0.225
        self.room(height)
        self.y -= height
        self.put(MARGIN + 0.3, self.y, str(number), 6, QUIET, ha="right")
        self.put(MARGIN + 0.4, self.y, f"${_settable(tex)}$", size * min(1, most / width), parse_math=True)
        return None

    def lines(self, number: int, tex: str) -> None:
        first = True
        for line in textwrap.wrap(tex.replace(r"\left", "").replace(r"\right", "").replace(r"\,", " "), 104):
            self.room(0.15)
            self.y -= 0.15
            self.put(MARGIN + 0.3, self.y, str(number) if first else "", 6, QUIET, ha="right")
            self.put(MARGIN + 0.4, self.y, line, 6.5, family="DejaVu Sans Mono")
            first = False


_SURE = {r"\left", r"\right", r"\frac", r"\sqrt", r"\mathrm", r"\dot", r"\ddot", r"\cdot", r"\sin", r"\cos", r"\Gamma"}
"""Commands that matplotlib knows: a formula with another one is parsed before it is drawn."""


def _settable(tex: str) -> str:
    """The formula with the commands that matplotlib knows."""
    return re.sub(r"\\(le|ne)(?![A-Za-z])", r"\\\1q", tex)


def _width(tex: str, size: float) -> float | None:
    """The width of a formula in inches, roughly where it is short; None where matplotlib cannot set it.

    Parsing takes most of the time of a report, so short formulas are parsed only when they are drawn.
    """
    from matplotlib.text import Text
    from matplotlib.textpath import text_to_path

    commands = set(re.findall(r"\\[A-Za-z]+", tex))
    letters = len(re.sub(r"\\[A-Za-z]+|[{}_^\\\s]", "", tex))
    if r"\begin" in tex or letters > 900:
        return None
    if letters < 70 and commands <= _SURE:
        return letters * 0.6 * size / 72
    fonts = Text(fontsize=size).get_fontproperties()
    try:
        box: Any = text_to_path.mathtext_parser.parse(f"${_settable(tex)}$", 72, fonts)
    except ValueError:
        return None
    return float(box.width) / 72
