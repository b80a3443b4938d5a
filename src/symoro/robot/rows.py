"""Robots from rows of geometric parameters, modified or standard Denavit-Hartenberg; an error names its row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from warnings import warn

from symoro.errors import RobotError, SymoroError
from symoro.findings import Finding
from symoro.robot.arithmetic import cosine, negative, plus, sine
from symoro.robot.base import IDENTITY, Frame, Pose
from symoro.robot.bodies import placed
from symoro.robot.joint import ANGLES, GEOMETRY, NO_MOTOR, Joint, JointKind, angle_in_degrees, in_degrees
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.values import (
    ONE,
    ZERO,
    Number,
    Symbol,
    Value,
    as_value,
    exact_angle,
    exact_length,
    is_zero,
    symbols,
    to_text,
)

RowLike = Mapping[str, Any] | Sequence[Any]
FLANGE = "flange"
_KINDS = (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED)
KINDS = {kind.value: kind for kind in _KINDS} | {kind.value[0]: kind for kind in _KINDS}
_TUPLES = {"mdh": ("alpha", "d", "theta", "r", "kind"), "dh": ("theta", "d", "a", "alpha", "kind")}
_LENGTHS = {"mdh": GEOMETRY, "dh": _TUPLES["dh"][:4]}
_OTHERS = (
    *("name", "kind", "offset", "variable", "actuated", "elastic", "stiffness", "rest"),
    *("inertia", "drive", "wrench"),
)
_T = TypeVar("_T", Inertia, Drive, Wrench)


def of_mdh(rows: Sequence[RowLike]) -> dict[str, Any]:
    """The fields of a robot with a row of modified parameters for each joint."""
    read = _read(rows, "mdh", (*_LENGTHS["mdh"], "parent"))
    return _fields(read) | {"notes": _notes(read)}


def of_dh(rows: Sequence[RowLike]) -> dict[str, Any]:
    """The fields of a serial robot with a row of standard parameters for each joint (docs/formats.md)."""
    read = _read(rows, "dh", _LENGTHS["dh"])
    tables = [row.cells | {"a": row.value("a"), "alpha": row.value("alpha")} for row in read]
    befores = ({"a": ZERO, "alpha": ZERO}, *tables)
    moved = []
    for row, table, before in zip(read, tables, befores, strict=False):
        geometry = {"alpha": before["alpha"], "d": before["a"], "theta": row.value("theta"), "r": row.value("d")}
        others = {key: value for key, value in row.cells.items() if key in _OTHERS}
        modified = _Row(row.number, others | geometry, row.names)
        if "inertia" in others and others["inertia"] != "symbolic":
            end = end_pose(table["a"], table["alpha"])
            modified.cells["inertia"] = placed(modified.table("inertia", Inertia), end)
        moved.append(modified)
    last = tables[-1]
    _warn(read[-1].number, read[-1].name, angle_in_degrees("alpha", last["alpha"]), 4)
    flange = Frame(FLANGE, len(read), end_pose(last["a"], last["alpha"]))
    return _fields(moved) | {"frames": (flange,), "notes": _notes(read)}


def end_pose(a: Value, alpha: Value) -> Pose:
    """Tx(a) Rx(alpha): the frame that a standard table has at the end of a link, seen from the link's joint."""
    c, s = cosine(alpha), sine(alpha)
    return ((ONE, ZERO, ZERO, a), (ZERO, c, negative(s), ZERO), (ZERO, s, c, ZERO), IDENTITY[3])


def _notes(rows: list[_Row]) -> tuple[str, ...]:
    return tuple(str(note) for row in rows for note in row.notes())


def _joints(rows: list[_Row]) -> tuple[Joint, ...]:
    joints: list[Joint] = []
    for row in rows:
        joints.append(row.joint({str(joint.variable) for joint in joints if joint.variable}))
    at_zero = {str(joint.variable): 0.0 for joint in joints}
    for joint in joints:
        _warn(joint.index, joint.name, in_degrees(joint, at_zero), 6)
    return tuple(joints)


def _warn(number: int, name: str, findings: Iterable[Finding], level: int) -> None:
    """Warn of what is found in a row; `level` calls above is who gives the rows."""
    for finding in findings:
        message = Finding("rows.row", number=number, name=name, reason=finding.placed())
        warn(str(message), UserWarning, stacklevel=level)


def _fields(rows: list[_Row]) -> dict[str, Any]:
    return {
        "joints": _joints(rows),
        "inertias": tuple(row.table("inertia", Inertia) for row in rows),
        "drives": tuple(row.table("drive", Drive) for row in rows),
        "wrenches": tuple(row.table("wrench", Wrench) for row in rows),
    }


def _read(rows: Sequence[RowLike], convention: str, geometry: tuple[str, ...]) -> list[_Row]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise RobotError("rows.no_table", table=repr(rows))
    rows = list(rows)
    if not rows:
        raise RobotError("rows.none")
    read: list[_Row] = []
    for number, cells in enumerate(rows, 1):
        table = _mapping(number, cells, _TUPLES[convention])
        row = _Row(number, table, tuple(one.name for one in read))
        if row.name in row.names:
            raise row.error(Finding("descriptions.name_taken", name=row.name))
        row.only((*geometry, *_OTHERS))
        read.append(row)
    return read


def _mapping(number: int, cells: RowLike, order: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(cells, Mapping):
        return dict(cells)
    if hasattr(cells, "tolist"):  # a row of an array
        cells = cells.tolist()
    if isinstance(cells, str) or not isinstance(cells, Sequence) or len(cells) not in (4, 5):
        raise RobotError("rows.no_row", number=number, row=repr(cells), short=order[:4], long=order)
    return dict(zip(order, cells, strict=False))


@dataclass(frozen=True, slots=True)
class _Row:
    """A row by its number; `names` are those of the rows before it."""

    number: int
    cells: dict[str, Any]
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        return str(self.cells.get("name") or f"joint{self.number}")

    def error(self, reason: Finding) -> RobotError:
        return RobotError("rows.row", number=self.number, name=self.name, reason=reason)

    def only(self, allowed: Sequence[str]) -> None:
        for key in self.cells:
            if key not in allowed:
                raise self.error(Finding("rows.unknown_key", key=key, allowed=allowed))

    def value(self, key: str) -> Value:
        """A value; a rounded number of the geometry is the exact one that it stands for (math.pi / 2 is pi/2)."""
        value = self._value(key)
        return self._exact(key, value) or value

    def _value(self, key: str) -> Value:
        try:
            return as_value(self.cells.get(key, 0))
        except SymoroError as error:
            raise self.error(Finding("rows.key", key=key, reason=error.finding)) from error

    def _exact(self, key: str, value: Value) -> Value | None:
        if not isinstance(value, Number) or key not in (*GEOMETRY, "a", "offset"):
            return None
        angle = key in ANGLES or (key == "offset" and self.kind is JointKind.REVOLUTE)
        return exact_angle(value.value) if angle else exact_length(value.value)

    def notes(self) -> Iterator[Finding]:
        """What `value` made exact."""
        for key in self.cells:
            if key in (*GEOMETRY, "a", "offset") and (better := self._exact(key, value := self._value(key))):
                yield Finding("rows.exact", number=self.number, key=key, value=to_text(value), better=to_text(better))

    def flag(self, key: str, default: bool) -> bool:
        flag = self.cells.get(key, default)
        if not isinstance(flag, bool):
            raise self.error(Finding("rows.flag", key=key, value=repr(flag)))
        return flag

    @property
    def kind(self) -> JointKind:
        kind = self.cells.get("kind", JointKind.REVOLUTE)
        if isinstance(kind, JointKind):
            return kind
        if kind not in KINDS:
            raise self.error(Finding("rows.kind", kind=repr(kind), allowed=KINDS))
        return KINDS[kind]

    @property
    def parent(self) -> int:
        parent = self.cells.get("parent", self.number - 1)
        if isinstance(parent, str) and parent in self.names:
            return self.names.index(parent) + 1
        if isinstance(parent, bool) or not isinstance(parent, int) or not 0 <= parent < self.number:
            if self.number == 1:
                raise self.error(Finding("rows.first_parent", parent=repr(parent)))
            raise self.error(Finding("rows.parent", parent=repr(parent), most=self.number - 1, names=self.names))
        return parent

    def joint(self, before: Collection[str]) -> Joint:
        """The joint; `before` are the variables of the rows before it."""
        kind = self.kind
        geometry: dict[str, Any] = {key: self.value(key) for key in GEOMETRY}
        offset = self.value("offset")
        variable = None
        if kind.moving:
            variable = self._variable(kind.moving, geometry[kind.moving], before)
            position = Symbol(str(variable)) if is_zero(geometry[kind.moving]) else geometry[kind.moving]
            geometry[kind.moving] = plus(position, offset)
        elif not is_zero(offset) or "variable" in self.cells:
            raise self.error(Finding("rows.fixed"))
        joint = Joint(
            index=self.number,
            name=self.name,
            parent=self.parent,
            kind=kind,
            actuated=self.flag("actuated", True),
            elastic=self.flag("elastic", False),
            **geometry,
            variable=variable,
            stiffness=self.value("stiffness"),
            rest=self.value("rest"),
        )
        if joint.is_follower and self.cells.get("actuated") is True:
            raise self.error(Finding("rows.key", key="actuated = True", reason=NO_MOTOR))
        return joint

    def _variable(self, moving: str, position: Value, before: Collection[str]) -> str | None:
        """The variable that the row names; else q<j> where the position has it or is 0, else its only other symbol.

        A joint whose position has only variables of rows before it follows them: it has none.
        """
        names, default = sorted(symbols(position)), f"q{self.number}"
        named = self.cells.get("variable")
        if named is not None:
            if names and named not in names:
                raise self.error(Finding("rows.variable", variable=named, moving=moving, value=to_text(position)))
            return Symbol(str(named)).name
        if is_zero(position) or default in names:
            return default
        others = [name for name in names if name not in before]
        if len(others) == 1:
            return others[0]
        if names and not others:
            return None
        if names:
            raise self.error(
                Finding(
                    "rows.several_symbols",
                    moving=moving,
                    value=to_text(position),
                    count=len(names),
                    default=default,
                    first=names[0],
                )
            )
        raise self.error(Finding("rows.no_variable", moving=moving, value=to_text(position), default=default))

    def table(self, key: str, kind: type[_T]) -> _T:
        """Inertia, drive or wrench: "symbolic", a mapping of entries, or the object itself."""
        table = self.cells.get(key)
        if table is None or isinstance(table, kind):
            return table or kind()
        if table == "symbolic":
            return kind.symbolic(self.number)
        if not isinstance(table, Mapping) or any(name not in kind.names() for name in table):
            raise self.error(Finding("rows.table", key=key, table=repr(table), names=kind.names(), kind=kind.__name__))
        try:
            return kind(**{name: as_value(value) for name, value in table.items()})
        except SymoroError as error:
            raise self.error(Finding("rows.key", key=key, reason=error.finding)) from error
