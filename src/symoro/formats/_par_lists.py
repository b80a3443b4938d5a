"""The scalars and lists of a `.par` file by key; problems go to the report, with line and joint."""

from __future__ import annotations

import re

from symoro.formats._par_keys import BY_LOWER, GEOMETRIC, KEYS, LINKS, SCALARS
from symoro.formats._par_text import Assignment, Item
from symoro.formats._report import Report
from symoro.robot.joint import MOTION
from symoro.robot.values import ZERO, Symbol, Value

_INTEGER = re.compile(r"[+-]?[0-9]{1,6}")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_FIELDS = {"parent": "ant", "kind": "sigma", "actuated": "mu", "elastic": "eta", "gravity": "G", "pose": "Z"}
_FIELDS |= {"pose of the base": "Z", "inertia": "M", "base": "V0"}


class Lists:
    """The entries of a file, by key."""

    def __init__(self, entries: list[Assignment], report: Report) -> None:
        self.report = report
        self.entries: dict[str, Assignment] = {}
        self.padded: list[str] = []
        for entry in entries:
            self._add(entry)

    def _add(self, entry: Assignment) -> None:
        key = BY_LOWER.get(entry.key.lower())
        if key is None:
            self.report.error(f"unknown key {entry.key!r} (allowed: {', '.join(KEYS)})", entry.line)
        elif key in self.entries:
            self.report.error(f"{entry.key} is given twice, first in line {self.entries[key].line}", entry.line)
        elif entry.is_list is (key in SCALARS):
            allowed = f"{key} = value" if key in SCALARS else f"{key} = {{ … }}"
            self.report.error(
                f"{entry.key} is {'a list' if entry.is_list else 'not a list'} (allowed: {allowed})", entry.line
            )
        else:
            self.entries[key] = entry

    def line_of(self, where: str, joint: int | None) -> int | None:
        """The line of a list, or of the item of a joint in it."""
        entry = self.entries.get(_FIELDS.get(where, where))
        if entry is None:
            return None
        inside = joint is not None and joint <= len(entry.items) and entry.key.lower() in GEOMETRIC
        return entry.items[joint - 1].line if inside and joint else entry.line

    def warning(self, key: str, message: str) -> None:
        self.report.warning(message, self.line_of(key, None))

    def length(self, key: str) -> int | None:
        """The number of items of a list; None if the list is absent."""
        return len(self.entries[key].items) if key in self.entries else None

    def integer(self, key: str) -> int | None:
        """A scalar that is an integer; None if it is absent."""
        if key not in self.entries:
            return None
        (item,) = self.entries[key].items
        return self._integer(key, item, None, "is not an integer")

    def flag(self, key: str) -> bool:
        """A scalar that is true or false; absent, it is false."""
        if key not in self.entries:
            return False
        (item,) = self.entries[key].items
        if item.text.lower() not in _FLAGS:
            self.report.error(f"{key} = {item.text} (allowed: True, False, 1, 0)", item.line)
        return _FLAGS.get(item.text.lower(), False)

    def _integer(self, key: str, item: Item, joint: int | None, wrong: str) -> int | None:
        if _INTEGER.fullmatch(item.text) is None:
            self.report.error(f"{key} = {item.text[:40]} {wrong}", item.line, joint)
            return None
        return int(item.text)

    def items(self, key: str, count: int, pad: bool = False) -> list[Item | None]:
        """The items of a list of the required length; None for items that are absent."""
        if key not in self.entries:
            return [None] * count
        items = self.entries[key].items
        if len(items) < count and pad:
            self.padded.append(key)
            return [*items, *[None] * (count - len(items))]
        if len(items) != count:
            self.report.error(f"{key} has {len(items)} items, not {count}", self.entries[key].line)
            return [None] * count
        return list(items)

    def integers(self, key: str, count: int, allowed: range, wrong: str = "", pad: bool = False) -> list[int | None]:
        """Integers, one for each joint; None for those that are absent or wrong."""
        wrong = wrong or f"is not allowed (allowed: {allowed[0]} to {allowed[-1]})"
        found: list[int | None] = []
        for joint, item in enumerate(self.items(key, count, pad), 1):
            number = None if item is None else self._integer(key, item, joint, wrong)
            if item is not None and number is not None and number not in allowed:
                self.report.error(f"{key} = {number} {wrong}", item.line, joint)
                number = None
            found.append(number)
        return found

    def values(self, key: str, count: int, first: int = 1, pad: bool = False) -> list[Value]:
        """Values, one for each joint or link from `first`; the default is 0, for QP, QDP and GAM the usual symbol."""
        return [self._value(key, index, item) for index, item in enumerate(self.items(key, count, pad), first)]

    def _value(self, key: str, index: int, item: Item | None) -> Value:
        if item is None:
            return Symbol(f"{key}{index}") if key in MOTION.values() else ZERO
        joint = index if index > 0 and key not in ("Z", "G", "V0", "W0", "VP0", "WP0") else None
        return self.report.value(key, item.text, item.line, joint) or ZERO

    def report_absent(self) -> None:
        """Report the lists that are absent or too short, and the values that replace them."""
        if missing := [key for key in GEOMETRIC if key not in self.entries and key != "mu"]:
            tell = self.report.error if {"ant", "sigma"} & set(missing) else self.report.warning
            tell(f"no list of {', '.join(missing)}: taken as 0 (ant and sigma are required)")
        if self.padded:
            listed = ", ".join(self.padded)
            self.report.warning(f"lists too short: {listed}; absent items are 0, in QP, QDP and GAM the usual symbols")
        if not any(key in self.entries for key in LINKS):
            self.report.note("no dynamic parameters: taken as 0")
        if "G" not in self.entries:
            self.report.note("no list of G: gravity is taken as 0, 0, G3")
