"""Finds the line of each key of a TOML text; `tomllib` does not give it, and messages need it."""

from __future__ import annotations

import re
from collections import Counter

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]")
_KEY = re.compile(r"\s*\"?([A-Za-z0-9_-]+)\"?\s*[=.]")
_ERROR = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")

_LINK = re.compile(r"[ \t]*(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*")
_MAX_LINKS = 50


def is_hostile(text: str) -> bool:
    """Whether the text has a key a.a.a … with so many parts that `tomllib` would take hours (its time is quadratic)."""
    links = 0
    for piece in text.split("."):
        links = links + 1 if _LINK.fullmatch(piece) else 0
        if links > _MAX_LINKS:
            return True
    return False


class Lines:
    """The lines of tables and keys, found by simple patterns, line by line."""

    def __init__(self, text: str, first: int = 1) -> None:
        self.found: dict[tuple[str, int, str], int] = {}
        section, counts = ("", 0), Counter[str]()
        for number, line in enumerate(text.split("\n"), first):
            if header := _HEADER.match(line):
                name = header[2]
                whole, _, part = name.rpartition(".")
                counts[name] += header[1] == "[["
                section = (name, counts[name])
                if whole and header[1] == "[":  # [joints.inertia] is a table of the last of the [[joints]]
                    section = (name, counts[whole])
                    self.found.setdefault((whole, counts[whole], part), number)
                self.found.setdefault((*section, ""), number)
            elif key := _KEY.match(line):
                self.found.setdefault((*section, key[1]), number)

    def of(self, section: str, key: str = "", index: int = 0) -> int | None:
        """The line of a key; if it is not found, the line of its table."""
        return self.found.get((section, index, key), self.found.get((section, index, "")))


def place(error: Exception, text: str, first: int = 1) -> tuple[str, int]:
    """Message and line of an error of `tomllib`."""
    message = str(error)
    match = _ERROR.search(message)
    line = int(match[1]) if match and match[1] else text.count("\n") + 1
    return _ERROR.sub("", message), line + first - 1
