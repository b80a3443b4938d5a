"""XML: read safely (no DTD, no other file, a bounded depth), numbers of its attributes, elements written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, pi
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from symoro.errors import FormatError, SymoroError
from symoro.findings import Finding
from symoro.formats._report import FileLine, Report
from symoro.formats.tree.description import Link, Mass
from symoro.formats.tree.parameters import number
from symoro.formats.tree.poses import Array
from symoro.robot.joint import angle_in_degrees

MAX_DEPTH = 200
"""The most levels of elements."""
MAX_ELEMENTS = 200_000
"""The most elements of a file, also of a file that macros have made."""


@dataclass(slots=True)
class Element:
    """An element of an XML file, with the line where it begins."""

    tag: str
    attributes: dict[str, str]
    line: FileLine
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def file(self) -> str | None:
        return self.line.file

    def all(self, *tags: str) -> Iterator[Element]:
        """The children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next(self.all(tag), None)

    def get(self, name: str, default: str = "") -> str:
        """The text of an attribute."""
        return self.attributes.get(name, default)

    def walk(self) -> Iterator[Element]:
        """This element and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class _Refused(SymoroError):
    """The text has something that no robot file needs."""


def parse(text: str, report: Report, file: str | None = None) -> Element:
    """The root element of an XML text; the report gets the error of a text that is not XML, or that is refused."""
    builder = _Builder(file or report.file)
    try:
        builder.parser.Parse(text.lstrip(), True)
    except _Refused as error:
        report.add(error.finding, builder.line)
    except (expat.ExpatError, ValueError) as error:
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        report.add(Finding("xml.no_xml", reason=reason), FileLine(getattr(error, "lineno", builder.line), builder.file))
    report.raise_errors()
    return builder.top.children[0]


class _Builder:
    """Collects the elements that expat reports."""

    def __init__(self, file: str | None) -> None:
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text, self.parser.buffer_size = True, 1 << 20  # long texts, such as the points of a mesh
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.file = file
        self.top = Element("", {}, FileLine(0, file))
        self.open = [self.top]
        self.count = 0

    @property
    def line(self) -> FileLine:
        return FileLine(self.parser.CurrentLineNumber, self.file)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise _Refused(Finding("xml.elements", most=MAX_ELEMENTS, levels=MAX_DEPTH))
        element = Element(tag, attributes, self.line)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].text += text

    def doctype(self, *_: object) -> None:
        raise _Refused(Finding("xml.doctype"))


# Numbers in the attributes and texts of XML elements.


_LARGEST = 1e100


_DECIMAL = re.compile(r"[+-]?\d*\.(\d{3,})")
_NOISE = 1e-6


def exact_literal(word: str) -> float:
    """An angle as it is written, or the multiple of π/12 of which it is a rounding to three or more decimals."""
    try:
        x = float(word)
    except ValueError:
        return 0.0  # an error of the reader, which has reported it
    if abs(x) < _NOISE:
        return 0.0
    match = _DECIMAL.fullmatch(word)
    exact = round(x * 12 / pi) * pi / 12 if isfinite(x) else x
    if match is None or not exact:
        return x
    unit = 10.0 ** -len(match[1])
    return exact if abs(x - exact) <= unit / 2 + 1e-15 or 0 <= abs(exact) - abs(x) < unit else x


class NumberReader:
    """Reads numbers of elements; a text that is not what is expected gives an error with its line."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def row(self, element: Element | None, name: str, default: str, count: int | None = None) -> Array:
        """The numbers of an attribute, `count` of them."""
        text = default if element is None else element.get(name, default)
        what = Finding("xml.attribute", name=name, tag=element.tag if element else "")
        return self.parse(text, what, element, count, default)

    def text(self, element: Element | None, default: str, count: int | None = None) -> Array:
        """The numbers of the text of an element."""
        text = default if element is None else element.text.strip() or default
        return self.parse(text, f"<{element.tag if element else ''}>", element, count, default)

    def number(self, element: Element | None, name: str, default: float = 0.0) -> float:
        """The number of an attribute."""
        return float(self.row(element, name, repr(default), 1)[0])

    def optional(self, element: Element | None, name: str) -> float | None:
        """The number of an attribute; None if there is none."""
        return None if element is None or name not in element.attributes else self.number(element, name)

    def note_degrees(self, element: Element | None, name: str, radians: Array) -> None:
        """Warnings for angles that look like degrees."""
        line = element.line if element else None
        for angle in radians.tolist():
            for finding in angle_in_degrees(name, number(angle)):
                if not any(
                    problem.fields == finding.fields and problem.place.line == line for problem in self.report.problems
                ):
                    self.report.add(finding, line)

    def parse(self, text: str, what: str | Finding, element: Element | None, count: int | None, default: str) -> Array:
        try:
            numbers = [float(word) for word in text.split()]
            if any(not isfinite(x) or abs(x) > _LARGEST for x in numbers) or (
                count is not None and len(numbers) != count
            ):
                raise ValueError(text)
        except ValueError:
            finding = Finding("xml.numbers", what=what, text=text[:80], most=_LARGEST)
            if count is not None:
                code = "xml.number" if count == 1 else "xml.row"
                finding = Finding(code, what=what, text=text[:80], most=_LARGEST, count=count)
            self.report.add(finding, element.line if element else None)
            numbers = [float(word) for word in default.split()] or [0.0] * (count or 0)
        return np.array(numbers)


# Writes XML elements, with numbers of 17 digits, so that reading gives them back exactly.


def element(tag: str, attributes: dict[str, str | None], inner: Iterable[str] = (), text: str = "") -> str:
    """An element with its attributes (those that are not None), the lines of its children indented."""
    attribute_text = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items() if value is not None)
    lines = [line for child in inner for line in child.splitlines()]
    if text:
        return f"<{tag}{attribute_text}>{escape(text)}</{tag}>"
    if not lines:
        return f"<{tag}{attribute_text}/>"
    return "\n".join([f"<{tag}{attribute_text}>", *("  " + line for line in lines), f"</{tag}>"])


def source(parsed: Element) -> str:
    """The text of an element that was read."""
    return element(parsed.tag, {**parsed.attributes}, map(source, parsed.children), parsed.text.strip())


def row(numbers: Sequence[float] | Array) -> str:
    """Numbers with a space between them; Python prints the shortest text that gives the same number."""
    return " ".join(shown(x) for x in numbers)


def shown(x: float) -> str:
    """A number without a needless point: 1, 0.5, 1e-05."""
    number = float(x) + 0.0
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def central(mass: Mass, link: str) -> tuple[Array, Array]:
    """Centre of mass and inertia tensor about it; a link without mass cannot have first moments."""
    if mass.M == 0:
        if np.any(mass.MS):
            raise FormatError([Finding("trees.moments_without_mass", link=link)])
        return np.zeros(3), mass.J
    c = mass.MS / mass.M
    return c, mass.J - mass.M * (c @ c * np.eye(3) - np.outer(c, c))


def moments(link: Link) -> Array:
    """The principal moments, the least first; what rounding leaves of a zero is zero."""
    A = np.linalg.eigvalsh(central(link.mass, link.name)[1])
    return np.where(np.abs(A) < 1e-12 * np.abs(A).max(), 0.0, A)


def uneven(links: Iterable[Link]) -> list[str]:
    """The links whose largest principal moment is larger than the sum of the others."""
    return [link.name for link in links if (A := moments(link))[0] + A[1] < A[2] * (1 - 1e-12)]
