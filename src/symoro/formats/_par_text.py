"""Splits a `.par` text into comments, scalars and lists, each with its line."""

from __future__ import annotations

import re
from typing import NamedTuple

from symoro.formats._report import Report

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t\n]*")
_UNTIL = re.compile(r"[^}=]*")
_NAME = re.compile(r"Robotname\s*=\s*'([^'\n]*)'", re.IGNORECASE)


class Item(NamedTuple):
    text: str
    line: int


class Assignment(NamedTuple):
    """`key = text` or `key = { item, … }`."""

    key: str
    line: int
    items: tuple[Item, ...]
    is_list: bool


class Comment(NamedTuple):
    text: str
    line: int


def split(text: str, report: Report) -> tuple[list[Assignment], list[Comment]]:
    """The entries and the comments of a text whose line ends are \\n."""
    data, comments = _without_comments(text, report)
    return _entries(data, report), comments


def robot_name(comments: list[Comment]) -> str | None:
    """The name that a comment such as (* Robotname = 'RX90' *) carries."""
    return next((match[1].strip() for comment in comments if (match := _NAME.search(comment.text))), None)


def _without_comments(text: str, report: Report) -> tuple[str, list[Comment]]:
    """The text without its comments; the line numbers do not change."""
    pieces: list[str] = []
    comments: list[Comment] = []
    place, line = 0, 1
    while (start := text.find("(*", place)) >= 0:
        line += text.count("\n", place, start)
        end = text.find("*)", start + 2)
        if end < 0:
            report.error("a comment (* is not closed (allowed: (* … *))", line)
            return "".join([*pieces, text[place:start]]), comments
        comments.append(Comment(text[start + 2 : end], line))
        lines = text.count("\n", start, end)
        pieces += [text[place:start], " ", "\n" * lines]
        place, line = end + 2, line + lines
    return "".join([*pieces, text[place:]]), comments


def _entries(data: str, report: Report) -> list[Assignment]:
    entries: list[Assignment] = []
    place, line = 0, 1
    while place < len(data):
        blank = _skip_blank(data, place)
        line += data.count("\n", place, blank)
        place = blank
        if place == len(data):
            break
        match = _ASSIGNMENT.match(data, place)
        if match is None:
            end = _line_end(data, place)
            shown = data[place : min(end, place + 40)].strip()
            report.error(f"{shown!r} is not understood (allowed: key = value, key = {{ … }}, (* comment *))", line)
        elif data[match.end() : match.end() + 1] == "{":
            entry, end = _list(data, match, line, report)
            entries.append(entry)
        else:
            end = _line_end(data, match.end())
            start = line + data.count("\n", place, match.end())
            entries.append(Assignment(match[1], line, (Item(data[match.end() : end].strip(), start),), is_list=False))
        line += data.count("\n", place, end)
        place = end
    return entries


def _skip_blank(data: str, place: int) -> int:
    while place < len(data) and data[place].isspace():
        place += 1
    return place


def _line_end(data: str, place: int) -> int:
    end = data.find("\n", place)
    return len(data) if end < 0 else end


def _list(data: str, match: re.Match[str], line: int, report: Report) -> tuple[Assignment, int]:
    """The list whose opening brace follows the match, and the position where it ends."""
    opening = match.end()
    until = _UNTIL.match(data, opening)
    end = until.end() if until else opening
    if data[end : end + 1] != "}":
        report.error(f"{match[1]}: the list is not closed by }}", line)
        resume = data.rfind("\n", opening, end) if end < len(data) else end
        return Assignment(match[1], line, (), is_list=True), max(resume, opening + 1)
    first = line + data.count("\n", match.start(), opening)
    return Assignment(match[1], line, _items(data[opening + 1 : end], first), is_list=True), end + 1


def _items(body: str, line: int) -> tuple[Item, ...]:
    """The items between the commas that are not inside parentheses."""
    if not body.strip():
        return ()
    items, depth, start = [], 0, 0
    for place, char in enumerate(body + ","):
        depth += (char == "(") - (char == ")")
        if char == "," and (depth <= 0 or place == len(body)):
            text = body[start:place]
            lead = len(text) - len(text.lstrip())
            line += text.count("\n", 0, lead)
            items.append(Item(text.strip(), line))
            line += text.count("\n", lead)
            start = place + 1
    return tuple(items)
