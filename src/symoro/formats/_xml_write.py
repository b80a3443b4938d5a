"""Writes XML elements, with numbers of 17 digits, so that reading gives them back exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from symoro.errors import FormatError, Problem
from symoro.formats._xml import Element
from symoro.formats.tree.description import Mass
from symoro.formats.tree.poses import Array


def element(tag: str, attributes: dict[str, str | None], inner: Iterable[str] = (), text: str = "") -> str:
    """An element with its attributes (those that are not None), the lines of its children indented."""
    given = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items() if value is not None)
    lines = [line for child in inner for line in child.splitlines()]
    if text:
        return f"<{tag}{given}>{text}</{tag}>"
    if not lines:
        return f"<{tag}{given}/>"
    return "\n".join([f"<{tag}{given}>", *("  " + line for line in lines), f"</{tag}>"])


def source(given: Element) -> str:
    """The text of an element that was read."""
    return element(given.tag, {**given.attributes}, map(source, given.children), escape(given.text.strip()))


def row(numbers: Sequence[float] | Array) -> str:
    """Numbers with a space between them; Python prints the shortest text that gives the same number."""
    return " ".join(shown(x) for x in numbers)


def shown(x: float) -> str:
    """A number without a needless point: 1, 0.5, 1e-05."""
    given = float(x) + 0.0
    return str(int(given)) if given == int(given) and abs(given) < 1e15 else repr(given)


def central(mass: Mass, link: str) -> tuple[Array, Array]:
    """Centre of mass and inertia tensor about it; a link without mass cannot have first moments."""
    if mass.M == 0:
        if np.any(mass.MS):
            text = "its mass is 0, but its first moments are not: no body has these (base parameters?)"
            raise FormatError([Problem(f"link {link!r}: {text}")])
        return np.zeros(3), mass.J
    c = mass.MS / mass.M
    return c, mass.J - mass.M * (c @ c * np.eye(3) - np.outer(c, c))
