"""One table of a TOML document, read key by key; problems go to the report, with the line of their key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from symoro.errors import RobotError, ValueSyntaxError
from symoro.formats._report import Report
from symoro.robot.base import IDENTITY, Pose
from symoro.robot.joint import Limits
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.values import ZERO, Symbol, Value, as_value, parse

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


# One table of a TOML document, read key by key; problems go to the report, with their line.


_T = TypeVar("_T", Inertia, Drive, Wrench)


class Decimal(str):
    """The text of a float, which `tomllib` keeps by this class: values are exact and not converted to floats."""

    __slots__ = ()


class Part:
    """A table with its place in the document; its methods read and check the values of keys."""

    def __init__(self, data: Any, lines: Lines, report: Report, section: str = "", index: int = 0) -> None:
        self.lines, self.report, self.section, self.index = lines, report, section, index
        self.joint = index if section == "joints" else None
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.error("", f"{section} is not a table")

    def error(self, key: str, message: str) -> None:
        """Report a problem of a key; `inertia.mass` is in a table of its own, or in the line of `inertia`."""
        table, _, entry = key.partition(".")
        own = self.lines.found.get((f"{self.section}.{table}", self.index, entry)) if entry else None
        self.report.error(message, own or self.lines.of(self.section, table, self.index), self.joint)

    def only(self, *allowed: str) -> None:
        """Report the keys that are not allowed."""
        for key in self.data:
            if key not in allowed:
                where = f"[{self.section}]" if self.section else "the document"
                self.error(key, f"unknown key {key!r} in {where} (allowed: {', '.join(allowed)})")

    def parts(self, key: str) -> Iterator[Part]:
        """The tables of an array of tables."""
        items = self.data.get(key, [])
        if not isinstance(items, list):
            self.error(key, f"{key} is not an array of tables (allowed: [[{key}]] …)")
            items = []
        for index, item in enumerate(items, 1):
            yield Part(item, self.lines, self.report, key, index)

    def part(self, key: str) -> Part:
        return Part(self.data.get(key, {}), self.lines, self.report, key)

    def _typed(self, key: str, kind: type, default: Any, allowed: str) -> Any:
        given = self.data.get(key, default)
        other = isinstance(given, Decimal) or isinstance(given, bool) is not (kind is bool)
        if key in self.data and (not isinstance(given, kind) or other):
            self.error(key, f"{key} = {_shown(given)} (allowed: {allowed})")
            return default
        return given

    def text(self, key: str, default: str = "") -> str:
        return str(self._typed(key, str, default, "a text"))

    def symbol(self, key: str, default: str) -> str:
        """The name of a symbol."""
        given = self.text(key, default)
        try:
            return Symbol(given).name
        except ValueSyntaxError as error:
            self.error(key, f"{key}: {error}")
            return default

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, bool, default, "true or false"))

    def integer(self, key: str, default: int) -> int:
        given = int(self._typed(key, int, default, "an integer"))
        if abs(given) > 10**9:
            self.error(key, f"{key} is too large an integer")
            return default
        return given

    def choice(self, key: str, default: str, allowed: Sequence[str]) -> str:
        given = self.text(key, default)
        if given not in allowed:
            self.error(key, f"{key} = {_shown(given)} is not known (allowed: {', '.join(allowed)})")
            return default
        return given

    def value(self, key: str, default: Value = ZERO) -> Value:
        return self.convert(key, self.data[key]) if key in self.data else default

    def convert(self, key: str, given: Any, default: Value = ZERO) -> Value:
        """The value of a number or a text."""
        try:
            if isinstance(given, Decimal):
                return _decimal(given)
            if isinstance(given, int | str):
                return as_value(given)
        except ValueSyntaxError as error:
            self.error(key, f"{key}: {error}")
            return default
        self.error(key, f"{key} = {_shown(given)} is not a value (allowed: a number, or text such as 'q2 + pi/2')")
        return default

    def row(self, key: str, default: tuple[Value, ...]) -> tuple[Value, ...]:
        """An array of values, with the length of the default."""
        return self._row(key, self.data[key], default) if key in self.data else default

    def _row(self, key: str, given: Any, default: tuple[Value, ...]) -> tuple[Value, ...]:
        if not isinstance(given, list) or len(given) != len(default):
            self.error(key, f"{key} = {_shown(given)} (allowed: an array of {len(default)} values)")
            return default
        return tuple(self.convert(key, item) for item in given)

    def matrix(self, key: str) -> tuple[tuple[Value, ...], ...]:
        """An array of rows of one length."""
        given = self.data.get(key, [])
        if not isinstance(given, list) or any(not isinstance(row, list) for row in given):
            self.error(key, f"{key} is not an array of rows of values")
            return ()
        return tuple(tuple(self.convert(key, item) for item in row) for row in given)

    def pose(self, key: str) -> Pose:
        pose = self.matrix(key) if key in self.data else IDENTITY
        if [len(row) for row in pose] != [4, 4, 4, 4]:
            self.error(key, f"{key} is not 4 rows of 4 values")
            return IDENTITY
        return pose

    def limits(self) -> Limits:
        given = self._inner("limits", ("lower", "upper", "velocity", "effort"))
        return Limits(**{key: self.convert(f"limits.{key}", item) for key, item in given.items()})

    def table(self, key: str, kind: type[_T], link: int) -> _T:
        """Inertia, drive or wrench: the text "symbolic", or a table of entries."""
        if self.data.get(key) == "symbolic":
            return kind.symbolic(link)
        given = self._inner(key, kind.names(), ' or "symbolic"')
        return kind(**{name: self.convert(f"{key}.{name}", item) for name, item in given.items()})

    def _inner(self, key: str, allowed: Sequence[str], other: str = "") -> dict[str, Any]:
        given = self.data.get(key, {})
        if not isinstance(given, dict):
            self.error(key, f"{key} = {_shown(given)} (allowed: a table of {', '.join(allowed)}{other})")
            return {}
        for name in given:
            if name not in allowed:
                self.error(key, f"unknown key {name!r} in {key} (allowed: {', '.join(allowed)})")
        return {name: item for name, item in given.items() if name in allowed}


def _decimal(text: Decimal) -> Value:
    if text.lstrip("+-") in ("inf", "nan"):
        raise ValueSyntaxError(f"{text} is not a number that a parameter can have (finite numbers only)")
    return parse(text.replace("_", ""))


def _shown(given: Any) -> str:
    try:
        text = repr(str(given) if isinstance(given, Decimal) else given)
    except ValueError:  # an integer of more digits than Python prints
        return "a very long number"
    return text if len(text) <= 60 else text[:57] + "..."


# inertia by mass, centre of mass and tensor

TENSORS = {"tensor_at_com": Inertia.from_com, "tensor_at_origin": Inertia.from_origin}
BODY = ("mass", "com", *TENSORS)
_ALLOWED = "XX … M about the origin of the frame, or mass, com and one of tensor_at_com, tensor_at_origin"


def read_inertia(part: Part, link: int) -> Inertia:
    """The table `inertia` of a joint or of the base."""
    given = part.data.get("inertia", {})
    if not isinstance(given, dict) or not any(key in BODY for key in given):
        return part.table("inertia", Inertia, link)
    if others := [key for key in given if key not in BODY]:
        known = [key for key in others if key in Inertia.names()]
        what = f"has both {known[0]} and {next(k for k in given if k in BODY)}" if known else f"has a key {others[0]!r}"
        part.error(f"inertia.{others[0]}", f"inertia {what} (allowed: {_ALLOWED})")
        return Inertia()
    if len(tensors := [key for key in TENSORS if key in given]) > 1:
        part.error(f"inertia.{tensors[1]}", "inertia has two tensors (allowed: tensor_at_com or tensor_at_origin)")
        return Inertia()
    if "mass" not in given:
        part.error(f"inertia.{next(iter(given))}", "inertia has no mass (needed with com and with a tensor)")
        return Inertia()
    return _body(part, given, tensors[0] if tensors else "tensor_at_com")


def _body(part: Part, given: dict[str, Any], tensor: str) -> Inertia:
    nothing = [[0, 0, 0]] * 3
    rows = given.get(tensor, nothing)
    if not isinstance(rows, list) or len(rows) != 3 or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        shape = "three rows of three values: [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]"
        part.error(f"inertia.{tensor}", f"inertia.{tensor} is not a tensor (allowed: {shape})")
        rows = nothing
    com = given.get("com", [0, 0, 0])
    if not isinstance(com, list) or len(com) != 3:
        part.error("inertia.com", "inertia.com is not a point (allowed: three values, in the link's frame)")
        com = [0, 0, 0]

    def values(name: str, row: list[Any]) -> list[Value]:
        return [part.convert(f"inertia.{name}", item) for item in row]

    try:
        mass = part.convert("inertia.mass", given["mass"])
        return TENSORS[tensor](mass, values("com", com), [values(tensor, row) for row in rows])
    except RobotError as error:
        part.error(f"inertia.{tensor}", f"inertia.{tensor}: {error}")
        return Inertia(M=ZERO)
