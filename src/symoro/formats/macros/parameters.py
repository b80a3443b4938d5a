"""The parameters of a macro: names, `*block`, `**contents`, and defaults such as `length:=0.3`, `prefix:=^|''`."""

from __future__ import annotations

import re

from symoro.formats._xml import Element
from symoro.formats.macros.expressions import ExpressionError
from symoro.formats.macros.scope import Macro

_VALUE = r"(?:\^\|?)?(?:'[^']*'|\$\{[^}]*\}|\$\([^)]*\)|[^\s'$])*"
_PARAMETER = re.compile(rf"\s*(?P<name>\*{{0,2}}[^\s:=]+)(?::?=(?P<default>{_VALUE}))?")


def macro_of(element: Element) -> Macro:
    """The macro that an element defines."""
    name = element.get("name").removeprefix("xacro:")
    if not name:
        raise ExpressionError("xacro.unnamed")
    return Macro(name, dict(_parameters(element.get("params"))), element.children)


def _parameters(text: str) -> list[tuple[str, str | None]]:
    found, rest = [], text.strip()
    while rest:
        match = _PARAMETER.match(rest)
        if match is None or not match[0]:
            raise ExpressionError("xacro.parameter", text=rest[:40])
        found.append((match["name"], match["default"]))
        rest = rest[match.end() :].strip()
    return found


def pieces(default: str) -> tuple[bool, str | None]:
    """Whether a default takes the value of the scope around (^), and its own text, if there is one."""
    outer = default.startswith("^")
    text: str | None = default[1:].lstrip("|") if outer else default
    if outer and not default.startswith("^|"):
        text = None
    if text is not None and len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1]
    return outer, text
