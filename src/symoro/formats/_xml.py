"""Reads XML safely: no DTD, no entities but the five of XML, no other file, and a bounded depth and size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from symoro.formats._report import Report

MAX_DEPTH = 200
"""The most levels of elements."""
MAX_ELEMENTS = 200_000
"""The most elements of a file, also of a file that macros have made."""


@dataclass(slots=True)
class Element:
    """An element of an XML file, with the line where it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: str | None = None
    children: list[Element] = field(default_factory=list)
    text: str = ""

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


class _Refused(Exception):
    """The text has something that no robot file needs."""


def parse(text: str, report: Report, file: str | None = None) -> Element:
    """The root element of an XML text; the report gets the error of a text that is not XML, or that is refused."""
    builder = _Builder(file or report.file)
    try:
        builder.parser.Parse(text.lstrip(), True)
    except _Refused as error:
        report.error(str(error), builder.line)
    except (expat.ExpatError, ValueError) as error:
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else error
        report.error(f"this is not XML: {reason}", getattr(error, "lineno", None))
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
        self.top = Element("", {}, 0, file)
        self.open = [self.top]
        self.count = 0

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise _Refused(f"too many elements (at most {MAX_ELEMENTS}, in at most {MAX_DEPTH} levels)")
        element = Element(tag, attributes, self.line, self.file)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].text += text

    def doctype(self, *_: object) -> None:
        raise _Refused("a document type declaration is refused (no robot file needs DOCTYPE or entities)")
