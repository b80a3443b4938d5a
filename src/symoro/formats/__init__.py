"""Reading and writing descriptions of robots."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

from symoro.errors import FormatError, Problem, UnknownRobot
from symoro.formats import toml
from symoro.formats._report import MAX_TEXT, Reading
from symoro.robot import library
from symoro.robot.check import require_valid
from symoro.robot.robot import Robot

__all__ = ["FORMATS", "Reading", "load", "read", "valid_robot", "write"]


class Format(Protocol):
    """The functions that the module of a format provides."""

    def read_text(self, text: str, name: str, file: str | None = None, **options: Any) -> Reading: ...

    def write_text(self, robot: Robot) -> str: ...


FORMATS = {
    ".par": "par",
    ".toml": "toml",
    ".csv": "dh",
    ".urdf": "urdf",
    ".xacro": "xacro",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
}
"""The modules of the formats, by the suffix of a file's name; a module is imported when it is needed."""


def load(name: str | Path, **options: Any) -> Robot:
    """A robot of the library by its name, or the robot in a file by its path; `options` are those of `read`."""
    if isinstance(name, str) and name in library.names():
        return toml.read_text(library.text(name), name, f"{name}.toml").robot
    if not Path(name).exists():
        raise UnknownRobot(library.unknown(str(name)))
    return read(name, **options).robot


def valid_robot(robot: Robot | str | Path) -> Robot:
    """The robot, or the one that `load` finds for a name or a path; an error tells all that is wrong with it."""
    described = robot if isinstance(robot, Robot) else load(robot)
    require_valid(described)
    return described


def read(path: str | Path, **options: Any) -> Reading:
    """The robot in a file, with warnings and notes; `FormatError` carries all problems of the file.

    `options` are those of the format: `arguments`, `packages` and `folders` of a xacro file.
    """
    path = Path(path)
    form = _format(path)
    try:
        if path.stat().st_size > 4 * MAX_TEXT:
            raise FormatError([Problem(f"the file is too large (at most {MAX_TEXT} characters)", str(path))])
        data = path.read_bytes()
    except OSError as error:
        raise FormatError([Problem(f"cannot be read: {error.strerror or error}", str(path))]) from error
    known = signature(form.read_text).parameters
    if unknown := [option for option in options if option not in known]:
        raise FormatError([Problem(f"the format {path.suffix} has no option {', '.join(unknown)}", str(path))])
    return form.read_text(decode(data), path.stem, str(path), **options)


def write(robot: Robot, path: str | Path) -> None:
    """Write a robot into a file; the suffix of the file's name chooses the format."""
    path = Path(path)
    text = _format(path).write_text(robot)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FormatError([Problem(f"cannot be written: {error.strerror or error}", str(path))]) from error


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, else Latin-1, the encoding of files of the original SYMORO+."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _format(path: Path) -> Format:
    try:
        module: Format = import_module(f"{__name__}.{FORMATS[path.suffix.lower()]}")
        return module
    except KeyError:
        message = f"{path.suffix or 'no suffix'!r} is not a format (allowed: {', '.join(FORMATS)})"
        raise FormatError([Problem(message, str(path))]) from None
