"""The text of a `.par` file: keys, comments, scalars and lists by line, and how many frames, joints, links it has."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from symoro.findings import Finding
from symoro.formats._report import MAX_FRAMES, Report
from symoro.robot.joint import MOTION
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.topology import is_serial
from symoro.robot.values import ZERO, Symbol, Value

# The keys of `.par` files.


SCALARS = ("NF", "NL", "NJ", "Type", "is_floating", "is_mobile")
GEOMETRIC = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
"""One item for each frame 1 … NF."""
LINKS = (*Inertia.names(), *Drive.names(), *Wrench.names())
"""One item for each link 1 … NL; if the base is floating or mobile, the first item is that of link 0."""
JOINTS = ("eta", "k", *MOTION.values())
"""One item for each joint 1 … NJ."""
VECTORS = {"W0": 3, "WP0": 3, "V0": 3, "VP0": 3, "G": 3, "Z": 16}

TYPES = ("simple", "tree", "closed loop")
"""The meaning of the numbers of `Type`."""


def type_of(robot: Robot) -> int:
    """The number `Type` of a robot."""
    return 2 if robot.cuts else 0 if is_serial(robot) else 1


KEYS = (*SCALARS, *GEOMETRIC, *LINKS, *JOINTS, *VECTORS)
BY_LOWER = {key.lower(): key for key in KEYS}
"""Files differ in the case of keys: Ant and ant, B and b."""


# Splits a `.par` text into comments, scalars and lists, each with its line.


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
            report.add(Finding("par.open_comment"), line)
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
            report.add(Finding("par.not_understood", text=shown), line)
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
        report.add(Finding("par.open_list", key=match[1]), line)
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


# Finds how many frames, joints and links a `.par` file describes, even if its header is wrong.


class Counts(NamedTuple):
    """NF, NJ and NL; `repaired` means that the header is wrong and they come from the lists."""

    frames: int
    joints: int
    links: int
    repaired: bool

    @property
    def cuts(self) -> int:
        """B, the number of cut loops."""
        return self.frames - self.joints


def find_counts(lists: Lists) -> Counts:
    """The counts of the header if they agree with the geometric lists, else the counts that follow from the lists."""
    header = {key: lists.integer(key) for key in ("NF", "NJ", "NL")}
    lengths = [length for key in GEOMETRIC if (length := lists.length(key)) is not None]
    frames, joints, links = header["NF"], header["NJ"], header["NL"]
    agreed = len(set(lengths)) == 1
    if frames is not None and joints is not None and links is not None:
        consistent = frames - joints == joints - links >= 0 and links >= 1 and not _unsaid_loops(lists, frames, joints)
        if consistent and (frames in lengths or not agreed):
            return _limited(lists, Counts(frames, joints, links, repaired=False))
    if not lengths:
        lists.report.add(Finding("par.no_geometry"))
        return Counts(0, 0, 0, repaired=True)
    return _limited(lists, _from_lists(lists, header, max(set(lengths), key=lengths.count)))


def _unsaid_loops(lists: Lists, frames: int, joints: int) -> bool:
    """Whether `Type` says that there are loops, but the counts do not."""
    return lists.integer("Type") == 2 and frames == joints


def _from_lists(lists: Lists, header: dict[str, int | None], frames: int) -> Counts:
    """NF is the length of the geometric lists, B the number of fixed frames at their end."""
    cuts = 0
    if "sigma" in lists.entries:
        sigmas = [item.text for item in lists.entries["sigma"].items[:frames]]
        cuts = next((place for place, sigma in enumerate(reversed(sigmas)) if sigma != "2"), 0)
        cuts = min(cuts, (frames - 1) // 2)
    counts = Counts(frames, frames - cuts, frames - 2 * cuts, repaired=True)
    absent = Finding("par.absent")
    stated = [
        Finding("par.count", key=key, number=absent if number is None else number) for key, number in header.items()
    ]
    header_of = Finding("par.header", header=stated, frames=counts.frames, joints=counts.joints, links=counts.links)
    lists.add("NF", header_of)
    return counts


def _limited(lists: Lists, counts: Counts) -> Counts:
    if counts.frames > MAX_FRAMES:
        lists.report.add(Finding("par.frames", frames=counts.frames, most=MAX_FRAMES), lists.line_of("NF", None))
        lists.report.raise_errors()
    return counts


# The scalars and lists of a `.par` file by key; problems go to the report, with line and joint.


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
            self.report.add(Finding("par.unknown_key", key=entry.key, allowed=KEYS), entry.line)
        elif key in self.entries:
            self.report.add(Finding("par.twice", key=entry.key, line=self.entries[key].line), entry.line)
        elif entry.is_list is (key in SCALARS):
            code = "par.list" if entry.is_list else "par.no_list"
            self.report.add(Finding(code, key=entry.key, wanted=key), entry.line)
        else:
            self.entries[key] = entry

    def line_of(self, where: str, joint: int | None) -> int | None:
        """The line of a list, or of the item of a joint in it."""
        entry = self.entries.get(_FIELDS.get(where, where))
        if entry is None:
            return None
        inside = joint is not None and joint <= len(entry.items) and entry.key.lower() in GEOMETRIC
        return entry.items[joint - 1].line if inside and joint else entry.line

    def add(self, key: str, finding: Finding) -> None:
        """Report what is said of a list or a scalar."""
        self.report.add(finding, self.line_of(key, None))

    def length(self, key: str) -> int | None:
        """The number of items of a list; None if the list is absent."""
        return len(self.entries[key].items) if key in self.entries else None

    def integer(self, key: str) -> int | None:
        """A scalar that is an integer; None if it is absent."""
        if key not in self.entries:
            return None
        (item,) = self.entries[key].items
        return self._integer(key, item, None, lambda text: Finding("par.no_integer", key=key, text=text))

    def flag(self, key: str) -> bool:
        """A scalar that is true or false; absent, it is false."""
        if key not in self.entries:
            return False
        (item,) = self.entries[key].items
        if item.text.lower() not in _FLAGS:
            self.report.add(Finding("par.flag", key=key, text=item.text), item.line)
        return _FLAGS.get(item.text.lower(), False)

    def _integer(self, key: str, item: Item, joint: int | None, wrong: Callable[[object], Finding]) -> int | None:
        if _INTEGER.fullmatch(item.text) is None:
            self.report.add(wrong(item.text[:40]), item.line, joint)
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
            self.report.add(Finding("par.items", key=key, items=len(items), count=count), self.entries[key].line)
            return [None] * count
        return list(items)

    def integers(self, key: str, count: int, allowed: range, pad: bool = False) -> list[int | None]:
        """Integers, one for each joint; None for those that are absent or wrong."""

        def wrong(text: object) -> Finding:
            if key == "sigma":
                return Finding("par.no_kind", key=key, text=text)
            return Finding("par.not_allowed", key=key, text=text, least=allowed[0], most=allowed[-1])

        numbers: list[int | None] = []
        for joint, item in enumerate(self.items(key, count, pad), 1):
            number = None if item is None else self._integer(key, item, joint, wrong)
            if item is not None and number is not None and number not in allowed:
                self.report.add(wrong(number), item.line, joint)
                number = None
            numbers.append(number)
        return numbers

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
            needed = {"ant", "sigma"} & set(missing)
            self.report.add(Finding("par.needed_lists" if needed else "par.missing_lists", names=missing))
        if self.padded:
            self.report.add(Finding("par.short_lists", names=self.padded))
        if not any(key in self.entries for key in LINKS):
            self.report.add(Finding("par.no_dynamics"))
        if "G" not in self.entries:
            self.report.add(Finding("par.no_gravity"))
