"""Reading and writing descriptions of robots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from importlib import import_module
from inspect import signature
from pathlib import Path, PurePath
from typing import Any, Protocol

from symoro.errors import FormatError, UnknownRobot
from symoro.findings import Finding, Place
from symoro.formats._report import MAX_TEXT, Reading
from symoro.robot import library
from symoro.robot.base import IDENTITY, BaseKind
from symoro.robot.check import check as check_robot
from symoro.robot.check import require_valid
from symoro.robot.robot import Robot
from symoro.robot.symbolic import snap

__all__ = [
    "FORMATS",
    "WRITTEN",
    "Reading",
    "check",
    "load",
    "lost",
    "read",
    "reread",
    "save",
    "valid_robot",
    "write",
    "written",
]


class Format(Protocol):
    """The functions that the module of a format provides."""

    def read_text(self, text: str, name: str, file: str | None = None, **options: Any) -> Reading: ...

    def write_text(self, robot: Robot, **options: Any) -> str: ...


FORMATS = {
    ".par": "par",
    ".toml": "toml",
    ".csv": "dh",
    ".urdf": "urdf",
    ".xacro": "xacro",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".sdf": "sdf",
}
"""The modules of the formats, by the suffix of a file's name; a module is imported when it is needed."""
WRITTEN = tuple(suffix for suffix in FORMATS if suffix != ".xacro")
"""The suffixes of files that can be written: a robot has no macros."""


def load(name: str | Path, **options: Any) -> Robot:
    """A robot of the library by its name, or the robot in a file by its path; `options` are those of `read`.

    A path package://NAME/FILE or model://NAME/FILE is in a package: `packages` gives folders by their names, `folders`
    and ROS_PACKAGE_PATH are folders with packages in them.
    """
    if isinstance(name, str) and name in (*library.names(), *library.parallel_names()):
        path = Path(f"{name}.toml")
        return _reading(form_of(path), library.text(name), path, options).robot
    if not isinstance(name, str | Path):
        raise UnknownRobot("files.no_name", name=repr(name))
    if str(name).startswith(_SCHEMES):
        return _in_package(str(name), **options)
    if not _exists(name):
        if _is_path(name):
            raise UnknownRobot("files.no_file", path=_shown(name))
        raise UnknownRobot(library.unknown(str(name)[:200]))
    return read(name, **options).robot


_SCHEMES = ("package://", "model://")


def _in_package(
    name: str,
    packages: Mapping[str, str | Path] | None = None,
    folders: Iterable[str | Path] = (),
    **options: Any,
) -> Robot:
    """The robot of a file of a package; model://NAME alone is its file model.sdf."""
    from symoro.formats.macros.roots import OutsideError, Roots  # most robots are not in packages

    package, _, rest = name.partition("://")[2].partition("/")
    roots = Roots.of(None, packages or {}, folders)
    try:
        path = roots.inside(package, rest or "model.sdf")
    except OutsideError as error:
        raise UnknownRobot("files.key", key=_shown(name), reason=error.finding) from error
    known = signature(form_of(path).read_text).parameters
    search_options = {"packages": {**roots.packages, package: roots.package(package)}, "folders": [*folders]}
    return read(path, **{key: value for key, value in search_options.items() if key in known}, **options).robot


def _exists(path: str | Path) -> bool:
    try:
        return bool(str(path)) and Path(path).exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def _shown(path: str | Path) -> str:
    """A path as it is, or the begin of one that cannot be printed well."""
    text = str(path)
    return text if text.isprintable() and len(text) <= 300 else f"{text[:100]!r} ..."


def _is_path(name: str | Path) -> bool:
    """Whether a text is meant as the path of a file: it has a folder, or the suffix of a format."""
    return isinstance(name, Path) or any(c in name for c in "/\\\0") or Path(name).suffix.lower() in FORMATS


def valid_robot(robot: Robot | str | Path) -> Robot:
    """The robot, or the one that `load` finds for a name or a path; an error tells all that is wrong with it."""
    described = robot if isinstance(robot, Robot) else load(robot)
    require_valid(described)
    return described


def check(robot: Robot | str | Path, **options: Any) -> tuple[Finding, ...]:
    """Every problem of a robot, each with its joint and its field, errors first; of a file all that reading reports.

    `options` are those of `read`.
    """
    try:
        if isinstance(robot, Robot):
            return check_robot(robot)
        if str(robot) in (*library.names(), *library.parallel_names()) or not _exists(robot):
            return check_robot(load(robot, **options))
        return read(robot, **options).problems
    except FormatError as error:
        return error.problems


def read(path: str | Path, **options: Any) -> Reading:
    """The robot in a file, with warnings and notes; `FormatError` carries all problems of the file.

    `floating`: the base floats, whatever the file says. Other `options` are those of the format: `exact` of URDF,
    xacro, SDF and MJCF, and `arguments`, `packages` and `folders` of xacro.
    """
    path = Path(path)
    form = form_of(path)
    try:
        too_large = path.stat().st_size > 4 * MAX_TEXT
        data = b"" if too_large else path.read_bytes()
    except (OSError, ValueError) as error:
        from symoro.saving import why

        raise FormatError([Finding("files.cannot_be_read", place=Place(file=str(path)), reason=why(error))]) from error
    if too_large:
        raise FormatError([Finding("files.too_large", place=Place(file=str(path)), most=MAX_TEXT)])
    return _reading(form, decode(data), path, options)


def _reading(form: Format, text: str, path: Path, options: dict[str, Any]) -> Reading:
    """The robot of the text of a file in a format, with options that this format has."""
    known = signature(form.read_text).parameters
    floats = "floating" not in known and bool(options.pop("floating", False))
    if unknown := [option for option in options if option not in known]:
        raise FormatError([Finding("files.option", place=Place(file=str(path)), suffix=path.suffix, options=unknown)])
    reading = form.read_text(text, path.stem, str(path), **options)
    return _afloat(reading) if floats else reading


def _afloat(reading: Reading) -> Reading:
    """The robot on a floating base, with the base's inertia of its file; none of its wheels rolls."""
    robot = reading.robot
    base = replace(robot.base, kind=BaseKind.FLOATING, pose=IDENTITY, wheels=())
    return replace(reading, robot=replace(robot, base=base))


def write(
    robot: Robot | str | Path, path: str | Path, force: bool = False, shapes_of: str | Path | None = None
) -> None:
    """Write a robot into a file; the suffix of the file's name chooses the format.

    A file that exists is overwritten only with `force`; if the robot cannot be written, it stays as it was. A URDF file
    keeps the visuals and collisions of the URDF or xacro file that the robot is from; `shapes_of` is another URDF file
    to take them from, by the names of its links. `symoro.formats.lost(robot, path)` lists what is not in the file.
    """
    described = robot if isinstance(robot, Robot) else load(robot)
    options = {} if shapes_of is None else {"shapes": decode(Path(shapes_of).read_bytes())}
    save(written(described, path, **options), Path(path), force)


def save(text: str, path: Path, force: bool = False) -> None:
    """Write a text into a file, whole or not at all; a file that exists is overwritten only with `force`."""
    from symoro.saving import replacing, why  # most robots are read only

    if os.path.lexists(path) and not force:
        raise _unwritten(path, Finding("files.exists"))
    try:
        with replacing(path) as new:
            new.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _unwritten(path, why(error)) from error


def _unwritten(path: Path, reason: object) -> FormatError:
    return FormatError([Finding("files.cannot_be_written", place=Place(file=str(path)), reason=reason)])


def written(robot: Robot, path: str | Path, **options: Any) -> str:
    """The text of a file with this name that describes a robot."""
    if not isinstance(path, str | Path):
        raise FormatError([Finding("files.no_path", path=repr(path))])
    return _format_for(robot, path).write_text(robot, **options)


def _format_for(robot: Robot, path: str | Path) -> Format:
    """The format of a file's name, if it can describe the robot."""
    form = form_of(Path(path), WRITTEN)
    if robot.platforms and Path(path).suffix.lower() != ".toml":
        raise FormatError([Finding("files.platform", place=Place(file=str(path)), robot=robot.name)])
    return form


def lost(robot: Robot, path: str | Path) -> list[str]:
    """What a file with this name would not hold of a robot."""
    form = _format_for(robot, path)
    shapes = ["visuals and collisions"] if robot.shapes and Path(path).suffix.lower() != ".urdf" else []
    if not_written := getattr(form, "not_written", None):
        return [*not_written(robot), *shapes]
    before, after = snap(robot)[0], reread(robot, path)
    names = [field.name for field in fields(type(robot)) if field.compare and field.name != "name"]
    return [*(name for name in names if getattr(before, name) != getattr(after, name)), *shapes]


def reread(robot: Robot, path: str | Path) -> Robot:
    """The robot as a file with this name would give it back; no file is written."""
    return form_of(Path(path)).read_text(written(robot, path), Path(path).stem, str(path)).robot


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, else Latin-1, the encoding of files of the original SYMORO+."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def form_of(path: PurePath, allowed: Iterable[str] = FORMATS) -> Format:
    """The format of a file, by the suffix of its name; an error lists those that are allowed."""
    name = FORMATS.get(path.suffix.lower())
    if name is None:
        fields = {"suffix": path.suffix} if path.suffix else {}
        code = "files.format" if path.suffix else "files.no_suffix"
        code = "files.folder" if _exists(str(path)) and Path(path).is_dir() else code
        raise FormatError([Finding(code, place=Place(file=str(path)), allowed=allowed, **fields)])
    module: Format = import_module(f"{__name__}.{name}")
    return module
