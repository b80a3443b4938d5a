"""One table of a TOML document, read key by key; problems go to the report, with the line of their key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from symoro.errors import RobotError, ValueSyntaxError
from symoro.findings import Finding
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
        self.numbers: dict[tuple[str, int, str], int] = {}
        section, counts = ("", 0), Counter[str]()
        for number, line in enumerate(text.split("\n"), first):
            if header := _HEADER.match(line):
                name = header[2]
                whole, _, part = name.rpartition(".")
                counts[name] += header[1] == "[["
                section = (name, counts[name])
                if whole and header[1] == "[":  # [joints.inertia] is a table of the last of the [[joints]]
                    section = (name, counts[whole])
                    self.numbers.setdefault((whole, counts[whole], part), number)
                self.numbers.setdefault((*section, ""), number)
            elif key := _KEY.match(line):
                self.numbers.setdefault((*section, key[1]), number)

    def of(self, section: str, key: str = "", index: int = 0) -> int | None:
        """The line of a key; if it is not found, the line of its table."""
        return self.numbers.get((section, index, key), self.numbers.get((section, index, "")))


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


class TomlTable:
    """A table with its place in the document; its methods read and check the values of keys."""

    def __init__(self, data: Any, lines: Lines, report: Report, section: str = "", index: int = 0) -> None:
        self.lines, self.report, self.section, self.index = lines, report, section, index
        self.joint = index if section == "joints" else None
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.add("", Finding("toml.no_table", section=section))

    def add(self, key: str, finding: Finding) -> None:
        """Report what is said of a key; `inertia.mass` is in a table of its own, or in the line of `inertia`."""
        table, _, entry = key.partition(".")
        line = self.lines.numbers.get((f"{self.section}.{table}", self.index, entry)) if entry else None
        self.report.add(finding, line or self.lines.of(self.section, table, self.index), self.joint)

    def only(self, *allowed: str) -> None:
        """Report the keys that are not allowed."""
        for key in self.data:
            if key not in allowed:
                table = f"[{self.section}]" if self.section else Finding("toml.document")
                self.add(key, Finding("toml.unknown_key", key=key, table=table, allowed=allowed))

    def parts(self, key: str) -> Iterator[TomlTable]:
        """The tables of an array of tables."""
        items = self.data.get(key, [])
        if not isinstance(items, list):
            self.add(key, Finding("toml.no_tables", key=key))
            items = []
        for index, item in enumerate(items, 1):
            yield TomlTable(item, self.lines, self.report, key, index)

    def part(self, key: str) -> TomlTable:
        return TomlTable(self.data.get(key, {}), self.lines, self.report, key)

    def _typed(self, key: str, kind: type, default: Any, allowed: Finding) -> Any:
        value = self.data.get(key, default)
        other = isinstance(value, Decimal) or isinstance(value, bool) is not (kind is bool)
        if key in self.data and (not isinstance(value, kind) or other):
            self.add(key, Finding("toml.value", key=key, value=_shown(value), allowed=allowed))
            return default
        return value

    def text(self, key: str, default: str = "") -> str:
        return str(self._typed(key, str, default, Finding("toml.text")))

    def symbol(self, key: str, default: str) -> str:
        """The name of a symbol."""
        name = self.text(key, default)
        try:
            return Symbol(name).name
        except ValueSyntaxError as error:
            self.add(key, Finding("files.key", key=key, reason=error.finding))
            return default

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._typed(key, bool, default, Finding("toml.flag")))

    def integer(self, key: str, default: int) -> int:
        number = int(self._typed(key, int, default, Finding("toml.integer")))
        if abs(number) > 10**9:
            self.add(key, Finding("toml.large_integer", key=key))
            return default
        return number

    def choice(self, key: str, default: str, allowed: Sequence[str]) -> str:
        text = self.text(key, default)
        if text not in allowed:
            self.add(key, Finding("toml.choice", key=key, value=_shown(text), allowed=allowed))
            return default
        return text

    def value(self, key: str, default: Value = ZERO) -> Value:
        return self.convert(key, self.data[key]) if key in self.data else default

    def convert(self, key: str, item: Any, default: Value = ZERO) -> Value:
        """The value of a number or a text."""
        try:
            if isinstance(item, Decimal):
                return _decimal(item)
            if isinstance(item, int | str):
                return as_value(item)
        except ValueSyntaxError as error:
            self.add(key, Finding("files.key", key=key, reason=error.finding))
            return default
        self.add(key, Finding("toml.no_value", key=key, value=_shown(item)))
        return default

    def row(self, key: str, default: tuple[Value, ...]) -> tuple[Value, ...]:
        """An array of values, with the length of the default."""
        return self._row(key, self.data[key], default) if key in self.data else default

    def _row(self, key: str, array: Any, default: tuple[Value, ...]) -> tuple[Value, ...]:
        if not isinstance(array, list) or len(array) != len(default):
            self.add(key, Finding("toml.array", key=key, value=_shown(array), count=len(default)))
            return default
        return tuple(self.convert(key, item) for item in array)

    def matrix(self, key: str) -> tuple[tuple[Value, ...], ...]:
        """An array of rows of one length."""
        rows = self.data.get(key, [])
        if not isinstance(rows, list) or any(not isinstance(row, list) for row in rows):
            self.add(key, Finding("toml.rows", key=key))
            return ()
        return tuple(tuple(self.convert(key, item) for item in row) for row in rows)

    def pose(self, key: str) -> Pose:
        pose = self.matrix(key) if key in self.data else IDENTITY
        if [len(row) for row in pose] != [4, 4, 4, 4]:
            self.add(key, Finding("descriptions.no_matrix", name=key))
            return IDENTITY
        return pose

    def limits(self) -> Limits:
        entries = self._inner("limits", ("lower", "upper", "velocity", "effort"))
        return Limits(**{key: self.convert(f"limits.{key}", item) for key, item in entries.items()})

    def table(self, key: str, kind: type[_T], link: int) -> _T:
        """Inertia, drive or wrench: the text "symbolic", or a table of entries."""
        if self.data.get(key) == "symbolic":
            return kind.symbolic(link)
        entries = self._inner(key, kind.names(), "toml.symbolic_table")
        return kind(**{name: self.convert(f"{key}.{name}", item) for name, item in entries.items()})

    def _inner(self, key: str, allowed: Sequence[str], code: str = "toml.table") -> dict[str, Any]:
        """The entries of a table; `code` is what is said of a value that is none."""
        table = self.data.get(key, {})
        if not isinstance(table, dict):
            self.add(key, Finding(code, key=key, value=_shown(table), allowed=allowed))
            return {}
        for name in table:
            if name not in allowed:
                self.add(key, Finding("toml.unknown_key", key=name, table=key, allowed=allowed))
        return {name: item for name, item in table.items() if name in allowed}


def _decimal(text: Decimal) -> Value:
    if text.lstrip("+-") in ("inf", "nan"):
        raise ValueSyntaxError("values.not_finite", value=text)
    return parse(text.replace("_", ""))


def _shown(value: Any) -> str | Finding:
    try:
        text = repr(str(value) if isinstance(value, Decimal) else value)
    except ValueError:  # an integer of more digits than Python prints
        return Finding("toml.long_number")
    return text if len(text) <= 60 else text[:57] + "..."


# inertia by mass, centre of mass and tensor

TENSORS = {"tensor_at_com": Inertia.from_com, "tensor_at_origin": Inertia.from_origin}
BODY = ("mass", "com", *TENSORS)
_ALLOWED = Finding("toml.inertia_keys")


def read_inertia(part: TomlTable, link: int) -> Inertia:
    """The table `inertia` of a joint or of the base."""
    entries = part.data.get("inertia", {})
    if not isinstance(entries, dict) or not any(key in BODY for key in entries):
        return part.table("inertia", Inertia, link)
    if others := [key for key in entries if key not in BODY]:
        known = [key for key in others if key in Inertia.names()]
        finding = Finding("toml.inertia_key", key=others[0], allowed=_ALLOWED)
        if known:
            second = next(key for key in entries if key in BODY)
            finding = Finding("toml.inertia_twice", first=known[0], second=second, allowed=_ALLOWED)
        part.add(f"inertia.{others[0]}", finding)
        return Inertia()
    if len(tensors := [key for key in TENSORS if key in entries]) > 1:
        part.add(f"inertia.{tensors[1]}", Finding("toml.two_tensors"))
        return Inertia()
    if "mass" not in entries:
        part.add(f"inertia.{next(iter(entries))}", Finding("toml.no_mass"))
        return Inertia()
    return _body(part, entries, tensors[0] if tensors else "tensor_at_com")


def _body(part: TomlTable, entries: dict[str, Any], tensor: str) -> Inertia:
    nothing = [[0, 0, 0]] * 3
    rows = entries.get(tensor, nothing)
    if not isinstance(rows, list) or len(rows) != 3 or any(not isinstance(row, list) or len(row) != 3 for row in rows):
        part.add(f"inertia.{tensor}", Finding("toml.tensor", tensor=tensor))
        rows = nothing
    com = entries.get("com", [0, 0, 0])
    if not isinstance(com, list) or len(com) != 3:
        part.add("inertia.com", Finding("toml.com"))
        com = [0, 0, 0]

    def values(name: str, row: list[Any]) -> list[Value]:
        return [part.convert(f"inertia.{name}", item) for item in row]

    try:
        mass = part.convert("inertia.mass", entries["mass"])
        return TENSORS[tensor](mass, values("com", com), [values(tensor, row) for row in rows])
    except RobotError as error:
        part.add(f"inertia.{tensor}", Finding("files.key", key=f"inertia.{tensor}", reason=error.finding))
        return Inertia(M=ZERO)
