"""Numbers in the attributes and texts of XML elements."""

from __future__ import annotations

import re
from math import isfinite, pi

import numpy as np

from symoro.formats._report import Report
from symoro.formats._xml import Element
from symoro.formats.tree.poses import Array

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


class Numbers:
    """Reads numbers of elements; a text that is not what is expected gives an error with its line."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def row(self, element: Element | None, name: str, default: str, count: int | None = None) -> Array:
        """The numbers of an attribute, `count` of them."""
        text = default if element is None else element.get(name, default)
        return self.parse(text, f"{name} of <{element.tag if element else ''}>", element, count, default)

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

    def parse(self, text: str, what: str, element: Element | None, count: int | None, default: str) -> Array:
        try:
            found = [float(word) for word in text.split()]
            if any(not isfinite(x) or abs(x) > _LARGEST for x in found) or (count is not None and len(found) != count):
                raise ValueError(text)
        except ValueError:
            expected = "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
            allowed = f"allowed: {expected}, finite, at most {_LARGEST:g}"
            self.report.error(f"{what} = {text[:80]!r} ({allowed})", element.line if element else None)
            found = [float(word) for word in default.split()] or [0.0] * (count or 0)
        return np.array(found)
